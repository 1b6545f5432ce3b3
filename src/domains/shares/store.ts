import { and, asc, count, desc, eq, isNull, sql } from 'drizzle-orm'

import { type Page, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { organizations } from '#db/schema/orgs.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { orgShares, type ShareEntity } from '#db/schema/shares.ts'
import type { Db, Tx } from '#db/store.ts'

import type { SharesQuery } from './model.ts'

const fields = {
  id: orgShares.id,
  orgId: orgShares.orgId,
  entityType: orgShares.entityType,
  sourceId: orgShares.sourceId,
  copyId: qrCodes.id,
  name: qrCodes.name,
  sharedBy: orgShares.sharedBy,
  nickname: users.nickname,
  avatar: users.avatar,
  createdAt: orgShares.createdAt,
}

export interface ShareRow {
  readonly id: number
  readonly orgId: number
  readonly entityType: ShareEntity
  readonly sourceId: number
  readonly copyId: number
  readonly name: string
  readonly sharedBy: number
  readonly nickname: string
  readonly avatar: string | null
  readonly createdAt: number
}

const p = sql.placeholder

const oneShare = prepared((db) =>
  db
    .select(fields)
    .from(orgShares)
    .innerJoin(qrCodes, eq(qrCodes.id, orgShares.qrCodeId))
    .innerJoin(users, eq(users.id, orgShares.sharedBy))
    .where(and(eq(orgShares.id, p('id')), eq(orgShares.orgId, p('orgId')))),
)

export async function findShare(db: Db | Tx, orgId: number, id: number): Promise<ShareRow | undefined> {
  return (await oneShare(db, { orgId, id }))[0]
}

const shareOfSource = prepared((db) =>
  db
    .select(fields)
    .from(orgShares)
    .innerJoin(qrCodes, eq(qrCodes.id, orgShares.qrCodeId))
    .innerJoin(users, eq(users.id, orgShares.sharedBy))
    .where(
      and(
        eq(orgShares.orgId, p('orgId')),
        eq(orgShares.entityType, p('entityType')),
        eq(orgShares.sourceId, p('sourceId')),
        eq(orgShares.sharedBy, p('sharedBy')),
        isNull(qrCodes.deletedAt),
      ),
    )
    .orderBy(asc(orgShares.id))
    .limit(1),
)

/** The share that the user made of this original before, unless its copy is in the trash. */
export async function findShareOfSource(
  tx: Tx,
  source: { orgId: number; entityType: ShareEntity; sourceId: number; sharedBy: number },
): Promise<ShareRow | undefined> {
  return (await shareOfSource(tx, source))[0]
}

/** Latest first. Shares whose copy is in the organization's trash are left out until the copy is restored. */
export function sharesPage(db: Db, orgId: number, query: SharesQuery): Promise<Page<ShareRow>> {
  const where = and(
    eq(orgShares.orgId, orgId),
    query.entityType === undefined ? undefined : eq(orgShares.entityType, query.entityType),
    isNull(qrCodes.deletedAt),
  )
  return pageOfQuery(
    query,
    db
      .select(fields)
      .from(orgShares)
      .innerJoin(qrCodes, eq(qrCodes.id, orgShares.qrCodeId))
      .innerJoin(users, eq(users.id, orgShares.sharedBy))
      .where(where)
      .orderBy(desc(orgShares.id)),
    db.select({ n: count() }).from(orgShares).innerJoin(qrCodes, eq(qrCodes.id, orgShares.qrCodeId)).where(where),
  )
}

export async function insertShare(
  tx: Tx,
  share: { orgId: number; entityType: ShareEntity; sourceId: number; qrCodeId: number; sharedBy: number },
): Promise<number> {
  const rows = await tx
    .insert(orgShares)
    .values({ ...share, createdAt: tx.stamp })
    .returning({ id: orgShares.id })
  return rows[0]!.id
}

/** Undefined if there is no such share; of several concurrent calls, one gets the share. */
export async function deleteShare(tx: Tx, orgId: number, id: number): Promise<{ qrCodeId: number | null } | undefined> {
  const rows = await tx
    .delete(orgShares)
    .where(and(eq(orgShares.id, id), eq(orgShares.orgId, orgId)))
    .returning({ qrCodeId: orgShares.qrCodeId })
  return rows[0]
}

export async function orgExists(tx: Tx, orgId: number): Promise<boolean> {
  return (await tx.select({ id: organizations.id }).from(organizations).where(eq(organizations.id, orgId))).length > 0
}

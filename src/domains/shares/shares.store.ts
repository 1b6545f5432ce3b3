import { and, asc, count, desc, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'

import { type Page, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { files } from '#db/schema/files.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { orgShares, type ShareEntity } from '#db/schema/shares.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import type { SharesQuery } from './shares.model.ts'

export const copyName = sql<string>`coalesce(${qrCodes.name}, ${files.name})`

const fields = {
  id: orgShares.id,
  orgId: orgShares.orgId,
  entityType: orgShares.entityType,
  sourceId: orgShares.sourceId,
  // Each share has one of the two.
  copyId: sql<number>`coalesce(${orgShares.qrCodeId}, ${orgShares.photoId})`.mapWith(Number).as('copy_id'),
  name: copyName.as('name'),
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

/** Shares with the names of their copies. */
export const sharesWithNames = (db: Pick<Builders, 'select'>) =>
  db
    .select(fields)
    .from(orgShares)
    .innerJoin(users, eq(users.id, orgShares.sharedBy))
    .leftJoin(qrCodes, eq(qrCodes.id, orgShares.qrCodeId))
    .leftJoin(files, and(eq(files.entityType, 'PHOTO').inlineParams(), eq(files.entityId, orgShares.photoId)))
    .$dynamic()

/** Not a QR code in the trash. */
const isLive = or(isNotNull(orgShares.photoId), and(isNotNull(qrCodes.id), isNull(qrCodes.deletedAt)))

const oneShare = prepared((db) =>
  sharesWithNames(db).where(and(eq(orgShares.id, p('id')), eq(orgShares.orgId, p('orgId')))),
)

export async function findShare(db: Db | Tx, orgId: number, id: number): Promise<ShareRow | undefined> {
  return (await oneShare(db, { orgId, id }))[0]
}

const anyShare = prepared((db) => sharesWithNames(db).where(eq(orgShares.id, p('id'))))

/** A share of any organization. */
export const findAnyShare = async (db: Db | Tx, id: number): Promise<ShareRow | undefined> =>
  (await anyShare(db, { id }))[0]

const shareOfSource = prepared((db) =>
  sharesWithNames(db)
    .where(
      and(
        eq(orgShares.orgId, p('orgId')),
        eq(orgShares.entityType, p('entityType')),
        eq(orgShares.sourceId, p('sourceId')),
        eq(orgShares.sharedBy, p('sharedBy')),
        isLive,
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
    isLive,
  )
  return pageOfQuery(
    query,
    sharesWithNames(db).where(where).orderBy(desc(orgShares.id)),
    db.select({ n: count() }).from(orgShares).leftJoin(qrCodes, eq(qrCodes.id, orgShares.qrCodeId)).where(where),
  )
}

export async function insertShare(
  tx: Tx,
  share: { orgId: number; entityType: ShareEntity; sourceId: number; copyId: number; sharedBy: number },
): Promise<number> {
  const { copyId, ...rest } = share
  const copy = share.entityType === 'QR_CODE' ? { qrCodeId: copyId } : { photoId: copyId }
  const rows = await tx
    .insert(orgShares)
    .values({ ...rest, ...copy, createdAt: tx.stamp })
    .returning({ id: orgShares.id })
  return rows[0]!.id
}

/** Undefined if there is no such share; of several concurrent calls, one gets the share. */
export async function deleteShare(
  tx: Tx,
  orgId: number,
  id: number,
): Promise<{ entityType: ShareEntity; copyId: number } | undefined> {
  const [row] = await tx
    .delete(orgShares)
    .where(and(eq(orgShares.id, id), eq(orgShares.orgId, orgId)))
    .returning({ entityType: orgShares.entityType, qrCodeId: orgShares.qrCodeId, photoId: orgShares.photoId })
  return row && { entityType: row.entityType, copyId: (row.qrCodeId ?? row.photoId)! }
}

import { and, asc, count, desc, eq, gt, gte, isNotNull, lt, lte, or } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import { inOrganization, isLive, ownedBy, type QrCodeRow, shownCodes } from '../codes/codes.store.ts'

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map((row) => row.id)

/** A code that was moved to the trash at `since` or later. */
export async function findTrashed(
  db: Db | Tx,
  owner: Owner,
  id: number,
  since: number,
): Promise<QrCodeRow | undefined> {
  const [row] = await shownCodes(db).where(and(ownedBy(owner), eq(qrCodes.id, id), gte(qrCodes.deletedAt, since)))
  return row
}

/** The codes that were moved to the trash at `since` or later. */
export function trashPage(db: Db, owner: Owner, since: number, page: PageInput): Promise<Page<QrCodeRow>> {
  const where = and(ownedBy(owner), gte(qrCodes.deletedAt, since))
  return pageOfQuery(
    page,
    shownCodes(db).where(where).orderBy(desc(qrCodes.deletedAt), desc(qrCodes.id)),
    db.select({ n: count() }).from(qrCodes).where(where),
  )
}

/** The ids of at most `limit` of the owner's codes that were moved to the trash until `until`. */
export async function trashOf(tx: Tx, owner: Owner, until: number, limit: number): Promise<number[]> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(ownedBy(owner), lte(qrCodes.deletedAt, until)))
    .limit(limit)
  return idsOf(rows)
}

/** The first `limit` codes in the trash of all owners after `after`, in the order of their creation. Reads no other codes. */
export const trashAfter = (db: Db, after: { readonly createdAt: number; readonly id: number }, limit: number) =>
  db
    .select({ id: qrCodes.id, createdAt: qrCodes.createdAt, deletedAt: qrCodes.deletedAt })
    .from(qrCodes)
    .where(
      and(
        isNotNull(qrCodes.deletedAt),
        gte(qrCodes.createdAt, after.createdAt),
        or(gt(qrCodes.createdAt, after.createdAt), gt(qrCodes.id, after.id)),
      ),
    )
    .orderBy(asc(qrCodes.createdAt), asc(qrCodes.id))
    .limit(limit)

/** Those of `ids` that are in the trash since before `before`: they may have been restored meanwhile. */
export const oldTrash = async (tx: Tx, before: number, ids: readonly number[]): Promise<number[]> =>
  idsOf(
    await tx
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(and(isOneOf(qrCodes.id, ids), lt(qrCodes.deletedAt, before))),
  )

/** Number of codes of an organization outside the trash. */
export async function countLiveOfOrg(db: Db | Tx, orgId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(qrCodes)
    .where(and(inOrganization(orgId), isLive))
  return row!.n
}

/** The ids of at most `limit` codes in the trash of an organization. */
export async function trashOfOrg(tx: Tx, orgId: number, limit: number): Promise<number[]> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(inOrganization(orgId), isNotNull(qrCodes.deletedAt)))
    .limit(limit)
  return idsOf(rows)
}

/** Whether the organization has this code, in the trash or not. */
export async function isOrgCode(tx: Tx, orgId: number, id: number): Promise<boolean> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(eq(qrCodes.id, id), eq(qrCodes.orgId, orgId)))
  return rows.length > 0
}

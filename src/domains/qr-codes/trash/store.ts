import { and, count, desc, eq, gt, gte, isNotNull, lt, lte } from 'drizzle-orm'

import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import { inOrganization, isLive, ownedBy, type QrCodeRow, shownCodes } from '../codes/store.ts'

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

const selectOldTrash = (db: Db | Tx, before: number, afterId: number, count: number) =>
  db
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(gt(qrCodes.id, afterId), lte(qrCodes.id, afterId + count), lt(qrCodes.deletedAt, before)))

export async function hasOldTrash(db: Db, before: number, afterId: number, count: number): Promise<boolean> {
  return (await selectOldTrash(db, before, afterId, count).limit(1)).length > 0
}

/** The ids of codes of all owners that were moved to the trash before `before`, among the `count` ids after `afterId`. */
export const oldTrash = async (tx: Tx, before: number, afterId: number, count: number): Promise<number[]> =>
  idsOf(await selectOldTrash(tx, before, afterId, count))

/** Number of codes of an organization outside the trash. */
export async function countLiveOfOrg(db: Db | Tx, orgId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(qrCodes)
    .where(and(inOrganization(orgId), isLive))
  return row!.n
}

/** The ids of all codes in the trash of an organization. */
export async function trashOfOrg(tx: Tx, orgId: number): Promise<number[]> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(inOrganization(orgId), isNotNull(qrCodes.deletedAt)))
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

export async function largestId(db: Db): Promise<number> {
  const [row] = await db.select({ id: qrCodes.id }).from(qrCodes).orderBy(desc(qrCodes.id)).limit(1)
  return row?.id ?? 0
}

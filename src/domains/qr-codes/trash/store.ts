import { and, count, desc, eq, gt, gte, isNotNull, lt, lte } from 'drizzle-orm'

import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import { inOrganization, isLive, ownedBy, purgeCodes, type QrCodeRow } from '../codes/store.ts'

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map((row) => row.id)

/** A code that was moved to the trash at `since` or later. */
export async function findTrashed(
  db: Db | Tx,
  owner: Owner,
  id: number,
  since: number,
): Promise<QrCodeRow | undefined> {
  const [row] = await db
    .select()
    .from(qrCodes)
    .where(and(ownedBy(owner), eq(qrCodes.id, id), gte(qrCodes.deletedAt, since)))
  return row
}

/** The codes that were moved to the trash at `since` or later. */
export function trashPage(db: Db, owner: Owner, since: number, page: PageInput): Promise<Page<QrCodeRow>> {
  return pageOf(db, qrCodes, {
    where: and(ownedBy(owner), gte(qrCodes.deletedAt, since)),
    orderBy: [desc(qrCodes.deletedAt), desc(qrCodes.id)],
    page,
  })
}

/** Deletes at most `limit` of the owner's codes that were moved to the trash until `until`. Returns their number. */
export async function purgeTrashOf(tx: Tx, owner: Owner, until: number, limit: number): Promise<number> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(ownedBy(owner), lte(qrCodes.deletedAt, until)))
    .limit(limit)
  return purgeCodes(tx, idsOf(rows))
}

/** Codes of all owners that were moved to the trash before `before`, among the `count` ids after `afterId`. */
const oldTrash = (db: Db | Tx, before: number, afterId: number, count: number) =>
  db
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(gt(qrCodes.id, afterId), lte(qrCodes.id, afterId + count), lt(qrCodes.deletedAt, before)))

export async function hasOldTrash(db: Db, before: number, afterId: number, count: number): Promise<boolean> {
  return (await oldTrash(db, before, afterId, count).limit(1)).length > 0
}

export async function purgeOldTrash(tx: Tx, before: number, afterId: number, count: number): Promise<number> {
  return purgeCodes(tx, idsOf(await oldTrash(tx, before, afterId, count)))
}

/** Number of codes of an organization outside the trash. */
export async function countLiveOfOrg(db: Db | Tx, orgId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(qrCodes)
    .where(and(inOrganization(orgId), isLive))
  return row!.n
}

/** Empties the trash of an organization that is being dissolved. */
export async function purgeTrashOfOrg(tx: Tx, orgId: number): Promise<void> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(inOrganization(orgId), isNotNull(qrCodes.deletedAt)))
  for (let i = 0; i < rows.length; i += 500) await purgeCodes(tx, idsOf(rows.slice(i, i + 500)))
}

/** Deletes one code of an organization permanently, in the trash or not. */
export async function purgeOrgCode(tx: Tx, orgId: number, id: number): Promise<void> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(eq(qrCodes.id, id), eq(qrCodes.orgId, orgId)))
  await purgeCodes(tx, idsOf(rows))
}

export async function largestId(db: Db): Promise<number> {
  const [row] = await db.select({ id: qrCodes.id }).from(qrCodes).orderBy(desc(qrCodes.id)).limit(1)
  return row?.id ?? 0
}

import { and, count, desc, eq, gt, isNotNull, isNull, lt, lte } from 'drizzle-orm'

import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Db, Tx } from '#db/store.ts'

import { inOrganization, ownedBy, purgeCodes, type QrCodeRow } from '../codes/store.ts'
import type { Owner } from '../owner.ts'

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map((row) => row.id)

export async function findTrashed(db: Db | Tx, owner: Owner, id: number): Promise<QrCodeRow | undefined> {
  const [row] = await db
    .select()
    .from(qrCodes)
    .where(and(ownedBy(owner), eq(qrCodes.id, id), isNotNull(qrCodes.deletedAt)))
  return row
}

export function trashPage(db: Db, owner: Owner, page: PageInput): Promise<Page<QrCodeRow>> {
  return pageOf(db, qrCodes, {
    where: and(ownedBy(owner), isNotNull(qrCodes.deletedAt)),
    orderBy: [desc(qrCodes.deletedAt), desc(qrCodes.id)],
    page,
  })
}

/** Removes for good at most `limit` of the owner's codes that went to the trash up to `until`. Answers how many. */
export async function removeTrash(tx: Tx, owner: Owner, until: number, limit: number): Promise<number> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(ownedBy(owner), lte(qrCodes.deletedAt, until)))
    .limit(limit)
  return purgeCodes(tx, idsOf(rows))
}

/** Codes of all owners that went to the trash before `before`, among the `count` ids after `afterId`. */
const oldTrash = (db: Db | Tx, before: number, afterId: number, count: number) =>
  db
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(gt(qrCodes.id, afterId), lte(qrCodes.id, afterId + count), lt(qrCodes.deletedAt, before)))

export async function hasOldTrash(db: Db, before: number, afterId: number, count: number): Promise<boolean> {
  return (await oldTrash(db, before, afterId, count).limit(1)).length > 0
}

export async function removeOldTrash(tx: Tx, before: number, afterId: number, count: number): Promise<number> {
  return purgeCodes(tx, idsOf(await oldTrash(tx, before, afterId, count)))
}

/** Codes of an organization that are not in the trash. */
export async function countLiveOfOrg(db: Db | Tx, orgId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(qrCodes)
    .where(and(inOrganization(orgId), isNull(qrCodes.deletedAt)))
  return row!.n
}

/** Removes an organization's trash for good: the organization goes. */
export async function removeTrashOfOrg(tx: Tx, orgId: number): Promise<void> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(inOrganization(orgId), isNotNull(qrCodes.deletedAt)))
  for (let i = 0; i < rows.length; i += 500) await purgeCodes(tx, idsOf(rows.slice(i, i + 500)))
}

/** Removes one code of an organization for good, in the trash or not. */
export async function removeOrgCode(tx: Tx, orgId: number, id: number): Promise<void> {
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

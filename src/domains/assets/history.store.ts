import { inArray } from 'drizzle-orm'

import { pagedTable } from '#db/lists.ts'
import type { Page, PageInput } from '#db/paging.ts'
import { assetTransfers } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

export type TransferRow = typeof assetTransfers.$inferSelect
export type NewTransfer = Omit<TransferRow, 'id' | 'createdAt'>

const listed = pagedTable(assetTransfers, ['id', 'assetId'])
const ofAsset = listed.list({
  owner: ['assetId'],
  orders: { id: ['id'] },
  sort: '-id',
  select: (db) => db.select().from(assetTransfers).$dynamic(),
})

/** Newest first. The caller has checked that the asset is one of the owner's. */
export const transfersPage = (db: Db, assetId: number, page: PageInput): Promise<Page<TransferRow>> =>
  ofAsset.page(db, { assetId }, page)

const ROWS_PER_STATEMENT = 500

export async function insertTransfers(tx: Tx, transfers: readonly NewTransfer[]): Promise<TransferRow[]> {
  const rows: TransferRow[] = []
  for (let at = 0; at < transfers.length; at += ROWS_PER_STATEMENT) {
    const given = transfers.slice(at, at + ROWS_PER_STATEMENT).map((transfer) => ({ ...transfer, createdAt: tx.stamp }))
    for (const row of await tx.insert(assetTransfers).values(given).returning()) {
      listed.inserted(tx, row)
      rows.push(row)
    }
  }
  return rows
}

/** Deletes the history of assets that are deleted permanently. */
export async function deleteTransfersOf(tx: Tx, assetIds: readonly number[]): Promise<void> {
  const rows = await tx
    .delete(assetTransfers)
    .where(inArray(assetTransfers.assetId, [...assetIds]))
    .returning()
  for (const row of rows) listed.deleted(tx, row)
}

/** Content of deleted users: their own assets with what belongs to them. Supplies, labels and finder cards of ended accounts are deleted in any case (`remains`). */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'

import { deleteOfOrg as deleteCategories } from './categories/categories.store.ts'
import { forgetNumbers, purgeAssets } from './clean-up.store.ts'
import * as store from './own-data.store.ts'

/** Rows that the deletion of an asset changes: its history, loans, maintenance. */
const ROWS_OF_ASSET = 5

/** As `EraseContent`. */
export async function eraseAssets(_ctx: AppContext, tx: Tx, userId: number, limit: number): Promise<number> {
  const owner = -userId
  const some = Math.ceil(limit / ROWS_OF_ASSET)
  let rows = (await purgeAssets(tx, owner, some)) * ROWS_OF_ASSET
  if (rows < limit) rows += await store.deleteInventoriesOf(tx, owner, limit - rows)
  if (rows > 0) return rows
  await deleteCategories(tx, owner)
  await store.deletePlansOfOwner(tx, owner)
  await forgetNumbers(tx, owner)
  return 0
}

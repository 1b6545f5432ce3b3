import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'

import { deleteCategories, personalCodes } from './erasing.store.ts'
import { deleteOldest } from './scans/scans.store.ts'
import { purge } from './trash/trash.service.ts'

/** Rows that the deletion of a code changes: its links, pictures, labels, figures. */
const ROWS_OF_CODE = 5

/** Slugs are never given again. As `EraseContent`. */
export async function eraseCodes(ctx: AppContext, tx: Tx, userId: number, limit: number): Promise<number> {
  const ids = await personalCodes(tx, userId, Math.ceil(limit / ROWS_OF_CODE))
  let rows = (await purge(ctx, tx, ids)) * ROWS_OF_CODE
  if (rows < limit) rows += await deleteOldest(tx, userId, 0, limit - rows)
  if (rows < limit) rows += await deleteCategories(tx, userId, limit - rows)
  return rows
}

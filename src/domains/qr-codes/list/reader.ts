import type { AppContext } from '#context'
import type { Db } from '#db/store.ts'

import type { Owner } from '../owner.ts'
import { countPersonal } from './store.ts'

/** Looking through so many rows takes about two milliseconds, which other requests may wait. */
export const MANY = 2000

/** Where to ask what has to look at all codes of an owner. */
export async function readerFor(ctx: AppContext, { userId, orgId }: Owner): Promise<Db> {
  const isShort = orgId === 0 && (await countPersonal(ctx.db.read, userId)) <= MANY
  return isShort ? ctx.db.read : ctx.db.readInWorker
}

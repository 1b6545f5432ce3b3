import type { AppContext } from '#context'
import type { Db } from '#db/store.ts'

import { countCodes } from '../codes/store.ts'
import type { Owner } from '../owner.ts'

/** Looking through so many rows takes about two milliseconds, which other requests may wait. */
export const MANY = 2000

/** Where to ask what has to look at all codes of an owner. */
export async function readerFor(ctx: AppContext, owner: Owner): Promise<Db> {
  return (await countCodes(ctx.db.read, owner)) <= MANY ? ctx.db.read : ctx.db.readInWorker
}

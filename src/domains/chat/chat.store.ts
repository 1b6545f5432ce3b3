/** The sequence of numbers. Other tables of chat have their queries in the stores of the topics. */

import { eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { chatNumbers } from '#db/schema/chat.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

/** The sequence has one row. */
const ROW = 1

const p = sql.placeholder

const increase = prepared((db) =>
  db
    .insert(chatNumbers)
    .values({ id: ROW, last: p('count') })
    .onConflictDoUpdate({ target: chatNumbers.id, set: { last: sql`${chatNumbers.last} + excluded.last` } })
    .returning({ last: chatNumbers.last }),
)

/** Takes the next `count` numbers. Returns the highest. Use `takeNumbers`, which also announces them. */
export async function increaseNumber(tx: Tx, count: number): Promise<number> {
  const [row] = await increase(tx, { count })
  return row!.last
}

/** SQL for `lastNumber`. */
export const lastTaken = sql`coalesce((select last from ${chatNumbers} where id = ${sql.raw(String(ROW))}), 0)`

/** The statement that takes all numbers up to the value `last`, in a write that is `IN_ORDER` and has read `lastTaken`. */
export const takeUpTo = (db: Builders) =>
  db
    .insert(chatNumbers)
    .values({ id: ROW, last: p('last') })
    .onConflictDoUpdate({ target: chatNumbers.id, set: { last: sql`excluded.last` } })

const current = prepared((db) => db.select({ last: chatNumbers.last }).from(chatNumbers).where(eq(chatNumbers.id, ROW)))

/** The highest number that was taken; 0 before the first. */
export const lastNumber = async (db: Db | Tx): Promise<number> => (await current(db))[0]?.last ?? 0

/** The numbers of messages and of their changes: one sequence for all conversations, in the order of commits. */

import type { Tx, WriteOptions } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

import { increaseNumber } from './chat.store.ts'

/** Option of every write that takes numbers: such writes commit in the order of their numbers, also over several processes. */
export const IN_ORDER: WriteOptions = { inOrder: 'chat_numbers' }

/** The numbers up to `last` were taken: there are messages or changes to deliver. */
export const NUMBERS = topic<{ readonly last: number }>('chat.numbers')

/** Takes `count` consecutive numbers in a write that is `IN_ORDER`, and announces them after the commit. Returns the first. */
export async function takeNumbers(tx: Tx, count: number): Promise<number> {
  const last = await increaseNumber(tx, count)
  announceNumbers(tx, last)
  return last - count + 1
}

/** Says that the write has taken the numbers up to `last`. */
export const announceNumbers = (tx: Tx, last: number): void => tx.publish(NUMBERS, { last })

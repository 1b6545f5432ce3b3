/** Every check of a password goes through here, so that all of them count in one failure lock. */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import { sha256 } from '#platform/ids.ts'
import { PasswordQueueFull } from '#platform/passwords.ts'

import { locked } from '../errors.ts'
import { forgetTries, saveTries, triesOf } from './store.ts'
import { countTry, takeBack } from './tries.ts'

/** The last of those waiting for each lock. */
const queues = perContext(() => new Map<string, Promise<unknown>>())

/**
 * Checks of one account come one after the other: many phones of one person signing in at once, all with the right password,
 * are not taken for failures of each other. Across nodes only the count in the database decides.
 */
async function oneAtATime<T>(ctx: AppContext, key: string, task: () => Promise<T>): Promise<T> {
  const waiting = queues(ctx)
  const mine = (waiting.get(key) ?? Promise.resolve()).then(task, task)
  waiting.set(key, mine)
  try {
    return await mine
  } finally {
    if (waiting.get(key) === mine) waiting.delete(key)
  }
}

/** What tries are counted by: an account, whichever of its names was typed, else the name itself. */
export type Lock = string & { readonly brand: 'lock' }

/** `typed`: normalized, whether or not such an account exists. Nobody can type the lock of an account: the two begin differently. */
export const lockOf = (user: { readonly id: number } | undefined, typed: string): Lock =>
  sha256(user === undefined ? `typed ${typed}` : `user ${user.id}`) as Lock

/**
 * Runs `check` (undefined: the password was wrong) unless it is locked, then throws 4022. The attempt is counted in the database
 * before it is checked, and forgotten after a success.
 */
export async function guarded<T>(
  ctx: AppContext,
  key: Lock,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  return oneAtATime(ctx, key, async () => {
    const refusedFor = await ctx.db.write('accounts.countAttempt', async (tx) => {
      const counted = countTry(await triesOf(tx, key), ctx.clock.now())
      if ('refusedFor' in counted) return counted.refusedFor
      await saveTries(tx, key, counted.after)
      return 0
    })
    if (refusedFor > 0) throw locked(Math.ceil(refusedFor / 1000))
    let result: T | undefined
    try {
      result = await check()
    } catch (error) {
      if (error instanceof PasswordQueueFull) await giveBack(ctx, key)
      throw error
    }
    if (result !== undefined) await ctx.db.write('accounts.forgetAttempts', (tx) => forgetTries(tx, key))
    return result
  })
}

/** An attempt that was never checked must not bring the lock nearer. */
async function giveBack(ctx: AppContext, key: string): Promise<void> {
  await ctx.db.write('accounts.refundAttempt', async (tx) => {
    const tries = await triesOf(tx, key)
    if (tries) await saveTries(tx, key, takeBack(tries))
  })
}

/** Ends a lock: somebody proved otherwise who they are. */
export const unlock = (tx: Tx, userId: number): Promise<void> => forgetTries(tx, lockOf({ id: userId }, ''))

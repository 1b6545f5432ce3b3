/** Every check of a password runs here, so that all of them count in the same failure lock. */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import { AppError } from '#http/errors.ts'
import { sha256 } from '#platform/ids.ts'
import { PasswordQueueFull } from '#platform/passwords.ts'

import { locked, TOTP_NEEDED } from '../accounts.errors.ts'
import { countAttempt, undoAttempt } from './passwords.rules.ts'
import { deleteAttempts, findAttempts, saveAttempts } from './passwords.store.ts'

/** The key that attempts are counted by: an account, whichever of its names was typed, or a name that no account has. */
export type Lock = string & { readonly brand: 'lock' }

/**
 * `typed`: the normalized name. Account locks and typed-name locks use different prefixes, so they cannot collide. Hashed, because
 * people type passwords into the wrong field.
 */
export const lockOf = (user: { readonly id: number } | undefined, typed: string): Lock =>
  sha256(user === undefined ? `typed ${typed}` : `user ${user.id}`) as Lock

/**
 * The keys of guesses through account linking: those of the asking user, and those at the target. Neither locks a sign-in, otherwise
 * every user could lock out every other one.
 */
export const linkLocksOf = (askingUserId: number, targetId: number): { asking: Lock; target: Lock } => ({
  asking: sha256(`link by ${askingUserId}`) as Lock,
  target: sha256(`link to ${targetId}`) as Lock,
})

export const factorLockOf = (userId: number): Lock => sha256(`second factor of ${userId}`) as Lock

/** Forgets the counted attempts, in the caller's write. */
export type Forget = (tx: Tx) => Promise<void>

/**
 * Runs `check` and, if it returns a value (undefined: the password was wrong), `use` with that value. The attempt is counted and
 * committed before the check. `use` forgets the attempts in its own write, which saves a write; if `use` throws, they are forgotten
 * afterwards, because the password was right. @throws AppError 429 (code 4022) while the lock is closed.
 */
export async function guarded<P, T>(
  ctx: AppContext,
  lock: Lock,
  check: () => Promise<P | undefined>,
  use: (proven: P, forget: Forget) => Promise<T>,
  onSuccess: OnSuccess = 'forget',
): Promise<T | undefined> {
  const succeeded = onSuccess === 'forget' ? deleteAttempts : undoLatest
  return oneAtATime(ctx, lock, async () => {
    const refusedFor = await ctx.db.write('accounts.countAttempt', async (tx) => {
      const counted = countAttempt(await findAttempts(tx, lock), ctx.clock.now())
      if ('refusedFor' in counted) return counted.refusedFor
      await saveAttempts(tx, lock, counted.after)
      return 0
    })
    if (refusedFor > 0) throw locked(Math.ceil(refusedFor / 1000))
    const proven = await checkOrRefund(ctx, lock, check)
    if (proven === undefined) return undefined
    let forgotten = false
    try {
      return await use(proven, async (tx) => {
        await succeeded(tx, lock)
        tx.afterCommit(() => (forgotten = true))
      })
    } finally {
      if (!forgotten) await ctx.db.write('accounts.forgetAttempts', (tx) => succeeded(tx, lock))
    }
  })
}

/**
 * A success makes the lock forget all attempts, or only its own attempt: for locks under which an attacker could let every fifth
 * attempt succeed, with the password of another account.
 */
type OnSuccess = 'forget' | 'undo'

/** Nothing was guessed: the password was never checked, or it was right and the code of the second factor is missing. */
const isUncounted = (error: unknown): boolean =>
  error instanceof PasswordQueueFull || (error instanceof AppError && error.code === TOTP_NEEDED)

/** If `check` throws, the attempt counts unless nothing was guessed. */
async function checkOrRefund<P>(ctx: AppContext, lock: Lock, check: () => Promise<P>): Promise<P> {
  try {
    return await check()
  } catch (error) {
    if (isUncounted(error)) await ctx.db.write('accounts.refundAttempt', (tx) => undoLatest(tx, lock))
    throw error
  }
}

async function undoLatest(tx: Tx, lock: Lock): Promise<void> {
  const attempts = await findAttempts(tx, lock)
  if (attempts) await saveAttempts(tx, lock, undoAttempt(attempts))
}

/** Opens the lock of an account whose user proved their identity in another way. */
export const unlock = (tx: Tx, userId: number): Promise<void> => deleteAttempts(tx, lockOf({ id: userId }, ''))

/** The last check in the queue of each lock. */
const queues = perContext(() => new Map<string, Promise<unknown>>())

/**
 * Runs the checks of one account one after the other. Otherwise many devices of one user that sign in at the same time, all with
 * the right password, would count as each other's failures. Other processes are not waited for: only the count in the database
 * holds for all of them.
 */
async function oneAtATime<T>(ctx: AppContext, lock: Lock, task: () => Promise<T>): Promise<T> {
  const waiting = queues(ctx)
  const mine = (waiting.get(lock) ?? Promise.resolve()).then(task, task)
  waiting.set(lock, mine)
  try {
    return await mine
  } finally {
    if (waiting.get(lock) === mine) waiting.delete(lock)
  }
}

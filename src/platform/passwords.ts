/** Hashes passwords: argon2id with bounded concurrency, so that logins do not starve other requests. */

import { availableParallelism } from 'node:os'

import { secret } from './ids.ts'

export interface Passwords {
  hash(password: string): Promise<string>
  /** Takes the same time if `stored` is null (no such account, or no password). */
  verify(password: string, stored: string | null): Promise<boolean>
  /** True if `stored` was made with other parameters than the current ones and should be replaced at the next login. */
  outdated(stored: string): boolean
}

export class PasswordQueueFull extends Error {}

/** OWASP's second recommendation for argon2id (19 MiB, t=2, p=1) takes 26 ms (measured); Bun's default takes 98 ms and 64 MiB. */
const PARAMETERS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const
const PREFIX = '$argon2id$v=19$m=19456,t=2,p=1$'

/** Hashes that may wait, at 26 ms each. With a longer queue, clients would time out before they are refused. */
const QUEUE = 200

/**
 * argon2 runs on the one pool that also serves WebCrypto, zlib and file reads: with every thread hashing, each token check
 * would wait (715 ms at 40 logins, measured). One core is always left free.
 */
export function createPasswords(): Passwords {
  const run = semaphore(Math.max(1, Math.min(2, availableParallelism() - 1)), QUEUE, () => new PasswordQueueFull())
  // The hash of a random value, so that an unknown account takes as long as a wrong password.
  let decoy: Promise<string> | undefined
  return {
    hash: (password) => run(() => Bun.password.hash(password, PARAMETERS)),
    async verify(password, stored) {
      if (stored !== null) return run(() => Bun.password.verify(password, stored))
      const hash = await (decoy ??= run(() => Bun.password.hash(secret(), PARAMETERS)))
      await run(() => Bun.password.verify(password, hash))
      return false
    },
    outdated: (stored) => !stored.startsWith(PREFIX),
  }
}

/** Runs at most `limit` tasks at once and lets at most `queue` wait. @throws the error of `onFull` if the queue is full. */
function semaphore(limit: number, queue: number, onFull: () => Error) {
  let running = 0
  const waiting: (() => void)[] = []
  return async function run<T>(task: () => Promise<T>): Promise<T> {
    if (running >= limit) {
      if (waiting.length >= queue) throw onFull()
      await new Promise<void>((go) => waiting.push(go))
    } else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Password hashing: argon2id with bounded concurrency, so that logins never starve other requests. */

import { availableParallelism } from 'node:os'

import { secret } from './ids.ts'

export interface Passwords {
  hash(password: string): Promise<string>
  /** Takes the same time whether `stored` is a hash or null (no such account, no password). */
  verify(password: string, stored: string | null): Promise<boolean>
  /** True when `stored` was made with other parameters than today's and should be made anew at the next login. */
  outdated(stored: string): boolean
}

export class PasswordQueueFull extends Error {}

/** OWASP's second recommendation for argon2id (19 MiB, t=2, p=1): 26 ms here, where Bun's default takes 98 ms and 64 MiB. */
const PARAMETERS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const
const PREFIX = '$argon2id$v=19$m=19456,t=2,p=1$'

/** Waiting longer than about this many hashes (26 ms each) is worse for a phone than being told to come back. */
const QUEUE = 200

/**
 * argon2 runs on the one pool that also serves WebCrypto, zlib and file reads: with every thread hashing, each token check
 * would wait (715 ms at 40 logins, measured). One core is always left free.
 */
export function createPasswords(): Passwords {
  const run = semaphore(Math.max(1, Math.min(2, availableParallelism() - 1)), QUEUE, () => new PasswordQueueFull())
  // A real hash of a value nobody knows: an unknown account costs the same as a wrong password.
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

/** At most `limit` tasks at once, at most `queue` waiting; one more is turned away with `onFull()`. */
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

/** Hashes passwords: argon2id with bounded concurrency, so that logins do not starve other requests. */

import { availableParallelism } from 'node:os'

import { secret } from './ids.ts'

export interface Hashing {
  hash(password: string): Promise<string>
  /** Takes the same time if `stored` is null (no such account, or no password). */
  verify(password: string, stored: string | null): Promise<boolean>
}

/** The functions themselves are for sign-in, which must work however many signed-in users ask for hashes. */
export interface Passwords extends Hashing {
  /** For calls of a signed-in user: one hash at a time, and together a part of the queue. */
  ofUser(userId: number): Hashing
  /** True if `stored` was made with other parameters than the current ones and should be replaced at the next login. */
  outdated(stored: string): boolean
}

export class PasswordQueueFull extends Error {
  /** `byUser`: the caller's own hashes fill the queue, and those of others are not delayed. */
  constructor(readonly byUser: boolean) {
    super(byUser ? 'a user has too many hashes in the queue' : 'too many hashes are in the queue')
  }
}

/** OWASP's second recommendation for argon2id (19 MiB, t=2, p=1) takes 26 ms (measured); Bun's default takes 98 ms and 64 MiB. */
const COST = { memoryCost: 19_456, timeCost: 2 }

/** Hashes that may wait, at 26 ms each. With a longer queue, clients would time out before they are refused. */
const QUEUE = 200
/** Of them for signed-in users, who could otherwise keep everyone else from signing in. */
const QUEUE_OF_USERS = 50
/** Hashes of one user that may wait. No client needs more than a few at once. */
const QUEUE_OF_USER = 5

/**
 * argon2 runs on the one pool that also serves WebCrypto, zlib and file reads: with every thread hashing, each token check
 * would wait (715 ms at 40 logins, measured). One core is always left free. `cost`: a lower one for tests, which make thousands of users.
 */
export function createPasswords(cost: Readonly<typeof COST> = COST): Passwords {
  const parameters = { algorithm: 'argon2id', ...cost } as const
  const prefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$`
  const slots = new Slots(Math.max(1, Math.min(2, availableParallelism() - 1)))
  const signIn = slots.lane(QUEUE - QUEUE_OF_USERS)
  const users = slots.lane(QUEUE_OF_USERS)
  const byUser = new Map<number, { run: Run; running: number }>()

  /** Runs the tasks of one user one after the other. */
  async function runForUser<T>(userId: number, task: () => Promise<T>): Promise<T> {
    let own = byUser.get(userId)
    if (own === undefined) byUser.set(userId, (own = { run: new Slots(1).lane(QUEUE_OF_USER, true), running: 0 }))
    own.running += 1
    try {
      return await own.run(() => users(task))
    } finally {
      own.running -= 1
      if (own.running === 0) byUser.delete(userId)
    }
  }

  // The hash of a random value, so that an unknown account takes as long as a wrong password.
  let decoy: Promise<string> | undefined
  const makeDecoy = () =>
    signIn(() => Bun.password.hash(secret(), parameters)).catch((error: unknown) => {
      decoy = undefined
      throw error
    })
  const hashing = (run: Run): Hashing => ({
    hash: (password) => run(() => Bun.password.hash(password, parameters)),
    async verify(password, stored) {
      if (stored !== null) return run(() => Bun.password.verify(password, stored))
      const hash = await (decoy ??= makeDecoy())
      await run(() => Bun.password.verify(password, hash))
      return false
    },
  })
  return {
    ...hashing(signIn),
    ofUser: (userId) => hashing((task) => runForUser(userId, task)),
    outdated: (stored) => !stored.startsWith(prefix),
  }
}

/** @throws PasswordQueueFull */
type Run = <T>(task: () => Promise<T>) => Promise<T>

/** Runs a limited number of tasks at once. The others wait in lanes, which take turns. */
class Slots {
  readonly #lanes: (() => void)[][] = []
  #free: number
  /** The lane whose turn is next. */
  #turn = 0

  constructor(limit: number) {
    this.#free = limit
  }

  /** At most `queue` tasks wait in the lane. */
  lane(queue: number, isOfUser = false): Run {
    const waiting: (() => void)[] = []
    this.#lanes.push(waiting)
    return async (task) => {
      if (this.#free > 0) this.#free -= 1
      else {
        if (waiting.length >= queue) throw new PasswordQueueFull(isOfUser)
        await new Promise<void>((go) => waiting.push(go))
      }
      try {
        return await task()
      } finally {
        this.#release()
      }
    }
  }

  #release(): void {
    for (let i = 0; i < this.#lanes.length; i++) {
      const next = this.#lanes[this.#turn]!.shift()
      this.#turn = (this.#turn + 1) % this.#lanes.length
      if (next) return next()
    }
    this.#free += 1
  }
}

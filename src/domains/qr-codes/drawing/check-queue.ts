/** The turns of checks: one at a time for each user, `capacity` in all. */

import { tooManyChecks } from './drawing.errors.ts'

interface Waiting {
  readonly userId: number
  readonly enter: () => void
  readonly refuse: (error: Error) => void
}

export class CheckQueue {
  readonly #running = new Set<number>()
  readonly #waiting: Waiting[] = []

  constructor(
    readonly capacity: number,
    readonly maxWaiting: number,
  ) {}

  /** @throws AppError 503 if too many wait; of those that do, the last one of the user who has most of them */
  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    if (!this.#mayStart(userId)) await this.#wait(userId)
    else this.#running.add(userId)
    try {
      return await work()
    } finally {
      this.#running.delete(userId)
      this.#next()
    }
  }

  #mayStart(userId: number): boolean {
    return this.#running.size < this.capacity && !this.#running.has(userId)
  }

  #wait(userId: number): Promise<void> {
    if (this.#waiting.length >= this.maxWaiting) this.#makeRoom(userId)
    return new Promise((enter, refuse) => this.#waiting.push({ userId, enter, refuse }))
  }

  #makeRoom(userId: number): void {
    const counts = Map.groupBy(this.#waiting, (one) => one.userId)
    const most = [...counts.values()].reduce((one, other) => (other.length > one.length ? other : one))
    if ((counts.get(userId)?.length ?? 0) + 1 >= most.length) throw tooManyChecks()
    const last = most.at(-1)!
    this.#waiting.splice(this.#waiting.indexOf(last), 1)
    last.refuse(tooManyChecks())
  }

  #next(): void {
    const at = this.#waiting.findIndex(({ userId }) => this.#mayStart(userId))
    if (at === -1) return
    const [next] = this.#waiting.splice(at, 1)
    this.#running.add(next!.userId)
    next!.enter()
  }
}

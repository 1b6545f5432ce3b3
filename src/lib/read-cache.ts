/**
 * Values by key that were read from somewhere slower, kept for a while and dropped at once when the source changes.
 *
 * A load that was already running when the change came may have seen the old state. Dropping therefore also forgets running
 * loads: who waits for one gets its answer (they asked before the change), but it is not kept, and later callers start anew.
 */

import { LRUCache } from 'lru-cache'

export interface Dated {
  /** Epoch milliseconds, taken before the value was read. */
  readonly readAt: number
}

export interface ReadCacheOptions<K, T> {
  /** Values kept; the least recently used goes first. */
  max: number
  /** How long a value may be used, milliseconds. */
  maxAge: number
  /** Undefined: there is no such thing, and that is not kept. */
  load(key: K): Promise<T | undefined>
}

export class ReadCache<K extends string | number, T extends Dated> {
  readonly #kept: LRUCache<K, T>
  readonly #running = new Map<K, Promise<T | undefined>>()

  constructor(readonly options: ReadCacheOptions<K, T>) {
    this.#kept = new LRUCache({ max: options.max })
  }

  /** What is kept, or undefined when it has to be fetched. Allocates nothing. `now` in epoch milliseconds. */
  get(key: K, now: number): T | undefined {
    const value = this.#kept.get(key)
    if (value === undefined) return undefined
    const age = now - value.readAt
    // A clock that went back makes everything stale rather than eternal.
    return age >= 0 && age < this.options.maxAge ? value : undefined
  }

  /** Loads, once however many ask at the same time, and keeps. */
  fetch(key: K): Promise<T | undefined> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const mine = this.options.load(key).then(
      (value) => {
        if (this.#end(key, mine) && value !== undefined) this.#kept.set(key, value)
        return value
      },
      (error: unknown) => {
        this.#end(key, mine)
        throw error
      },
    )
    this.#running.set(key, mine)
    return mine
  }

  /** False when the load was forgotten meanwhile. */
  #end(key: K, load: Promise<T | undefined>): boolean {
    return this.#running.get(key) === load && this.#running.delete(key)
  }

  drop(key: K): void {
    this.#kept.delete(key)
    this.#running.delete(key)
  }

  clear(): void {
    this.#kept.clear()
    this.#running.clear()
  }
}

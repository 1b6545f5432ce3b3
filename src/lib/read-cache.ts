/**
 * Caches values by key that were read from a slower source, for a limited time, and drops them at once when the source changes.
 *
 * A load that was already running when the source changed may have read the old value. Dropping a key therefore also forgets its
 * running load: callers that wait for it get its value (they asked before the change), but the value is not kept, and later callers
 * start a new load. lru-cache's own `fetch` shares loads but does not forget them.
 */

import { LRUCache } from 'lru-cache'

/** A load that is running or whose value is kept. */
export interface Load {
  /** When it began, epoch milliseconds. The age of its value counts from here. */
  readAt: number
}

export interface ReadCacheOptions<K, T> {
  /** Maximum number of values; the least recently used one is removed first. */
  max: number
  /** How long a value may be used, in milliseconds. */
  maxAge: number
  /** Epoch milliseconds. */
  now(): number
  /**
   * Undefined: the value does not exist, which is not cached. If the value is made from values of another cache, lower
   * `load.readAt` to the oldest of them.
   */
  load(key: K, load: Load): Promise<T | undefined>
  /** Whether a value is kept. Without it, all are. */
  keeps?(value: T, key: K): boolean
}

interface Entry<T> extends Load {
  readonly value: T
}

export class ReadCache<K extends string | number, T> {
  readonly #entries: LRUCache<K, Entry<T>>
  readonly #running = new Map<K, Promise<T | undefined>>()

  constructor(readonly options: ReadCacheOptions<K, T>) {
    this.#entries = new LRUCache({ max: options.max })
  }

  /** The cached value; undefined if it has to be fetched. */
  get(key: K): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const age = this.options.now() - entry.readAt
    // If the clock goes back, the value counts as too old; otherwise it could be used for much longer than `maxAge`.
    return age >= 0 && age < this.options.maxAge ? entry.value : undefined
  }

  /** When the cached value was read, epoch milliseconds; undefined if there is none. */
  readAt(key: K): number | undefined {
    return this.#entries.peek(key)?.readAt
  }

  /** Loads a value and caches it. Concurrent calls for one key share one load. */
  fetch(key: K): Promise<T | undefined> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const load = { readAt: this.options.now() }
    const mine = this.options.load(key, load).then(
      (value) => {
        const isCurrent = this.#end(key, mine)
        if (isCurrent && value !== undefined && this.options.keeps?.(value, key) !== false)
          this.#entries.set(key, { value, readAt: load.readAt })
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

  /** False if the load was forgotten meanwhile. */
  #end(key: K, load: Promise<T | undefined>): boolean {
    return this.#running.get(key) === load && this.#running.delete(key)
  }

  drop(key: K): void {
    this.#entries.delete(key)
    this.#running.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#running.clear()
  }
}

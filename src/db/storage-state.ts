/**
 * Trouble of the storage while the server runs: whether writes are refused, how often, and what the log says about it. A full disk or a
 * lost database server makes every request fail, so the log gets a line when that begins, one every few seconds, and one at the end.
 */

import { SECOND } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'
import type { Log } from '#platform/log.ts'

import { StorageError, type StorageTrouble } from './errors.ts'
import { serverState } from './schema/settings.ts'
import type { StorageTroubles, Store } from './store.ts'

const REPORT_MS = 10 * SECOND

export class StorageState implements StorageTroubles {
  /** Refused writes by cause, since the start. */
  readonly refusedWrites = new Map<StorageTrouble, number>()
  /** Errors of refused writes, which the requests that made them report again. */
  readonly #counted = new WeakSet<StorageError>()
  /** A write was refused by the storage, and none has succeeded since. */
  inDoubt = false
  /** Failures since the last line of the log, and since the trouble began. */
  #fresh = 0
  #total = 0
  /** The causes that the log has named since the trouble began. */
  readonly #named = new Set<StorageTrouble>()
  #last: StorageError | undefined
  /** Shared by calls that come together. */
  #probing: Promise<void> | undefined
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(readonly log: Log) {}

  /** Writes have failed. Errors that are not of the storage are ignored. */
  refused(error: unknown, count = 1): void {
    if (!(error instanceof StorageError)) return
    this.inDoubt = true
    this.refusedWrites.set(error.kind, (this.refusedWrites.get(error.kind) ?? 0) + count)
    this.#counted.add(error)
    this.#note(error, count)
  }

  failed(error: StorageError): void {
    if (!this.#counted.has(error)) this.#note(error, 1)
  }

  #note(error: StorageError, count: number): void {
    this.#last = error
    this.#total += count
    if (this.#named.has(error.kind)) {
      this.#fresh += count
      return
    }
    this.#named.add(error.kind)
    const cause = error.cause instanceof Error ? error.cause.message : undefined
    this.log.error('the storage fails', { kind: error.kind, reason: error.message, cause })
    this.#timer ??= later(() => this.report())
  }

  /** Called by a timer. */
  report(): void {
    if (this.#fresh === 0) {
      this.log.info('the storage has stopped failing', { failures: this.#total })
      this.stop()
      return
    }
    this.log.error('the storage still fails', {
      kind: this.#last!.kind,
      reason: this.#last!.message,
      failures: this.#fresh,
    })
    this.#fresh = 0
  }

  /**
   * Rejects while the storage accepts no writes: if one was refused before, a small one shows whether that is still so. Another write
   * that succeeds would prove less, because it may have changed nothing.
   */
  async settle(store: Pick<Store, 'write'>): Promise<void> {
    if (!this.inDoubt) return
    await (this.#probing ??= this.#probe(store).finally(() => (this.#probing = undefined)))
  }

  async #probe(store: Pick<Store, 'write'>): Promise<void> {
    const value = uuid()
    await store.write('storage.probe', (tx) =>
      tx
        .insert(serverState)
        .values({ key: 'storage.probe', value })
        .onConflictDoUpdate({ target: serverState.key, set: { value } }),
    )
    this.inDoubt = false
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#named.clear()
    this.#fresh = this.#total = 0
  }
}

function later(report: () => void): ReturnType<typeof setInterval> {
  const timer = setInterval(report, REPORT_MS)
  // It must not keep the process alive.
  timer.unref()
  return timer
}

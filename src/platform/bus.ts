/**
 * Announces committed changes to the parts of the server that listen: caches, sockets and workers. In one process, listeners are called
 * directly. When several processes share a database, `db/engine/pg-bus.ts` carries the events to the others.
 *
 * An event is a hint that something changed; the database is the truth. Payloads are small and consist of ids.
 */

import type { Log } from './log.ts'

/** A kind of event, with the type of its payload (JSON). */
export interface Topic<Payload> {
  /** `domain.whatHappened`. */
  readonly name: string
  /** Only for the compiler. */
  readonly payload?: Payload
}

export const topic = <Payload>(name: string): Topic<Payload> => ({ name })

export interface BusEvent {
  readonly topic: string
  readonly payload: unknown
}

export interface Bus {
  /** The listener must not throw; errors are logged. */
  on<Payload>(of: Topic<Payload>, listener: (payload: Payload) => void): void
  /** Called when events may have been missed, of other processes or of a COMMIT without an answer: caches must then be emptied. */
  onGap(listener: () => void): void
  /**
   * Calls the listeners of all processes at once, outside of any write and without a promise to arrive: for events that are worthless a
   * moment later, such as typing. Changes of rows use `tx.publish`.
   */
  tell<Payload>(of: Topic<Payload>, payload: Payload): void
  /**
   * Resolves when this process has heard of every write, of another process or without an answer, that was committed before the call;
   * undefined if that is so already. Awaited before each request, so that a client whose requests reach different processes sees its own changes.
   */
  caughtUp(): Promise<void> | undefined
  /** Milliseconds since this process last heard of everything that others had committed; 0 if only this process writes. */
  behindMs(): number
  /** Calls the listeners of this process. For the store, after a commit. */
  deliver(events: readonly BusEvent[]): void
}

/** The bus of a single process. */
export function createBus(log: Log): Bus & { readonly gap: () => void } {
  const listeners = new Map<string, ((payload: never) => void)[]>()
  const onGap: (() => void)[] = []

  function guarded(run: () => void, name: string): void {
    try {
      run()
    } catch (error) {
      log.error('a listener of the bus failed', { topic: name, error })
    }
  }

  const bus = {
    on<Payload>({ name }: Topic<Payload>, listener: (payload: Payload) => void) {
      const list = listeners.get(name)
      if (list === undefined) listeners.set(name, [listener])
      else list.push(listener)
    },
    onGap(listener: () => void) {
      onGap.push(listener)
    },
    tell<Payload>({ name }: Topic<Payload>, payload: Payload) {
      bus.deliver([{ topic: name, payload }])
    },
    caughtUp: () => undefined,
    behindMs: () => 0,
    deliver(events: readonly BusEvent[]) {
      for (const { topic: name, payload } of events)
        for (const listener of listeners.get(name) ?? []) guarded(() => listener(payload as never), name)
    },
    gap() {
      for (const listener of onGap) guarded(listener, 'gap')
    },
  }
  return bus
}

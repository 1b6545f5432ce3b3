/** Helpers for tests of stores that share a PostgreSQL database. */

import { counters } from '#db/schema/index.ts'
import type { Store } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

import type { Place } from './fresh.ts'

export const counter = (key: string, n = 0) => ({ key, count: n, windowStart: 0, expiresAt: 0 })
export const changed = topic<number>('test.changed')

/** The payloads of `changed` that a store hears, and how often it heard of a gap. */
export function hear(store: Store) {
  const heard = { events: [] as number[], gaps: 0 }
  store.bus.on(changed, (n) => heard.events.push(n))
  store.bus.onGap(() => heard.gaps++)
  return heard
}

/** Inserts a row with the key `k<n>` and publishes `n`. */
export const publish = (store: Store, n: number): Promise<void> =>
  store.write('test', async (tx) => {
    await tx.insert(counters).values(counter(`k${n}`))
    tx.publish(changed, n)
  })

/** Publishes numbers, one after the other, until it is stopped. Refused ones are skipped. */
export function publisher(store: Store, from: number) {
  let isRunning = true
  const written: number[] = []
  const refused = new Set<string>()
  const ended = (async () => {
    for (let n = from; isRunning; n++)
      await publish(store, n).then(
        () => written.push(n),
        async (error: { name: string; kind: string }) => {
          refused.add(`${error.name} ${error.kind}`)
          await Bun.sleep(5)
        },
      )
  })()
  return {
    written,
    refused,
    async stop() {
      isRunning = false
      await ended
    },
  }
}

/** The numbers of committed writes of `publish`, in ascending order. */
export async function published(place: Place): Promise<number[]> {
  const rows = await place.raw("SELECT substr(key, 2)::int FROM counters WHERE key LIKE 'k%' ORDER BY 1")
  return rows.map(([n]) => Number(n))
}

export const ascending = (list: readonly number[]): number[] => list.toSorted((a, b) => a - b)

/** A promise and the function that resolves it. */
export function latch(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

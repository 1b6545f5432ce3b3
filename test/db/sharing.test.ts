/** Several stores on one PostgreSQL database: events, stamps and the lock. */

import { describe, expect, test } from 'bun:test'

import { counters } from '#db/schema/index.ts'
import type { Store } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

import { onSqlite, type Place, rejection, withPlace } from './fresh.ts'

const counter = (key: string) => ({ key, count: 0, windowStart: 0, expiresAt: 0 })
const changed = topic<number>('test.changed')

/** The payloads of `changed` that a store hears, and how often it heard of a gap. */
function hear(store: Store) {
  const heard = { events: [] as number[], gaps: 0 }
  store.bus.on(changed, (n) => heard.events.push(n))
  store.bus.onGap(() => heard.gaps++)
  return heard
}

const publish = (store: Store, n: number) =>
  store.write('test', async (tx) => {
    await tx.insert(counters).values(counter(`k${n}`))
    tx.publish(changed, n)
  })

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + 60_000
  while (!(await isTrue())) {
    if (performance.now() > endsAt) throw new Error('not true within a minute')
    await Bun.sleep(10)
  }
}

const ascending = (count: number) => Array.from({ length: count }, (_, i) => i)

if (!onSqlite) {
  describe('shared', () => {
    const withTwo = (use: (a: Store, b: Store, place: Place) => Promise<void>) =>
      withPlace(async (place) => {
        const [a, b] = await Promise.all([place.open({ shared: true }), place.open({ shared: true })])
        await use(a, b, place)
      })

    test('an event of a committed write reaches the listeners of each process once, and an event of a failed write none', async () => {
      await withTwo(async (a, b) => {
        const [atA, atB] = [hear(a), hear(b)]
        await Promise.all(ascending(100).map((n) => publish(n % 2 === 0 ? a : b, n)))
        const failed = a.write('test', async (tx) => {
          tx.publish(changed, -1)
          throw new Error('rolled back')
        })
        expect(String(await rejection(failed))).toContain('rolled back')
        await Promise.all([a.bus.caughtUp(), b.bus.caughtUp()])
        await Promise.all([a.bus.caughtUp(), b.bus.caughtUp()])
        const sorted = (list: number[]) => list.toSorted((x, y) => x - y)
        expect(sorted(atA.events)).toEqual(ascending(100))
        expect(sorted(atB.events)).toEqual(ascending(100))
        expect([atA.gaps, atB.gaps]).toEqual([0, 0])
      })
    })
  })
}

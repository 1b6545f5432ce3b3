import { expect, test } from 'bun:test'

import { Stamps } from '#db/engine/stamps.ts'

/** A clock that only a test moves, because stamps are compared to the millisecond. */
class StillClock {
  #now = 1_767_225_600_000
  now(): number {
    return this.#now
  }
  advance(ms: number): void {
    this.#now += ms
  }
}

/** A store's stamps over restarts: `saved` is what the database would hold. */
class Server {
  saved = 0
  #stamps: Stamps

  constructor(readonly clock: StillClock) {
    this.#stamps = new Stamps(clock, 0)
  }

  stamp(): number {
    const mark = this.#stamps.markToSave()
    if (mark !== undefined) this.saved = mark
    const stamp = this.#stamps.next(mark)
    if (mark !== undefined) this.#stamps.markSaved(mark)
    return stamp
  }

  stop(): void {
    this.saved = this.#stamps.last
  }

  start(): void {
    this.#stamps = new Stamps(this.clock, this.saved)
  }
}

test('stamps follow the example of stamps.ts: still increasing after a kill with the clock set back by an hour', () => {
  const clock = new StillClock()
  const server = new Server(clock)
  const ten = clock.now()
  const stamp = (): number => server.stamp() - ten
  expect([stamp(), stamp(), stamp()]).toEqual([0, 1, 2])
  expect(server.saved - ten).toBe(1512)
  clock.advance(1100)
  expect(stamp()).toBe(1100)
  expect(server.saved - ten).toBe(2612)
  clock.advance(-3_600_000 - 1100)
  server.start()
  expect([stamp(), stamp()]).toEqual([2613, 2614])
  clock.advance(3_600_000 + 3000)
  expect(stamp()).toBe(3000)
})

test('a proper stop leaves no gap between the stamps before and after it', () => {
  const clock = new StillClock()
  const server = new Server(clock)
  const last = server.stamp()
  server.stop()
  server.start()
  expect(server.stamp()).toBe(last + 1)
})

test('the stamp mark is saved about once a second and not with every stamp', () => {
  const clock = new StillClock()
  const server = new Server(clock)
  const marks = new Set<number>()
  for (let i = 0; i < 1000; i++) {
    server.stamp()
    marks.add(server.saved)
    clock.advance(10)
  }
  expect(marks.size).toBeGreaterThanOrEqual(9)
  expect(marks.size).toBeLessThanOrEqual(11)
})

/** Rates that several processes count together by reports to each other. */

import { expect, test } from 'bun:test'

import { createBus } from '#platform/bus.ts'
import { createLimiter } from '#platform/limiter.ts'
import { type Others, ReportingLimiter } from '#platform/reporting-limiter.ts'

import { memoryLog } from '../db/fresh.ts'

const MINUTE = 60_000

/** Limiters of as many processes. `cut` ends the delivery between them. */
function processes(count: number) {
  // It does not run: a busy machine changes nothing.
  let time = 1_800_000_000_000
  // Those of machines differ.
  const clocks = Array.from({ length: count }, (_, i) => ({ now: () => time + i * 5000 }))
  const buses = Array.from({ length: count }, () => createBus(memoryLog()))
  let isCut = false
  /** Those with counts. */
  let messages = 0
  const limiters = buses.map((own, i) => {
    const others: Others = { id: `process ${i}`, alive: count }
    const bus: Pick<typeof own, 'on' | 'tell'> = {
      on: own.on,
      tell({ name: topic }, payload) {
        messages += (payload as { counts: unknown[] }).counts.length > 0 ? 1 : 0
        for (const bus of isCut ? [own] : buses) bus.deliver([{ topic, payload: structuredClone(payload) }])
      },
    }
    const clock = clocks[i]!
    return new ReportingLimiter(createLimiter(clock), bus, others, clock.now)
  })
  /** Twice: after the first time all have heard each other. */
  const tick = () => {
    for (let round = 0; round < 2; round++) for (const one of limiters) one.tick()
  }
  return {
    advance: (ms: number) => (time += ms),
    limiters,
    tick,
    cut: () => (isCut = true),
    messages: () => messages,
    stop: () => limiters.forEach((one) => one.stop()),
  }
}

/** Uses in turns at all processes that were granted, with turns of the event loop between them. */
async function granted(
  limiters: readonly ReportingLimiter[],
  key: string,
  limit: number,
  tries: number,
): Promise<number> {
  let n = 0
  for (let i = 0; i < tries; i++) {
    if (limiters[i % limiters.length]!.take(key, limit, MINUTE) === 0) n += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  return n
}

test.each([2, 3, 5])(
  '%i processes that hear each other grant a limit together, and at most an eighth more',
  async (count) => {
    const { limiters, tick, advance, messages, stop } = processes(count)
    tick()
    for (const limit of [1, 60, 300, 1200]) {
      const before = messages()
      const n = await granted(limiters, `key ${limit}`, limit, limit * 2)
      expect(n).toBeGreaterThanOrEqual(limit)
      expect(n).toBeLessThanOrEqual(Math.floor(limit * 1.125) || 1)
      // Not one for each use.
      expect(messages() - before).toBeLessThanOrEqual(9 * count * 2)
    }
    advance(MINUTE)
    tick()
    expect(await granted(limiters, 'key 60', 60, 60)).toBe(60)
    stop()
  },
)

test('a limit of a few seconds holds although the clocks of two processes are farther apart', async () => {
  const { limiters, tick, stop } = processes(2)
  tick()
  for (const key of ['typing of one user', 'typing of another']) {
    expect(limiters[0]!.take(key, 1, 3000)).toBe(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(limiters[1]!.take(key, 1, 3000)).toBe(3)
    limiters.reverse()
  }
  stop()
})

test('all uses of one process leave nearly nothing to the others', async () => {
  const {
    limiters: [first, second],
    tick,
    stop,
  } = processes(2)
  tick()
  expect(await granted([first!], 'address', 300, 400)).toBe(300)
  expect(await granted([second!], 'address', 300, 400)).toBeLessThanOrEqual(300 / 16)
  stop()
})

test.each([
  [2, 150],
  [3, 100],
  [8, 75],
])('each of %i processes that hear nobody grants its share, at least a quarter', async (count, share) => {
  const { limiters, cut, tick, stop } = processes(count)
  cut()
  tick()
  for (const one of limiters) expect(await granted([one], 'address', 300, 400)).toBe(share)
  for (const one of limiters) expect(one.share(300)).toBe(share)
  stop()
})

test('a process without others grants the whole limit and reports nothing', async () => {
  const { limiters, tick, messages, stop } = processes(1)
  tick()
  expect(await granted(limiters, 'address', 300, 400)).toBe(300)
  expect(messages()).toBe(0)
  stop()
})

import { describe, expect, test } from 'bun:test'

import { type Load, ReadCache } from '#lib/read-cache.ts'

/** A cache over a source that answers when the test says so. `time.now` starts at 1000; values may be used for 100 ms. */
function slowSource(options: { max?: number } = {}) {
  const time = { now: 1000 }
  const waiting: { key: number; load: Load; answer(value: string | undefined): void; fail(error: Error): void }[] = []
  const cache = new ReadCache<number, string>({
    max: options.max ?? 10,
    maxAge: 100,
    now: () => time.now,
    load: (key, load) =>
      new Promise((resolve, reject) => {
        waiting.push({ key, load, answer: resolve, fail: reject })
      }),
  })
  return { cache, waiting, time }
}

describe('ReadCache', () => {
  test('concurrent fetches of one key share one load, and the value is cached', async () => {
    const { cache, waiting } = slowSource()
    const asked = [cache.fetch(1), cache.fetch(1), cache.fetch(1)]
    expect(waiting).toHaveLength(1)
    waiting[0]!.answer('a')
    expect(await Promise.all(asked)).toEqual(['a', 'a', 'a'])
    expect(cache.get(1)).toBe('a')
  })

  test('a cached value expires after its maximum age, and is not used if the clock goes back', async () => {
    const { cache, waiting, time } = slowSource()
    const asked = cache.fetch(1)
    waiting[0]!.answer('a')
    await asked
    time.now = 1099
    expect(cache.get(1)).toBe('a')
    time.now = 1100
    expect(cache.get(1)).toBeUndefined()
    time.now = 999
    expect(cache.get(1)).toBeUndefined()
  })

  test('the age of a cached value counts from the start of its load', async () => {
    const { cache, waiting, time } = slowSource()
    const asked = cache.fetch(1)
    time.now = 1060
    waiting[0]!.answer('a')
    await asked
    expect(cache.readAt(1)).toBe(1000)
    time.now = 1099
    expect(cache.get(1)).toBe('a')
    time.now = 1100
    expect(cache.get(1)).toBeUndefined()
  })

  test('a load that used an older value makes its own value as old as that', async () => {
    const { cache, waiting, time } = slowSource()
    const asked = cache.fetch(1)
    waiting[0]!.load.readAt = 950
    waiting[0]!.answer('a')
    await asked
    expect(cache.readAt(1)).toBe(950)
    time.now = 1049
    expect(cache.get(1)).toBe('a')
    time.now = 1050
    expect(cache.get(1)).toBeUndefined()
  })

  test('a value that was read before drop or clear is not cached', async () => {
    for (const change of ['drop', 'clear'] as const) {
      const { cache, waiting } = slowSource()
      const before = cache.fetch(1)
      change === 'drop' ? cache.drop(1) : cache.clear()
      const after = cache.fetch(1)
      expect(waiting).toHaveLength(2)
      // The later load ends first, the stale one after it.
      waiting[1]!.answer('new')
      expect(await after).toBe('new')
      waiting[0]!.answer('old')
      expect(await before).toBe('old')
      expect(cache.get(1)).toBe('new')
    }
  })

  test('a stale load that ends first is not cached, and later callers still share the new load', async () => {
    const { cache, waiting } = slowSource()
    const before = cache.fetch(1)
    cache.drop(1)
    const after = cache.fetch(1)
    waiting[0]!.answer('old')
    await before
    expect(cache.get(1)).toBeUndefined()
    const shared = cache.fetch(1)
    expect(waiting).toHaveLength(2)
    waiting[1]!.answer('new')
    expect([await after, await shared]).toEqual(['new', 'new'])
  })

  test('dropping one key leaves the others', async () => {
    const { cache, waiting } = slowSource()
    const asked = [cache.fetch(1), cache.fetch(2)]
    for (const { key, answer } of waiting) answer(`value ${key}`)
    await Promise.all(asked)
    cache.drop(1)
    expect(cache.get(1)).toBeUndefined()
    expect(cache.readAt(1)).toBeUndefined()
    expect(cache.get(2)).toBe('value 2')
  })

  test('neither failed loads nor missing values are cached', async () => {
    const { cache, waiting } = slowSource()
    const failing = cache.fetch(1)
    waiting[0]!.fail(new Error('no connection'))
    await expect(failing).rejects.toThrow('no connection')
    const missing = cache.fetch(1)
    waiting[1]!.answer(undefined)
    expect(await missing).toBeUndefined()
    void cache.fetch(1)
    expect(waiting).toHaveLength(3)
  })

  test('the cache holds at most `max` values and removes the least recently used one', async () => {
    const { cache, waiting } = slowSource({ max: 2 })
    for (const key of [1, 2]) {
      const asked = cache.fetch(key)
      waiting.at(-1)!.answer('x')
      await asked
    }
    cache.get(1)
    const third = cache.fetch(3)
    waiting.at(-1)!.answer('x')
    await third
    expect([1, 2, 3].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true])
  })
})

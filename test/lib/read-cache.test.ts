import { describe, expect, test } from 'bun:test'

import { ReadCache } from '#lib/read-cache.ts'

interface Entry {
  readAt: number
  value: string
}

/** A cache over a source whose answers come when the test says so. */
function slowSource(options: { max?: number } = {}) {
  const waiting: { key: number; answer(value: string | undefined): void; fail(error: Error): void }[] = []
  const cache = new ReadCache<number, Entry>({
    max: options.max ?? 10,
    maxAge: 100,
    load: (key) =>
      new Promise((resolve, reject) => {
        waiting.push({
          key,
          answer: (value) => resolve(value === undefined ? undefined : { readAt: 1000, value }),
          fail: reject,
        })
      }),
  })
  return { cache, waiting }
}

describe('read cache', () => {
  test('loads once for all who ask at the same time, then answers at once', async () => {
    const { cache, waiting } = slowSource()
    const asked = [cache.fetch(1), cache.fetch(1), cache.fetch(1)]
    expect(waiting).toHaveLength(1)
    waiting[0]!.answer('a')
    expect((await Promise.all(asked)).map((entry) => entry?.value)).toEqual(['a', 'a', 'a'])
    expect(cache.get(1, 1000)?.value).toBe('a')
  })

  test('forgets with age, and when the clock went back', async () => {
    const { cache, waiting } = slowSource()
    const asked = cache.fetch(1)
    waiting[0]!.answer('a')
    await asked
    expect(cache.get(1, 1099)?.value).toBe('a')
    expect(cache.get(1, 1100)).toBeUndefined()
    expect(cache.get(1, 999)).toBeUndefined()
  })

  test('does not keep what was read before a change', async () => {
    for (const change of ['drop', 'clear'] as const) {
      const { cache, waiting } = slowSource()
      const before = cache.fetch(1)
      change === 'drop' ? cache.drop(1) : cache.clear()
      const after = cache.fetch(1)
      expect(waiting).toHaveLength(2)
      // The later load ends first, the stale one after it.
      waiting[1]!.answer('new')
      expect((await after)?.value).toBe('new')
      waiting[0]!.answer('old')
      expect((await before)?.value).toBe('old')
      expect(cache.get(1, 1000)?.value).toBe('new')
    }
  })

  test('a stale load that ends first is not kept either, and does not end the sharing of the new one', async () => {
    const { cache, waiting } = slowSource()
    const before = cache.fetch(1)
    cache.drop(1)
    const after = cache.fetch(1)
    waiting[0]!.answer('old')
    await before
    expect(cache.get(1, 1000)).toBeUndefined()
    const shared = cache.fetch(1)
    expect(waiting).toHaveLength(2)
    waiting[1]!.answer('new')
    expect([(await after)?.value, (await shared)?.value]).toEqual(['new', 'new'])
  })

  test('dropping one key leaves the others', async () => {
    const { cache, waiting } = slowSource()
    const asked = [cache.fetch(1), cache.fetch(2)]
    for (const { key, answer } of waiting) answer(`value ${key}`)
    await Promise.all(asked)
    cache.drop(1)
    expect(cache.get(1, 1000)).toBeUndefined()
    expect(cache.get(2, 1000)?.value).toBe('value 2')
  })

  test('keeps neither failures nor what does not exist', async () => {
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

  test('holds at most `max`, dropping what was used longest ago', async () => {
    const { cache, waiting } = slowSource({ max: 2 })
    for (const key of [1, 2]) {
      const asked = cache.fetch(key)
      waiting.at(-1)!.answer('x')
      await asked
    }
    cache.get(1, 1000)
    const third = cache.fetch(3)
    waiting.at(-1)!.answer('x')
    await third
    expect([1, 2, 3].map((key) => cache.get(key, 1000) !== undefined)).toEqual([true, false, true])
  })
})

import { expect, test } from 'bun:test'

import { sortInSteps } from '#lib/sort-in-steps.ts'

test('sortInSteps sorts as Array.sort does, and keeps the order of equal items', async () => {
  for (const length of [0, 1, 2, 1999, 2000, 2001, 6001, 20_000]) {
    const items = Array.from({ length }, (_, i) => ({ key: (i * 7919) % 101, i }))
    const compare = (a: { key: number }, b: { key: number }) => a.key - b.key
    expect(await sortInSteps(items, compare)).toEqual(items.toSorted(compare))
  }
})

test('sortInSteps lets other work run after each 2000 items', async () => {
  let turns = 0
  let ended = false
  const count = () => {
    turns += 1
    if (!ended) setImmediate(count)
  }
  setImmediate(count)
  await sortInSteps(
    Array.from({ length: 40_000 }, (_, i) => (i * 7919) % 40_009),
    (a, b) => a - b,
  )
  ended = true
  expect(turns).toBeGreaterThan(60)
})

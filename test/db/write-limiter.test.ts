import { expect, test } from 'bun:test'

import { writeLimiter } from '#db/engine/write-limiter.ts'

import { rejection } from './fresh.ts'

const conflict = new Error('conflict')
const isConflict = (error: unknown): boolean => error === conflict

/** Lets the limiter start the attempts that it allows. */
const settled = (): Promise<void> => new Promise((next) => setImmediate(next))

/** Attempts that end when the test ends them. */
class Attempts {
  readonly running: { name: string; end: PromiseWithResolvers<void> }[] = []

  start = (name: string) => (): Promise<string> => {
    const end = Promise.withResolvers<void>()
    this.running.push({ name, end })
    return end.promise.then(() => name)
  }

  async end(name: string, error?: Error): Promise<void> {
    const [attempt] = this.running.splice(
      this.running.findIndex((running) => running.name === name),
      1,
    )
    if (error) attempt!.end.reject(error)
    else attempt!.end.resolve()
    await settled()
  }

  names(): string[] {
    return this.running.map(({ name }) => name)
  }
}

test('the write limiter runs as many writes at once as its maximum, and the others in order after them', async () => {
  const attempts = new Attempts()
  const limiter = writeLimiter(2)
  const all = ['a', 'b', 'c', 'd'].map((name) => limiter.run(attempts.start(name), isConflict, 5))
  await settled()
  expect(attempts.names()).toEqual(['a', 'b'])
  await attempts.end('b')
  expect(attempts.names()).toEqual(['a', 'c'])
  for (const name of ['a', 'c', 'd']) await attempts.end(name)
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

test('a conflict halves the write limit, and the conflicting write is retried before those that wait', async () => {
  const attempts = new Attempts()
  const limiter = writeLimiter(4)
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => limiter.run(attempts.start(name), isConflict, 5))
  await settled()
  await attempts.end('b', conflict)
  // The limit is 2, and three are still running.
  expect(attempts.names()).toEqual(['a', 'c', 'd'])
  await attempts.end('a')
  await attempts.end('c')
  expect(attempts.names()).toEqual(['d', 'b'])
  for (const name of ['b', 'd', 'e']) await attempts.end(name)
  await Promise.all(all)
})

test('a write that takes long does not keep the others waiting, but the maximum holds for it too', async () => {
  const attempts = new Attempts()
  const limiter = writeLimiter(2, 20)
  const conflicting = limiter.run(attempts.start('a'), isConflict, 5)
  await settled()
  await attempts.end('a', conflict)
  await attempts.end('a')
  await conflicting
  // The limit is 1.
  const all = ['slow', 'b', 'c'].map((name) => limiter.run(attempts.start(name), isConflict, 5))
  await settled()
  expect(attempts.names()).toEqual(['slow'])
  while (attempts.names().length === 1) await Bun.sleep(5)
  expect(attempts.names()).toEqual(['slow', 'b'])
  await Bun.sleep(60)
  expect(attempts.names()).toEqual(['slow', 'b'])
  for (const name of ['b', 'c', 'slow']) await attempts.end(name)
  expect(await Promise.all(all)).toEqual(['slow', 'b', 'c'])
})

test('about 20 successes raise the write limit by one again', async () => {
  const attempts = new Attempts()
  const limiter = writeLimiter(2)
  const run = (name: string) => limiter.run(attempts.start(name), isConflict, 5)
  const runningOfTwo = async (): Promise<string[]> => {
    const both = [run('x'), run('y')]
    await settled()
    const running = attempts.names()
    for (const name of ['x', 'y']) await attempts.end(name)
    await Promise.all(both)
    return running
  }
  const conflicting = run('a')
  await settled()
  await attempts.end('a', conflict)
  await attempts.end('a')
  await conflicting
  // The limit is 1, and the retry was the first success.
  for (let successes = 1; successes < 19; successes += 2) expect(await runningOfTwo()).toEqual(['x'])
  await runningOfTwo()
  expect(await runningOfTwo()).toEqual(['x', 'y'])
})

test('the write limiter gives up after the given number of attempts, and at once on any error other than a conflict', async () => {
  const limiter = writeLimiter(2)
  let attempts = 0
  const failing = (error: Error) => () => {
    attempts++
    return Promise.reject(error)
  }
  expect(await rejection(limiter.run(failing(conflict), isConflict, 3))).toBe(conflict)
  expect(attempts).toBe(3)
  const other = new Error('other')
  expect(await rejection(limiter.run(failing(other), isConflict, 3))).toBe(other)
  expect(attempts).toBe(4)
  // Its place is free again.
  expect(await limiter.run(() => Promise.resolve('next'), isConflict, 1)).toBe('next')
})

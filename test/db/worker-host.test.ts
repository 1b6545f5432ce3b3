import { afterEach, expect, test } from 'bun:test'

import { WorkerHost } from '#db/engine/worker-host.ts'

import { rejection } from './fresh.ts'
import type { TestTask } from './tasks.worker.ts'

const url = new URL('./tasks.worker.ts', import.meta.url).href
const hosts: WorkerHost<TestTask, unknown>[] = []

function host(idleMs?: number): WorkerHost<TestTask, unknown> {
  const created = new WorkerHost<TestTask, unknown>(url, idleMs)
  hosts.push(created)
  return created
}

afterEach(() => {
  for (const created of hosts.splice(0)) created.stop()
})

test('each of many concurrent worker tasks gets its own answer', async () => {
  const worker = host()
  const values = Array.from({ length: 100 }, (_, i) => ({ i, text: `第 ${i}` }))
  expect(await Promise.all(values.map((value) => worker.run({ kind: 'echo', value })))).toEqual(values)
})

test('a worker task that fails rejects with message and code, and the worker goes on working', async () => {
  const worker = host()
  const before = await worker.run({ kind: 'instance' })
  const error = await rejection(worker.run({ kind: 'fail', code: 'SQLITE_BUSY', message: 'database is locked' }))
  expect(error).toMatchObject({ code: 'SQLITE_BUSY', message: 'database is locked' })
  expect(await worker.run({ kind: 'instance' })).toBe(before)
})

test('a crash of the worker rejects all pending tasks, and the next task starts a new worker', async () => {
  const worker = host()
  const before = await worker.run({ kind: 'instance' })
  const pending = [worker.run({ kind: 'never answer' }), worker.run({ kind: 'crash' })]
  for (const error of await Promise.all(pending.map(rejection)))
    expect((error as Error).message).toMatch(/^the worker failed: .*crashed on purpose/s)
  expect(await worker.run({ kind: 'instance' })).not.toBe(before)
})

test('stopping the worker host rejects pending tasks with the given reason, and the next task starts a new worker', async () => {
  const worker = host()
  const before = await worker.run({ kind: 'instance' })
  const pending = worker.run({ kind: 'never answer' })
  worker.stop(new Error('the store is closed'))
  expect(await rejection(pending)).toHaveProperty('message', 'the store is closed')
  expect(await worker.run({ kind: 'instance' })).not.toBe(before)
})

test('a worker without tasks is ended after its idle time', async () => {
  const worker = host(1)
  const before = await worker.run({ kind: 'instance' })
  let now = before
  while (now === before) {
    await Bun.sleep(5)
    now = await worker.run({ kind: 'instance' })
  }
  expect(now).not.toBe(before)
})

test('a worker with a pending task is not ended, however short its idle time', async () => {
  const worker = host(1)
  const pending = worker.run({ kind: 'never answer' })
  const before = await worker.run({ kind: 'instance' })
  await Bun.sleep(20)
  expect(await worker.run({ kind: 'instance' })).toBe(before)
  worker.stop()
  await rejection(pending)
})

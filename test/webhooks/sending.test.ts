import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { note } from '#db/notes.ts'
import { networkOf } from '#domains/webhooks/index.ts'

import { inProcess, ok, type Person, startServer, type TestServer, until } from '../harness/index.ts'
import { attempts, DAY, deliveries, delivery, hook, hookAt, hookOf, HOUR, later, MINUTE } from './helpers.ts'
import { type Receiver, startReceiver, verify } from './receiver.ts'

let receiver: Receiver
let server: TestServer
let alice: Person
let orgId: number

beforeAll(async () => {
  receiver = startReceiver()
  server = await startServer({ config: { privateTargets: [receiver.origin] } })
  alice = await server.person('alice')
  orgId = ok(await alice.call('orgs.create', { body: { name: 'Library' } })).data.id
})
// At most 20 for an organization.
afterEach(async () => {
  const { items } = ok(await alice.call('webhooks.list', { query: { orgId, size: 100 } })).data
  for (const { id } of items) ok(await alice.call('webhooks.delete', { params: { id } }))
})
afterAll(async () => {
  await server?.stop()
  await receiver?.stop()
})

const newAsset = async (name = 'Projector') => ok(await alice.call('assets.create', { body: { name, orgId } })).data
const onAssets = () => hook(alice, receiver, { events: ['asset.created'], orgId })
const test1 = (id: number) => alice.call('webhooks.test', { params: { id } })

test('A webhook gets the row of a new asset, signed as Standard Webhooks says', async () => {
  const { url, secret, id } = await onAssets()
  const asset = await newAsset()
  const [first] = await receiver.next(url)
  expect(first!.event).toEqual({
    type: 'asset.created',
    timestamp: new Date(asset.createdAt).toISOString(),
    data: { ...asset, values: [] },
    id: first!.headers['webhook-id'],
    orgId,
    schemaVersion: 1,
    sequence: 1,
  })
  expect(first!.headers['content-type']).toBe('application/json')
  verify(secret, first!)
  expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, first!)).toThrow()
  const delivered = await attempts(alice, id, 1)
  expect(delivered).toMatchObject({ event: 'asset.created', sequence: 1, status: 'DELIVERED', nextAttemptAt: null })
  const path = { id, deliveryId: delivered.id }
  const { data } = ok(await alice.call('webhooks.delivery', { params: path }))
  // Of a private target nothing is kept.
  expect(data).toMatchObject({ body: first!.text, answer: null })
})

test('Sequences of a webhook have no gaps, with 50 changes at once', async () => {
  const { url } = await onAssets()
  await Promise.all(Array.from({ length: 50 }, (_, i) => newAsset(`Chair ${i}`)))
  const got = await receiver.next(url, 50)
  const numbers = got.map(({ event }) => event.sequence as number).toSorted((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(50)
  expect(Math.max(...got.map(({ atOnce }) => atOnce))).toBeLessThanOrEqual(4)
})

test('Both secrets sign for a day after a rotation', async () => {
  const { id, url, secret } = await onAssets()
  const { secret: next } = ok(await alice.call('webhooks.renewSecret', { params: { id } })).data
  expect(next).not.toBe(secret)
  ok(await test1(id))
  const [both] = await receiver.next(url)
  verify(secret, both!)
  verify(next, both!)
})

test.if(inProcess)('The old secret no longer signs after a day', async () => {
  const { id, url, secret } = await onAssets()
  ok(await alice.call('webhooks.renewSecret', { params: { id } }))
  later(server, DAY + MINUTE)
  ok(await test1(id))
  const [one] = await receiver.next(url)
  expect(one!.headers['webhook-signature']!.split(' ')).toHaveLength(1)
  expect(() => verify(secret, one!)).toThrow()
})

describe.if(inProcess)('A receiver that', () => {
  test('answers 500 for an hour gets the event later, with the same id and another timestamp', async () => {
    const { id, url } = await onAssets()
    receiver.answer(url, () => new Response('no', { status: 500 }))
    await newAsset()
    // 5 s, 30 s, 2 min, 10 min, 30 min: each at most 10 % more.
    for (const [i, pause] of [5_500, 33_000, 2.2 * MINUTE, 11 * MINUTE, 33 * MINUTE].entries()) {
      const failed = await attempts(alice, id, i + 1)
      expect(failed).toMatchObject({ status: 'PENDING' })
      expect(failed.attempts.at(-1)).toMatchObject({ status: 500, error: 'HTTP 500' })
      later(server, pause)
    }
    const last = await attempts(alice, id, 6)
    expect(last.nextAttemptAt! - last.attempts.at(-1)!.at).toBeGreaterThan(0.89 * HOUR)
    receiver.answer(url, () => new Response('yes'))
    later(server, 1.2 * HOUR)
    expect(await attempts(alice, id, 7)).toMatchObject({ status: 'DELIVERED', nextAttemptAt: null })
    const ids = receiver.at(url).map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    expect(new Set(receiver.at(url).map(({ headers }) => headers['webhook-timestamp'])).size).toBeGreaterThan(4)
  })

  test('never takes an event lets it fail after eleven attempts', async () => {
    const { id, url } = await onAssets()
    receiver.answer(url, () => new Response(null, { status: 503 }))
    await newAsset()
    for (const [i, hours] of [0, 0, 0, 0.2, 0.6, 1.1, 2.2, 4.4, 8.8, 8.8].entries()) {
      await attempts(alice, id, i + 1)
      later(server, hours * HOUR + 3 * MINUTE)
    }
    expect(await attempts(alice, id, 11)).toMatchObject({ status: 'FAILED', nextAttemptAt: null })
    expect(await hookOf(alice, id)).toMatchObject({ pending: 0, enabled: true })
  })

  test('asks for a pause gets it, up to an hour', async () => {
    const { id, url } = await onAssets()
    for (const [asked, kept] of [
      ['600', 10 * MINUTE],
      ['90000', HOUR],
      // A date has whole seconds.
      [new Date(Date.now() + 10 * MINUTE + 1000).toUTCString(), 10 * MINUTE],
    ] as const) {
      receiver.answer(url, () => new Response(null, { status: 503, headers: { 'retry-after': asked } }))
      const asset = await newAsset()
      const got = await delivery(alice, id, (one) => one.createdAt >= asset.createdAt && one.attempts.length > 0)
      const pause = got.nextAttemptAt! - got.attempts[0]!.at
      expect(pause).toBeGreaterThanOrEqual(kept)
      expect(pause).toBeLessThan(kept + MINUTE)
    }
  })

  test('redirects is not followed', async () => {
    const { id, url } = await onAssets()
    const trap = receiver.newUrl()
    receiver.answer(url, () => Response.redirect(trap, 307))
    ok(await test1(id))
    expect(await attempts(alice, id, 1)).toMatchObject({ status: 'PENDING', attempts: [{ status: 307 }] })
    expect(receiver.at(trap)).toEqual([])
  })

  test('answers 410 switches its webhook off at once, and notifies its maker', async () => {
    const { id, url } = await onAssets()
    receiver.answer(url, () => new Response(null, { status: 410 }))
    ok(await test1(id))
    await until(async () => !(await hookOf(alice, id)).enabled)
    expect(await hookOf(alice, id)).toMatchObject({ enabled: false, disabledReason: 'GONE', pending: 0 })
    expect((await deliveries(alice, id))[0]).toMatchObject({ status: 'FAILED' })
    const notes = ok(await alice.call('notifications.list', { query: { size: 5 } })).data.items
    expect(notes[0]!.title).toBe('A webhook was switched off')
    await newAsset()
    expect(await deliveries(alice, id)).toHaveLength(1)
    expect((await test1(id)).status).toBe(400)
    ok(await alice.call('webhooks.update', { params: { id }, body: { enabled: true } }))
    expect(await hookOf(alice, id)).toMatchObject({ enabled: true, disabledReason: null })
  })

  test('sends a gigabyte is not read to its end', async () => {
    const { id, url } = await onAssets()
    let sent = 0
    const chunk = new Uint8Array(64 * 1024)
    receiver.answer(
      url,
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              if (sent >= 2 ** 30) return controller.close()
              sent += chunk.length
              controller.enqueue(chunk)
            },
          }),
        ),
    )
    ok(await test1(id))
    expect(await attempts(alice, id, 1)).toMatchObject({ status: 'DELIVERED' })
    expect(sent).toBeLessThan(2 ** 28)
  })

  test('is slow or dead keeps no other waiting', async () => {
    const slow = await Promise.all(Array.from({ length: 10 }, onAssets))
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    for (const { url } of slow)
      receiver.answer(url, async () => {
        await released
        return new Response('late')
      })
    const fast = await onAssets()
    // More than all places: four for each of ten.
    for (let i = 0; i < 6; i++) await newAsset(`Lamp ${i}`)
    await receiver.next(fast.url, 6)
    release()
    for (const { url } of slow) {
      await receiver.next(url, 6)
      expect(Math.max(...receiver.at(url).map(({ atOnce }) => atOnce))).toBeLessThanOrEqual(4)
    }
  })

  test('fails 20 times in a row and has taken nothing for three days loses its webhook', async () => {
    const { id, url } = await onAssets()
    receiver.answer(url, () => new Response(null, { status: 500 }))
    for (let i = 0; i < 2; i++) await newAsset()
    const tried = (n: number) =>
      until(async () => (await deliveries(alice, id)).every((one) => one.attempts.length >= n))
    for (let n = 1; n <= 9; n++) {
      await tried(n)
      later(server, 9 * HOUR)
    }
    // 81 hours and 20 failures.
    await until(async () => (await hookOf(alice, id)).disabledReason === 'FAILING')
  })
})

describe.if(inProcess)('An address', () => {
  test('that is private when its name is resolved is not connected to', async () => {
    const asked: string[] = []
    // The first look fails, and the second one leads inside.
    const resolve = async (host: string) => {
      if (asked.push(host) === 1) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return ['1.1.1.1', '127.0.0.1']
    }
    Object.assign(networkOf(server.ctx), { resolve })
    const { id } = await hookAt(alice, 'https://rebinding.example.org/hook', { orgId })
    ok(await test1(id))
    const { attempts: once } = await attempts(alice, id, 1)
    expect(once).toMatchObject([{ status: null, error: 'no connection (ENOTFOUND)' }])
    later(server, 6000)
    const [, second] = (await attempts(alice, id, 2)).attempts
    expect(second).toMatchObject({ status: null, error: 'the address is not public' })
    expect(asked).toEqual(['rebinding.example.org', 'rebinding.example.org'])
    Object.assign(networkOf(server.ctx), { resolve: undefined })
  })
})

test.if(inProcess)('10,000 events at once are sent in the order of their sequences, a few at a time', async () => {
  const { id, url } = await onAssets()
  await tellOf(2500, 4)
  // All of them take half a minute of the processor.
  const got = (await receiver.next(url, 500)).map(({ event }) => event.sequence as number)
  expect(new Set(got).size).toBe(got.length)
  for (const [i, sequence] of got.entries()) expect(Math.abs(sequence - 1 - i)).toBeLessThan(8)
  expect(await hookOf(alice, id)).toMatchObject({ enabled: true, disabledReason: null })
})

test.if(inProcess)('A write with more than 5,000 events of a type is one event', async () => {
  const { url } = await onAssets()
  await tellOf(5001, 1)
  const [only] = await receiver.next(url)
  expect(only!.event).toMatchObject({ type: 'asset.batch', data: { event: 'asset.created', count: 5001 } })
})

test.if(inProcess)(
  'More than 10,000 waiting deliveries switch a webhook off, and are sent when it is on again',
  async () => {
    const { id, url } = await onAssets()
    let isDown = true
    receiver.answer(url, () => new Response(null, { status: isDown ? 500 : 200 }))
    await tellOf(3500, 3)
    await until(async () => (await hookOf(alice, id)).disabledReason === 'QUEUE_FULL')
    const { pending } = await hookOf(alice, id)
    expect(pending).toBeGreaterThan(10_000)
    isDown = false
    ok(await alice.call('webhooks.update', { params: { id }, body: { enabled: true } }))
    await until(async () => (await hookOf(alice, id)).pending < pending - 100)
    ok(await alice.call('webhooks.delete', { params: { id } }))
  },
)

/** `writes` writes with so many events each. */
async function tellOf(events: number, writes: number): Promise<void> {
  for (let n = 0; n < writes; n++)
    await server.ctx.db.write('test', async (tx) => {
      for (let i = 1; i <= events; i++) {
        const id = n * events + i
        note(tx, { type: 'asset.created', owner: orgId, id, data: { id, name: 'Chair' } })
      }
    })
}

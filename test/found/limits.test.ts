/** Limits of messages of finders, keys of pages, mails, and how long everything is kept. */

import { describe, expect, test } from 'bun:test'

import { count, like } from 'drizzle-orm'

import { foundCleanUps, foundMessages, foundReports } from '#db/schema/found.ts'
import { counters } from '#db/schema/settings.ts'
import { jobs } from '#domains/found/clean-up.service.ts'
import { insertReport } from '#domains/found/reports/reports.store.ts'

import { useWorld } from '../accounts/helpers.ts'
import { deleteAsset } from '../assets/helpers.ts'
import { inProcess, ok, race, type TestServer, until, useServer } from '../harness/index.ts'
import {
  DAY,
  findableAsset,
  findableCode,
  formOf,
  fromNewAddress,
  keyOf,
  newestReport,
  readThread,
  report,
  reportsOf,
  sendWith,
  writeThread,
} from './helpers.ts'

const runJob = ({ ctx }: TestServer, name: string) => jobs.find((job) => job.name === name)!.run(ctx)

const statusesOf = (replies: readonly { status: number }[]) =>
  Object.fromEntries(
    Map.groupBy(replies, (r) => r.status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  )

describe('a key', () => {
  const { server, alice } = useServer({ people: ['alice'] })

  test('works once, also when it is sent many times at once', async () => {
    const asset = await findableAsset(alice)
    const key = await keyOf(server, asset)
    const replies = await race(12, () => sendWith(server, key, { message: 'found' }))
    expect(statusesOf(replies)).toEqual({ 200: 1, 400: 11 })
    expect(replies.find((r) => r.status === 400)!.message).toContain('open the page again')
    expect(await reportsOf(alice)).toHaveLength(1)
  })

  test('that was altered, made up or made for another purpose is refused', async () => {
    const key = await keyOf(server, await findableAsset(alice))
    const before = (await reportsOf(alice)).length
    const flip = (at: number) => key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1)
    const others = [flip(0), flip(30), flip(key.length - 3), key.slice(4), 'x', 'x'.repeat(400)]
    if (inProcess) others.push(server.ctx.seal.seal('other ASSET 1 0 x'), server.ctx.seal.seal('found FILE 1 0 x'))
    for (const other of others) expect((await sendWith(server, other, { message: 'found' })).status).toBe(400)
    expect(await reportsOf(alice)).toHaveLength(before)
  })

  test('is for one thing, whose page must still show the card', async () => {
    const code = await findableCode(alice)
    const key = await keyOf(server, code)
    ok(await alice.put(`/api/qr-codes/${code.id}`, { isPublic: false }))
    expect((await sendWith(server, key, { message: 'found' })).status).toBe(400)
    ok(await alice.put(`/api/qr-codes/${code.id}`, { isPublic: true }))
    ok(await alice.call('found.updateCodeCard', { params: { id: code.id }, body: { when: 'OFF' } }))
    expect((await sendWith(server, key, { message: 'found' })).status).toBe(400)
    ok(await alice.call('found.updateCodeCard', { params: { id: code.id }, body: { when: 'ALWAYS' } }))
    // Refused requests have not used it up.
    ok(await sendWith(server, key, { message: 'found' }))
    expect((await newestReport(alice)).targetId).toBe(code.id)
  })

  test.if(inProcess)('is refused within two seconds and after two hours', async () => {
    const asset = await findableAsset(alice)
    const early = await sendWith(server, (await formOf(server, asset))!.key, { message: 'found' })
    expect([early.status, early.message]).toEqual([400, 'This was sent too fast: wait two seconds and send it again'])
    const [late, intime] = [await keyOf(server, asset), await keyOf(server, asset)]
    server.clock.advance(DAY / 12 - 60_000)
    ok(await sendWith(server, intime, { message: 'found' }))
    server.clock.advance(60_000)
    expect((await sendWith(server, late, { message: 'found' })).status).toBe(400)
  })
})

describe('finders', () => {
  const { server, alice } = useServer({ people: ['alice'], rateLimit: true })

  test('at one address send 5 reports a day, of which only a hash is kept until the day is over', async () => {
    const ip = fromNewAddress()
    const assets = await Promise.all(Array.from({ length: 8 }, () => findableAsset(alice)))
    const keys = await Promise.all(assets.map((asset) => keyOf(server, asset)))
    const replies = await race(8, (i) => sendWith(server, keys[i]!, { message: 'found' }, { ip }))
    expect(statusesOf(replies)).toEqual({ 200: 5, 429: 3 })
    const refused = replies.find((r) => r.status === 429)!
    expect([refused.code, Number(refused.headers.get('retry-after')) > 86_000]).toEqual([4022, true])
    // Another address is not affected.
    ok(await sendWith(server, keys[replies.indexOf(refused)]!, { message: 'found' }))
    if (!inProcess) return
    const kept = await server.ctx.db.read.select().from(counters).where(like(counters.key, 'found:%'))
    expect(kept.filter((row) => row.key.startsWith('found:address:'))).toHaveLength(2)
    expect(JSON.stringify(kept)).not.toContain(ip)
    server.clock.advance(DAY)
    ok(await sendWith(server, await keyOf(server, assets[0]!), { message: 'found' }, { ip }))
  })

  test('in one /64 of IPv6 count as one address', async () => {
    const keys = await Promise.all(Array.from({ length: 7 }, async () => keyOf(server, await findableAsset(alice))))
    const from = (ip: string) => (key: string) => sendWith(server, key, { message: 'found' }, { ip })
    const replies = await race(6, (i) => from(`2001:db8:1:1::${i + 1}`)(keys[i]!))
    expect(statusesOf(replies)).toEqual({ 200: 5, 429: 1 })
    ok(await from('2001:db8:1:2::1')(keys[6]!))
  })

  test('at many addresses send 20 reports a day about one thing', async () => {
    const asset = await findableAsset(alice)
    const keys = await Promise.all(Array.from({ length: 26 }, () => keyOf(server, asset)))
    const replies = await race(26, (i) => sendWith(server, keys[i]!, { message: 'found' }))
    expect(statusesOf(replies)).toEqual({ 200: 20, 429: 6 })
    ok(await sendWith(server, await keyOf(server, await findableAsset(alice)), { message: 'found' }))
    const refused = keys[replies.findIndex((r) => r.status === 429)]!
    const page = await sendWith(server, refused, { message: 'found' }, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  })
})

describe.if(inProcess)('a message that is refused', () => {
  const { server, alice } = useServer({ people: ['alice'], rateLimit: true })

  /** The names of the writes of lost and found. */
  async function writesDuring(run: () => Promise<unknown>): Promise<string[]> {
    const { db } = server.ctx
    const write = db.write.bind(db)
    const names: string[] = []
    db.write = (name, ...rest) => {
      names.push(name)
      return write(name, ...rest)
    }
    try {
      await run()
    } finally {
      db.write = write
    }
    return names.filter((name) => name.startsWith('found.'))
  }

  test('because of a limit or a used key costs no write', async () => {
    const ip = fromNewAddress()
    const asset = await findableAsset(alice)
    const keys = await Promise.all(Array.from({ length: 6 }, () => keyOf(server, asset)))
    const send = (key: string, from = ip) => sendWith(server, key, { message: 'found' }, { ip: from })
    expect(await writesDuring(() => send(keys[0]!))).toEqual(['found.report'])
    for (const key of keys.slice(1, 5)) ok(await send(key))
    const refused = async () => {
      expect((await send(keys[5]!)).status).toBe(429)
      expect((await send(keys[0]!, fromNewAddress())).status).toBe(400)
    }
    expect(await writesDuring(refused)).toEqual([])
  })

  test('because its conversation is full, closed or unknown costs no write', async () => {
    const path = await report(server, await findableAsset(alice))
    const { id } = await newestReport(alice)
    expect(await writesDuring(() => writeThread(server, path, 'again'))).toEqual(['found.write'])
    for (let i = 2; i < 30; i++) ok(await writeThread(server, path, 'again'))
    const refused = async () => {
      expect((await writeThread(server, path, 'again')).status).toBe(429)
      expect((await writeThread(server, `${path.slice(0, -1)}x`, 'again')).status).toBe(404)
    }
    expect(await writesDuring(refused)).toEqual([])
    const closed = await report(server, await findableAsset(alice))
    const other = (await newestReport(alice)).id
    expect(other).not.toBe(id)
    ok(await alice.call('found.changeStatus', { params: { id: other }, body: { status: 'CLOSED' } }))
    const late = async () => expect((await writeThread(server, closed, 'again')).status).toBe(400)
    expect(await writesDuring(late)).toEqual([])
  })
})

describe('a conversation', () => {
  const { server, alice } = useServer({ people: ['alice'] })

  test('takes 30 messages of the finder, also at once, and 100 of the owner', async () => {
    const path = await report(server, await findableAsset(alice))
    const replies = await race(35, () => writeThread(server, path, 'again'))
    expect(statusesOf(replies)).toEqual({ 200: 29, 429: 6 })
    const { id } = await newestReport(alice)
    const answers = await race(102, () => alice.call('found.answer', { params: { id }, body: { message: 'hm' } }))
    expect(statusesOf(answers)).toEqual({ 200: 100, 429: 2 })
    const thread = ok(await readThread(server, path)).data
    expect([thread.messages.length, thread.canWrite]).toEqual([130, false])
  })

  test.if(inProcess)('ends 30 days after its last message, and is deleted 180 days later', async () => {
    const asset = await findableAsset(alice)
    const path = await report(server, asset, { latitude: 1, longitude: 2, accuracy: 3 })
    const { id } = await newestReport(alice)
    /** The session of alice ends in the meantime. */
    async function pass(days: number): Promise<void> {
      server.clock.advance(days * DAY)
      const body = { account: alice.username, password: alice.password }
      const signedIn = await server.request('POST', '/api/auth/login', { body, deviceId: alice.deviceId })
      alice.token = ok(signedIn).data.accessToken
    }
    await pass(20)
    ok(await alice.call('found.answer', { params: { id }, body: { message: 'Where is it?' } }))
    expect((await newestReport(alice)).position).toEqual({ latitude: 1, longitude: 2, accuracy: 3, address: null })
    await pass(10)
    expect((await newestReport(alice)).position).toBeNull()
    await runJob(server, 'found.deleteOld')
    const [row] = await server.ctx.db.read.select().from(foundReports)
    expect([row!.latitude, row!.longitude, row!.accuracy]).toEqual([null, null, null])
    ok(await writeThread(server, path, 'Here'))
    await pass(30)
    expect((await readThread(server, path)).status).toBe(404)
    expect((await writeThread(server, path, 'Hello?')).status).toBe(404)
    expect((await alice.call('found.answer', { params: { id }, body: { message: 'Hello?' } })).status).toBe(400)
    await pass(179)
    await runJob(server, 'found.deleteOld')
    expect((await newestReport(alice)).id).toBe(id)
    await pass(1)
    await runJob(server, 'found.deleteOld')
    expect(await reportsOf(alice)).toEqual([])
    expect((await server.ctx.db.read.select({ n: count() }).from(foundMessages))[0]!.n).toBe(0)
  })
})

describe.if(inProcess)('the reports of a deleted asset', () => {
  const { server, alice } = useServer({ people: ['alice'] })

  test('are deleted in slices, in the write and then by the job', async () => {
    const asset = await findableAsset(alice)
    const path = await report(server, asset)
    const other = await report(server, await findableAsset(alice))
    const [row] = (await server.ctx.db.read.select().from(foundReports)).filter((one) => one.targetId === asset.id)
    await server.ctx.db.write('test.addReports', async (tx) => {
      const { id: _, ...copied } = row!
      for (let i = 0; i < 1200; i++) await insertReport(tx, { ...copied, secretHash: `hash ${i}` }, 'found')
    })
    const left = async () => (await server.ctx.db.read.select({ n: count() }).from(foundReports))[0]!.n
    expect(await left()).toBe(1202)
    ok(await deleteAsset(alice, asset.id))
    await until(async () => (await left()) === 1, 'the reports are deleted')
    await until(
      async () => (await server.ctx.db.read.select().from(foundCleanUps)).length === 0,
      'the deletion has ended',
    )
    expect((await server.ctx.db.read.select({ n: count() }).from(foundMessages))[0]!.n).toBe(1)
    expect((await readThread(server, path)).status).toBe(404)
    ok(await readThread(server, other))
    expect(await reportsOf(alice)).toHaveLength(1)
  })
})

describe('mails', () => {
  const world = useWorld()

  test('go to the proved address of the owner, 3 a day, and contain nothing of the finder', async () => {
    const owner = await world.withEmail()
    const { server } = world
    const mails = () => world.gateways.mails.filter((m) => m.to === owner.email && m.text.includes('/console/found/'))
    const asset = await findableAsset(owner, { name: 'Violin' })
    const secrets = { message: 'finder-text https://evil.example', contact: 'finder@example.org' }
    for (let i = 0; i < 5; i++) await report(server, asset, secrets)
    await until(() => mails().length === 3, 'three mails have arrived')
    await world.allDelivered()
    expect(mails()).toHaveLength(3)
    expect(mails()[0]!.text).toContain('Violin')
    for (const { raw } of mails())
      for (const part of ['finder-text', 'finder@', 'evil', '198.51']) expect(raw).not.toContain(part)
    const shown = await server.request('GET', `/s/asset/${asset.uuid}`, { headers: { accept: 'text/html' } })
    const path = await report(server, asset)
    const answers = [shown.text, (await readThread(server, path)).text, (await server.request('GET', path)).text]
    for (const text of answers) {
      expect(text).not.toContain(owner.email)
      expect(text).not.toContain(owner.username)
    }
    if (!inProcess) return
    await world.passDays(1)
    await report(server, asset)
    await until(() => mails().length === 4, 'another mail has arrived')
  })
})

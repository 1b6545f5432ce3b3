/** The reference client of offline sync: expired tokens, overload, organizations that a user leaves, long absences and hostile networks. */

import { describe, expect, test } from 'bun:test'

import { DAY } from '#platform/clock.ts'

import { SyncError } from '../../examples/sync-client/http.ts'
import { inProcess, ok, startServer, useServer } from '../harness/index.ts'
import { addMembers } from '../orgs/helpers.ts'
import {
  type Device,
  device,
  INTACT,
  type Network,
  OFFLINE,
  onNewDevice,
  rowsOf,
  serverState,
  shownNames,
} from './client-helpers.ts'

const { server } = useServer()

describe('errors of the server', () => {
  /** Answers the first requests itself, as an overloaded server or a proxy in front of it does. */
  const answering =
    (times: number, status: number, headers: Record<string, string> = {}): Network =>
    (pass) =>
      times-- > 0 ? Promise.resolve(Response.json({ code: status, message: 'later' }, { status, headers })) : pass()

  test('after 401 the app signs in again, and the request is repeated', async () => {
    const phone = device(server.url, await server.person())
    await phone.client.create('category', { name: 'Before' })
    phone.person.token = 'expired'
    await phone.client.sync()
    expect(phone.signIns).toBe(1)
    expect(await rowsOf(phone)).toMatchObject([{ edit: null, serverId: expect.any(Number) }])
  })

  test('a second 401 ends the synchronization, and nothing is lost', async () => {
    const phone = device(server.url, await server.person())
    await phone.client.create('category', { name: 'Kept' })
    phone.network = answering(2, 401)
    const error = await phone.client.sync().catch((error: unknown) => error)
    expect(error).toMatchObject({ status: 401 })
    await phone.client.sync()
    expect(phone.signIns).toBe(1)
    expect(await rowsOf(phone)).toMatchObject([{ edit: null, sent: null, server: { name: 'Kept' } }])
  })

  test('after 429 and 503 the client waits at least as long as Retry-After says, and longer each time', async () => {
    for (const status of [429, 503]) {
      const phone = device(server.url, await server.person())
      phone.network = answering(3, status, { 'retry-after': '7' })
      await phone.client.sync()
      expect(phone.waits).toHaveLength(3)
      for (const [i, wait] of phone.waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(7000 + 500 * 2 ** i)
        expect(wait).toBeLessThanOrEqual(7000 + 1500 * 2 ** i)
      }
    }
  })

  test('without Retry-After the client waits longer each time, and gives up after five attempts', async () => {
    const phone = device(server.url, await server.person())
    phone.network = answering(5, 500)
    await expect(phone.client.sync()).rejects.toMatchObject({ status: 500 })
    expect(phone.waits).toHaveLength(4)
    for (const [i, wait] of phone.waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** i)
      expect(wait).toBeLessThanOrEqual(1500 * 2 ** i)
    }
  })

  test('the client does not wait an hour: it reports the time to the app', async () => {
    const phone = device(server.url, await server.person())
    phone.network = answering(1, 429, { 'retry-after': '3600' })
    await expect(phone.client.sync()).rejects.toMatchObject({ status: 429, retryAfter: 3_600_000 })
    expect(phone.waits).toEqual([])
  })

  test('an answer that is cut off counts as lost', async () => {
    const phone = device(server.url, await server.person())
    await phone.client.create('category', { name: 'Once' })
    let isCut = true
    phone.network = async (pass, url) => {
      const response = await pass()
      if (!url.endsWith('/push') || !isCut) return response
      isCut = false
      return new Response((await response.text()).slice(0, 40))
    }
    await phone.client.sync()
    expect(phone.pushes).toHaveLength(2)
    expect(await shownNames(phone, 'category')).toEqual(['Once'])
  })

  test('calls of sync wait for each other', async () => {
    const phone = device(server.url, await server.person())
    let running = 0
    let most = 0
    phone.network = async (pass) => {
      most = Math.max(most, ++running)
      try {
        return await pass()
      } finally {
        running--
      }
    }
    await Promise.all(
      Array.from({ length: 5 }, async (_, i) => {
        await phone.client.create('category', { name: `${i}` })
        await phone.client.sync()
      }),
    )
    expect(most).toBe(1)
    expect(await shownNames(phone, 'category')).toEqual(['0', '1', '2', '3', '4'])
  })

  test('clients of one storage that do not wait for each other send nothing twice and lose nothing', async () => {
    const phone = device(server.url, await server.person())
    const tab = device(server.url, phone.person, phone.storage)
    for (let i = 0; i < 10; i++) {
      await phone.client.create('category', { name: `${i}` })
      await Promise.all([phone.client.sync(), tab.client.sync()])
    }
    expect(await shownNames(phone, 'category')).toHaveLength(10)
    expect((await rowsOf(phone)).filter(({ edit, sent }) => edit ?? sent)).toEqual([])
    const laptop = device(server.url, await onNewDevice(server.url, phone.person))
    await laptop.client.sync()
    expect(await serverState(laptop)).toEqual(await serverState(phone))
  })
})

test('a page that arrives after another tab has started from 0 is dropped', async () => {
  const phone = device(server.url, await server.person())
  const tab = device(server.url, phone.person, phone.storage)
  await phone.client.create('category', { name: 'Old' })
  await phone.client.sync()

  const asked = Promise.withResolvers<void>()
  const arrives = Promise.withResolvers<void>()
  phone.network = async (pass) => {
    const response = await pass()
    asked.resolve()
    await arrives.promise
    return response
  }
  const late = phone.client.sync()
  await asked.promise
  // The other tab has to start from 0, and loses the network before it has all rows again.
  await tab.storage.transaction(async (tx) => tx.setState({ ...(await tx.state()), since: Date.now() + DAY }))
  let left = 1
  tab.network = (pass, url) => (left-- > 0 ? pass() : OFFLINE(pass, url))
  await expect(tab.client.sync()).rejects.toBeInstanceOf(SyncError)
  expect(await rowsOf(tab)).toEqual([])

  arrives.resolve()
  await late
  phone.network = INTACT
  await phone.client.sync()
  expect(await shownNames(phone, 'category')).toEqual(['Old'])
})

test('results that arrive after another tab has sent the next batch do not end that batch', async () => {
  const phone = device(server.url, await server.person())
  const tab = device(server.url, phone.person, phone.storage)
  const localId = await phone.client.create('category', { name: 'First' })
  const asked = Promise.withResolvers<void>()
  const arrives = Promise.withResolvers<void>()
  phone.network = async (pass, url) => {
    const response = await pass()
    if (!url.endsWith('/push')) return response
    asked.resolve()
    await arrives.promise
    return response
  }
  const late = phone.client.sync()
  await asked.promise
  await tab.client.sync()
  await tab.client.update('category', localId, { name: 'Second' })
  tab.network = (pass, url) => (url.endsWith('/push') ? OFFLINE(pass, url) : pass())
  await expect(tab.client.sync()).rejects.toBeInstanceOf(SyncError)
  phone.network = tab.network
  arrives.resolve()
  await expect(late).rejects.toBeInstanceOf(SyncError)
  expect(await rowsOf(phone)).toMatchObject([{ sent: { data: { name: 'Second' } }, edit: null }])

  phone.network = INTACT
  await phone.client.sync()
  expect(await rowsOf(phone)).toMatchObject([{ sent: null, version: 2, server: { name: 'Second' } }])
})

describe('organizations', () => {
  test('rows of an organization arrive after joining and are removed after leaving, except for unsent edits', async () => {
    const [owner, member] = [await server.person(), await server.person()]
    const orgId = ok(await owner.call('orgs.create', { body: { name: 'Museum' } })).data.id
    const office = device(server.url, owner)
    const phone = device(server.url, member)
    await office.client.create('qrCode', { name: 'Door', content: 'door', orgId })
    await office.client.create('qrCode', { name: 'Roof', content: 'roof', orgId })
    await office.client.create('qrCode', { name: 'Own', content: 'own' })
    await office.client.sync()
    await phone.client.sync()
    expect(await rowsOf(phone)).toEqual([])

    await addMembers(owner, { id: orgId }, member)
    await phone.client.sync()
    expect(await shownNames(phone, 'qrCode')).toEqual(['Door', 'Roof'])

    const [door] = await rowsOf(phone)
    await phone.client.update('qrCode', door!.localId, { remark: 'squeaks' })
    ok(await member.post(`/api/orgs/${orgId}/leave`))
    await phone.client.sync()
    // The edit was refused, and the user can still read it.
    const rows = await rowsOf(phone)
    expect(rows).toMatchObject([{ server: { name: 'Door' }, isGone: true, refusal: { code: 404 } }])
    await phone.client.discard('qrCode', rows[0]!.localId)
    expect(await rowsOf(phone)).toEqual([])
  })
})

describe.if(inProcess)('after a long absence', () => {
  test('the client keeps unsent edits, drops all other rows and starts from 0', async () => {
    await using server = await startServer()
    const user = await server.person()
    const office = device(server.url, user)
    const phone = device(server.url, await onNewDevice(server.url, user))
    const ahead = (made: Device) => (made.clockError = server.clock.now() - Date.now())
    await office.client.create('category', { name: 'Stays' })
    const gone = await office.client.create('category', { name: 'Deleted' })
    await office.client.sync()
    await phone.client.sync()
    await office.client.delete('category', gone)
    await office.client.sync()

    server.clock.advance(91 * DAY)
    ahead(office)
    ahead(phone)
    await office.client.create('category', { name: 'Later' })
    await office.client.sync()
    await phone.client.create('category', { name: 'Offline' })
    const pulls: string[] = []
    phone.network = (pass, url) => (url.includes('/pull') && pulls.push(new URL(url).search), pass())
    await phone.client.sync()
    expect(phone.signIns).toBe(1)
    expect(pulls).toContain('?since=0')
    expect(await shownNames(phone, 'category')).toEqual(['Later', 'Offline', 'Stays'])
    await office.client.sync()
    expect(await serverState(phone)).toEqual(await serverState(office))
  })

  test('a refused edit survives a new start, and is still refused', async () => {
    await using server = await startServer()
    const phone = device(server.url, await server.person())
    const bad = await phone.client.create('category', { name: '' })
    await phone.client.create('category', { name: 'Sent' })
    await phone.client.sync()
    server.clock.advance(91 * DAY)
    await phone.client.sync()
    expect(await phone.client.get('category', bad)).toMatchObject({ isUnsent: true, refusal: { code: 400 } })
    expect(await phone.client.list('category')).toHaveLength(2)
  })
})

describe('a hostile network', () => {
  /** A generator of random numbers that a seed repeats: mulberry32. */
  const randomOf = (seed: number) => () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  const hostile =
    (random: () => number): Network =>
    async (pass) => {
      const luck = random()
      if (luck < 0.15) throw new Error('the request was lost')
      if (luck < 0.3) {
        await (await pass()).bytes()
        throw new Error('the answer was lost')
      }
      if (luck < 0.45) await (await pass()).bytes() // The request arrives twice.
      if (luck < 0.5) return Response.json({ code: 503, message: 'stopping' }, { status: 503 })
      return await pass()
    }

  const seeds = Array.from({ length: 10 }, (_, i) => i + 1)
  test.each(seeds)(
    'three devices that lose answers and repeat requests end in the same state, seed %d',
    async (seed) => {
      const random = randomOf(seed)
      const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
      const user = await server.person()
      let devices = [
        device(server.url, user),
        device(server.url, await onNewDevice(server.url, user)),
        device(server.url, await onNewDevice(server.url, user)),
      ]
      for (let step = 0; step < 60; step++) {
        const at = Math.floor(random() * devices.length)
        // Now and then the app is started again.
        if (random() < 0.1) devices = devices.with(at, device(server.url, devices[at]!.person, devices[at]!.storage))
        const current = devices[at]!
        const { client } = current
        current.network = hostile(random)
        current.clockError = Math.round((random() - 0.5) * 2 * DAY)
        const category = pick(await client.list('category'))
        const code = pick(await client.list('qrCode'))
        const action = random()
        if (action < 0.15) await client.create('category', { name: `c${step}`, parentId: null })
        else if (action < 0.35)
          await client.create('qrCode', { name: `q${step}`, content: 'x', categoryId: category?.localId ?? null })
        else if (action < 0.45 && category) await client.update('category', category.localId, { name: `c${step}` })
        else if (action < 0.6 && code)
          await client.update('qrCode', code.localId, { name: `q${step}`, categoryId: category?.localId ?? null })
        else if (action < 0.65 && category) await client.delete('category', category.localId)
        else if (action < 0.7 && code) await client.delete('qrCode', code.localId)
        else await client.sync().catch((error: SyncError) => expect(error).toBeInstanceOf(SyncError))
      }
      for (const current of devices) current.network = INTACT
      for (let round = 0; round < 3; round++)
        for (const { client, storage } of devices) {
          await client.sync()
          // Refused edits, for example of a code in a category that was deleted.
          for (const { entity, localId } of await storage.transaction((tx) => tx.edited()))
            await client.discard(entity, localId)
        }
      const fresh = device(server.url, await onNewDevice(server.url, user))
      await fresh.client.sync()
      const expected = await serverState(fresh)
      for (const current of devices) expect(await serverState(current)).toEqual(expected)
    },
  )
})

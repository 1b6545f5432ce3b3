/** The reference client of offline sync with a real server, over a network that fails. */

import { describe, expect, test } from 'bun:test'

import { DAY } from '#platform/clock.ts'

import { SyncError } from '../../examples/sync-client/http.ts'
import { ok, passed, useServer } from '../harness/index.ts'
import {
  type Device,
  device,
  INTACT,
  LOSES_ANSWERS,
  OFFLINE,
  onNewDevice,
  rowsOf,
  serverState,
  shownNames,
} from './client-helpers.ts'

const { server } = useServer()

/** Two devices of a new user, whose edits are later than all stamps so far. */
async function twoDevices(): Promise<[phone: Device, laptop: Device]> {
  const user = await server.person()
  await passed(ok(await user.get('/api/sync/pull', { since: 0 })).data.serverTime)
  return [device(server.url, user), device(server.url, await onNewDevice(server.url, user))]
}

/** The same device after the app was started again. */
const restarted = ({ person, storage }: Device): Device => device(server.url, person, storage)

const CODE = { name: 'Menu', content: 'https://example.org/menu' }

describe('pulls', () => {
  test('a new device gets all rows, and later the changes and deletions of the other device', async () => {
    const [phone, laptop] = await twoDevices()
    const kept = await phone.client.create('category', { name: 'Kept' })
    const code = await phone.client.create('qrCode', CODE)
    await phone.client.sync()
    await laptop.client.sync()
    expect(await shownNames(laptop, 'category')).toEqual(['Kept'])
    expect(await shownNames(laptop, 'qrCode')).toEqual(['Menu'])

    await phone.client.update('category', kept, { name: 'Renamed' })
    await phone.client.delete('qrCode', code)
    await phone.client.create('category', { name: 'New' })
    await phone.client.sync()
    await laptop.client.sync()
    expect(await shownNames(laptop, 'category')).toEqual(['New', 'Renamed'])
    expect(await rowsOf(laptop, 'qrCode')).toEqual([])
    expect(await serverState(laptop)).toEqual(await serverState(phone))
  })

  test('more rows than fit on one page arrive, in pages', async () => {
    const [phone, laptop] = await twoDevices()
    const pulls: string[] = []
    for (let i = 0; i < 1201; i++) await phone.client.create('scanRecord', { content: `scan ${i}` })
    await phone.client.sync()
    expect(phone.pushes.map((body) => JSON.parse(body).records.length)).toEqual([500, 500, 201])
    laptop.network = (pass, url) => (pulls.push(url), pass())
    await laptop.client.sync()
    expect(pulls.length).toBeGreaterThan(2)
    expect(await rowsOf(laptop)).toHaveLength(1201)
    expect(await serverState(laptop)).toEqual(await serverState(phone))
  })

  test('a row with an unsent edit keeps the edit and its base version when a newer state arrives', async () => {
    const [phone, laptop] = await twoDevices()
    const localId = await phone.client.create('qrCode', CODE)
    await phone.client.sync()
    await laptop.client.sync()
    const there = (await rowsOf(laptop))[0]!.localId
    await laptop.client.update('qrCode', there, { remark: 'from the laptop' })
    await laptop.client.sync()

    await passed((await rowsOf(laptop))[0]!.server!['updatedAt'] as number)
    await phone.client.update('qrCode', localId, { name: 'from the phone' })
    phone.network = (pass, url) => (url.endsWith('/push') ? OFFLINE(pass, url) : pass())
    await expect(phone.client.sync()).rejects.toBeInstanceOf(SyncError)
    const [row] = await rowsOf(phone)
    expect(row).toMatchObject({ version: 2, server: { name: 'Menu', remark: 'from the laptop' } })
    expect(row!.sent).toMatchObject({ data: { name: 'from the phone' }, baseVersion: 1 })
    expect((await phone.client.get('qrCode', localId))!.data).toMatchObject({
      name: 'from the phone',
      remark: 'from the laptop',
    })
    phone.network = INTACT
    await phone.client.sync()
    await laptop.client.sync()
    expect((await laptop.client.get('qrCode', there))!.data).toMatchObject({
      name: 'from the phone',
      remark: 'from the laptop',
    })
  })

  test('a pull that is interrupted between two pages continues where it stopped', async () => {
    const [phone, laptop] = await twoDevices()
    for (let i = 0; i < 700; i++) await phone.client.create('scanRecord', { content: `scan ${i}` })
    await phone.client.sync()
    let left = 1
    laptop.network = (pass, url) => (left-- > 0 ? pass() : OFFLINE(pass, url))
    await expect(laptop.client.sync()).rejects.toBeInstanceOf(SyncError)
    const first = (await rowsOf(laptop)).length
    expect(first).toBeGreaterThanOrEqual(500)
    expect(first).toBeLessThan(700)
    const again = restarted(laptop)
    await again.client.sync()
    expect(await serverState(again)).toEqual(await serverState(phone))
  })
})

describe('pushes', () => {
  test('new rows that refer to each other arrive in one batch, in whatever order they were made', async () => {
    const [phone, laptop] = await twoDevices()
    const code = await phone.client.create('qrCode', CODE)
    const parent = await phone.client.create('category', { name: 'Parent' })
    const child = await phone.client.create('category', { name: 'Child', parentId: parent })
    await phone.client.update('qrCode', code, { categoryId: child })
    await phone.client.update('category', child, { color: '#ff8800' })
    await phone.client.update('category', parent, { color: '#ff8800' })
    await phone.client.sync()
    expect(phone.pushes).toHaveLength(1)
    await laptop.client.sync()
    const [menu] = await laptop.client.list('qrCode')
    const category = await laptop.client.get('category', menu!.data['categoryId'] as number)
    expect(category!.data).toMatchObject({ name: 'Child', color: '#ff8800' })
    expect((await laptop.client.get('category', category!.data['parentId'] as number))!.data).toMatchObject({
      name: 'Parent',
    })
  })

  test('an edit that refers to a row which another device has deleted is applied without it, and the user sees that', async () => {
    const [phone, laptop] = await twoDevices()
    const category = await phone.client.create('category', { name: 'Short life' })
    await phone.client.sync()
    await laptop.client.sync()
    const [known] = await laptop.client.list('category')
    const code = await laptop.client.create('qrCode', { name: 'Offline', content: 'x', categoryId: known!.localId })
    await phone.client.delete('category', category)
    await phone.client.sync()
    await laptop.client.sync()
    expect(await laptop.client.list('qrCode')).toMatchObject([
      { data: { name: 'Offline', categoryId: null }, isUnsent: false, refusal: null, dropped: ['categoryId'] },
    ])
    await laptop.client.update('qrCode', code, { name: 'Seen' })
    expect(await laptop.client.list('qrCode')).toMatchObject([{ dropped: [] }])
  })

  test('a row whose creation was not answered is gone after another device has deleted it', async () => {
    const [phone, laptop] = await twoDevices()
    await phone.client.create('qrCode', { name: 'Ghost', content: 'x' })
    phone.network = LOSES_ANSWERS
    await phone.client.sync().catch(() => undefined)
    await laptop.client.sync()
    const [ghost] = await laptop.client.list('qrCode')
    await laptop.client.delete('qrCode', ghost!.localId)
    await laptop.client.sync()
    phone.network = INTACT
    await phone.client.sync()
    expect(await rowsOf(phone)).toEqual([])
  })

  test('a row can refer to one that another device created, by the local id of this device', async () => {
    const [phone, laptop] = await twoDevices()
    await phone.client.create('category', { name: 'Menus' })
    await phone.client.sync()
    await laptop.client.sync()
    const [menus] = await laptop.client.list('category')
    await laptop.client.create('qrCode', { ...CODE, categoryId: menus!.localId })
    await laptop.client.sync()
    const [code] = await laptop.client.list('qrCode')
    expect(code).toMatchObject({ isUnsent: false, refusal: null, data: { categoryId: menus!.data['id'] } })
  })

  test('a batch is sent again unchanged after its answer was lost and the app was started again', async () => {
    const [phone, laptop] = await twoDevices()
    const category = await phone.client.create('category', { name: 'Menus' })
    const localId = await phone.client.create('qrCode', { ...CODE, categoryId: category })
    phone.network = LOSES_ANSWERS
    await expect(phone.client.sync()).rejects.toBeInstanceOf(SyncError)
    const attempts = phone.pushes.length
    expect(attempts).toBeGreaterThan(1)
    expect(new Set(phone.pushes).size).toBe(1)

    // Edits that are made meanwhile wait.
    await phone.client.update('qrCode', localId, { name: 'Second name' })
    await phone.client.create('category', { name: 'Made meanwhile' })
    const again = restarted(phone)
    await again.client.sync()
    expect(again.pushes[0]).toBe(phone.pushes[0]!)
    expect(again.pushes).toHaveLength(2)
    await laptop.client.sync()
    expect(await shownNames(laptop, 'qrCode')).toEqual(['Second name'])
    expect(await shownNames(laptop, 'category')).toEqual(['Made meanwhile', 'Menus'])
    expect(await laptop.client.conflicts()).toEqual([])
    expect(await serverState(laptop)).toEqual(await serverState(again))
  })

  test('a row that is deleted before the answer to its creation arrives is deleted', async () => {
    const [phone, laptop] = await twoDevices()
    const lost = await phone.client.create('category', { name: 'Lost answer' })
    phone.network = LOSES_ANSWERS
    await expect(phone.client.sync()).rejects.toBeInstanceOf(SyncError)
    await phone.client.delete('category', lost)
    // The server never hears of this one.
    const unsent = await phone.client.create('category', { name: 'Unsent' })
    await phone.client.delete('category', unsent)
    expect(await phone.client.list('category')).toEqual([])
    phone.network = INTACT
    await phone.client.sync()
    expect(await rowsOf(phone)).toEqual([])
    await laptop.client.sync()
    expect(await rowsOf(laptop)).toEqual([])
  })

  test('a refused row keeps its edit with the reason, does not stop others, and is sent again when it is corrected', async () => {
    const [phone, laptop] = await twoDevices()
    const bad = await phone.client.create('category', { name: 'Bad', color: 'red' })
    // It waits for the category that it refers to.
    const code = await phone.client.create('qrCode', { ...CODE, categoryId: bad })
    await phone.client.create('category', { name: 'Good' })
    await phone.client.sync()
    const refused = await phone.client.get('category', bad)
    expect(refused).toMatchObject({ isUnsent: true, data: { name: 'Bad', color: 'red' }, refusal: { code: 400 } })
    expect(refused!.refusal!.details[0]!.path).toBe('data.color')
    expect(await phone.client.get('qrCode', code)).toMatchObject({ isUnsent: true, refusal: null })
    await laptop.client.sync()
    expect(await shownNames(laptop, 'category')).toEqual(['Good'])

    // Nothing is sent again before the correction.
    const sent = phone.pushes.length
    await phone.client.sync()
    expect(phone.pushes).toHaveLength(sent)
    await phone.client.update('category', bad, { color: '#ff0000' })
    await phone.client.sync()
    await laptop.client.sync()
    expect(await shownNames(laptop, 'category')).toEqual(['Bad', 'Good'])
    expect(await shownNames(laptop, 'qrCode')).toEqual(['Menu'])
    expect((await rowsOf(phone)).filter(({ edit }) => edit !== null)).toEqual([])
  })

  test('a refused edit can be discarded, and the state of the server shows again', async () => {
    const [phone] = await twoDevices()
    const localId = await phone.client.create('category', { name: 'Fine' })
    await phone.client.sync()
    await phone.client.update('category', localId, { name: '' })
    await phone.client.sync()
    expect((await phone.client.get('category', localId))!.refusal).toMatchObject({ code: 400 })
    await phone.client.discard('category', localId)
    expect(await phone.client.get('category', localId)).toMatchObject({
      isUnsent: false,
      refusal: null,
      data: { name: 'Fine' },
    })
    const unsent = await phone.client.create('category', { name: 'Never sent' })
    await phone.client.discard('category', unsent)
    expect(await rowsOf(phone)).toHaveLength(1)
  })

  test('a batch that the server refuses as a whole becomes refused edits, which the user can correct', async () => {
    const [phone] = await twoDevices()
    phone.clockError = 0.5
    const localId = await phone.client.create('category', { name: 'At half a millisecond' })
    phone.clockError = 0
    await phone.client.sync()
    const refused = await phone.client.get('category', localId)
    expect(refused).toMatchObject({ isUnsent: true, refusal: { code: 400 } })
    expect(refused!.refusal!.details.map(({ path }) => path)).toEqual(['body.records.0.updatedAt'])
    await phone.client.discard('category', localId)
    await phone.client.create('category', { name: 'Later' })
    await phone.client.sync()
    expect(await shownNames(phone, 'category')).toEqual(['Later'])
  })
})

describe('conflicts', () => {
  /** Both devices edit the same code without a network; the edit of the phone is the earlier one. */
  async function bothEdit(): Promise<{ phone: Device; laptop: Device; here: string; there: string }> {
    const [phone, laptop] = await twoDevices()
    const here = await phone.client.create('qrCode', CODE)
    await phone.client.sync()
    await laptop.client.sync()
    const there = (await rowsOf(laptop))[0]!.localId
    phone.clockError = -3_600_000
    await phone.client.update('qrCode', here, { name: 'Earlier' })
    await laptop.client.update('qrCode', there, { name: 'Later' })
    await laptop.client.sync()
    await phone.client.sync()
    return { phone, laptop, here, there }
  }

  test('the later edit wins on all devices, and the earlier one is on the list of conflicts', async () => {
    const { phone, laptop } = await bothEdit()
    await laptop.client.sync()
    expect(await shownNames(phone, 'qrCode')).toEqual(['Later'])
    expect(await serverState(phone)).toEqual(await serverState(laptop))
    const [conflict, ...others] = await phone.client.conflicts()
    expect(others).toEqual([])
    expect(conflict).toMatchObject({
      entity: 'qrCode',
      winner: 'SERVER',
      clientData: { name: 'Earlier' },
      serverData: { name: 'Later' },
    })
  })

  test('the later edit wins as well if it arrives last, and the state that it replaced is on the list', async () => {
    const [phone, laptop] = await twoDevices()
    const here = await phone.client.create('qrCode', CODE)
    await phone.client.sync()
    await laptop.client.sync()
    await laptop.client.update('qrCode', (await rowsOf(laptop))[0]!.localId, { name: 'Earlier' })
    await laptop.client.sync()
    // The stamps of writes that follow each other are up to some milliseconds ahead of the clock.
    await Bun.sleep(50)
    await phone.client.update('qrCode', here, { name: 'Later' })
    await phone.client.sync()
    await laptop.client.sync()
    expect(await shownNames(laptop, 'qrCode')).toEqual(['Later'])
    expect(await phone.client.conflicts()).toMatchObject([
      { winner: 'CLIENT', clientData: { name: 'Later' }, serverData: { name: 'Earlier' } },
    ])
  })

  test('an edit that is continued keeps the version with which it began', async () => {
    const [phone, laptop] = await twoDevices()
    const here = await phone.client.create('qrCode', CODE)
    await phone.client.sync()
    await laptop.client.sync()
    // Refused, so it stays unsent while the change of the laptop arrives.
    await phone.client.update('qrCode', here, { name: '' })
    await phone.client.sync()
    await laptop.client.update('qrCode', (await rowsOf(laptop))[0]!.localId, { name: 'Later' })
    await laptop.client.sync()
    await phone.client.sync()
    const row = (await rowsOf(phone))[0]!
    expect(row).toMatchObject({ version: 2, edit: { baseVersion: 1 }, refusal: { code: 400 } })
    await phone.storage.transaction((tx) => tx.put({ ...row, editedAt: 0 }))
    phone.clockError = -3_600_000
    await phone.client.update('qrCode', here, { name: 'Earlier' })
    await phone.client.sync()
    expect(await phone.client.conflicts()).toMatchObject([{ winner: 'SERVER', baseVersion: 1, serverVersion: 2 }])
    expect(await shownNames(phone, 'qrCode')).toEqual(['Later'])
  })

  test('deciding for the server closes the conflict and leaves the row as it is', async () => {
    const { phone } = await bothEdit()
    const [conflict] = await phone.client.conflicts()
    await phone.client.resolve(conflict!, true)
    await phone.client.sync()
    expect(await phone.client.conflicts()).toEqual([])
    expect(await shownNames(phone, 'qrCode')).toEqual(['Later'])
  })

  test('deciding for the client sends the lost edit again, although it is older', async () => {
    const { phone, laptop } = await bothEdit()
    const [conflict] = await phone.client.conflicts()
    // A decision survives lost answers and a restart.
    phone.network = OFFLINE
    await phone.client.resolve(conflict!, false)
    await expect(phone.client.sync()).rejects.toBeInstanceOf(SyncError)
    const again = restarted(phone)
    again.clockError = -DAY
    await again.client.sync()
    expect(again.pushes.map((body) => JSON.parse(body).records)).toMatchObject([[{ baseVersion: 0 }]])
    await laptop.client.sync()
    expect(await shownNames(laptop, 'qrCode')).toEqual(['Earlier'])
    expect(await again.client.conflicts()).toEqual([])
    expect(await serverState(again)).toEqual(await serverState(laptop))
  })

  test('another device of the user can decide for the lost edit', async () => {
    const { phone, laptop } = await bothEdit()
    const [conflict] = await laptop.client.conflicts()
    await laptop.client.resolve(conflict!, false)
    await laptop.client.sync()
    await phone.client.sync()
    expect(await shownNames(phone, 'qrCode')).toEqual(['Earlier'])
    expect(await laptop.client.conflicts()).toEqual([])
    expect(await serverState(phone)).toEqual(await serverState(laptop))
  })

  test('a decision that another device has made otherwise is dropped', async () => {
    const { phone, laptop } = await bothEdit()
    const [conflict] = await phone.client.conflicts()
    await laptop.client.resolve(conflict!, true)
    await laptop.client.sync()
    await phone.client.resolve(conflict!, false)
    await phone.client.sync()
    expect(await shownNames(phone, 'qrCode')).toEqual(['Later'])
    expect((await phone.storage.transaction((tx) => tx.state())).decisions).toEqual([])
  })

  test('an edit that is later than a deletion brings the row back, and an earlier one does not', async () => {
    for (const [clockError, expected] of [
      [0, ['Still needed']],
      [-3_600_000, []],
    ] as const) {
      const [phone, laptop] = await twoDevices()
      const here = await phone.client.create('category', { name: 'Needed', color: '#ff8800' })
      await phone.client.sync()
      await laptop.client.sync()
      await laptop.client.delete('category', (await rowsOf(laptop))[0]!.localId)
      await laptop.client.sync()
      await passed(ok(await laptop.person.get('/api/sync/pull', { since: 0 })).data.serverTime)
      phone.clockError = clockError
      await phone.client.update('category', here, { name: 'Still needed' })
      await phone.client.sync()
      await laptop.client.sync()
      expect(await shownNames(laptop, 'category')).toEqual([...expected])
      expect(await serverState(phone)).toEqual(await serverState(laptop))
      if (expected.length > 0) expect((await laptop.client.list('category'))[0]!.data['color']).toBe('#ff8800')
    }
  })

  test('clocks that are wrong by a day lose nothing and end in the same state', async () => {
    const [phone, laptop] = await twoDevices()
    const here = await phone.client.create('qrCode', CODE)
    await phone.client.sync()
    await laptop.client.sync()
    const there = (await rowsOf(laptop))[0]!.localId
    for (const [i, clockError] of [DAY, -DAY, 0, -DAY, DAY].entries()) {
      phone.clockError = clockError
      laptop.clockError = -clockError
      await phone.client.update('qrCode', here, { name: `phone ${i}` })
      await phone.client.create('category', { name: `phone ${i}` })
      await laptop.client.update('qrCode', there, { remark: `laptop ${i}` })
      for (const { client } of [phone, laptop, phone]) await client.sync()
      expect(await serverState(phone)).toEqual(await serverState(laptop))
    }
    expect(await laptop.client.list('category')).toHaveLength(5)
    expect([...(await rowsOf(phone)), ...(await rowsOf(laptop))].filter(({ edit, sent }) => edit || sent)).toEqual([])
  })
})

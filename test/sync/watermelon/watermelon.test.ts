/** WatermelonDB's `synchronize()` with the shim of examples/sync-watermelondb and a real server. */

import { describe, expect, test } from 'bun:test'

import type { DirtyRaw } from '@nozbe/watermelondb'
import { hasUnsyncedChanges } from '@nozbe/watermelondb/sync'

import { tesseraSync } from '../../../examples/sync-watermelondb/index.ts'
import { ok, useServer } from '../../harness/index.ts'
import { addMembers, createOrg, leave } from '../../orgs/helpers.ts'
import { Device } from './devices.ts'

const world = useServer({ noAdmin: true })
const { server } = world

/** A new user with two devices. */
async function twoDevices(): Promise<[Device, Device]> {
  const user = await server.person()
  return [await Device.of(server, user), await Device.of(server, user)]
}

const MENU = { name: 'Menu', content: 'https://example.org/menu' }

/** The `data` of a pull from 0 as the server answers it. */
async function pullAll({ user }: Device) {
  return ok(await user.get('/api/sync/pull', { since: 0, limit: 2000 })).data.changes
}

async function openConflicts({ user }: Device) {
  return ok(await user.get('/api/sync/conflicts')).data.items
}

/**
 * Synchronizes `a`, while `b` changes their only QR code between the pull and the push. `later`: how many ms after that the user of `a` seems to
 * have made the change that is pushed.
 */
async function editInBetween(a: Device, b: Device, values: DirtyRaw, later: number): Promise<void> {
  await a.sync({
    pushChanges: async (args) => {
      await b.update('qr_codes', (await b.row('qr_codes'))['id'], values)
      await b.sync()
      await b.sync()
      // Stamps of the server run ahead of its clock after many writes, and a client's time counts until the server's clock only.
      const changedAt: number = (await b.row('qr_codes'))['updated_at']
      while (Date.now() <= changedAt) await Bun.sleep(changedAt - Date.now() + 1)
      // A copy, because WatermelonDB compares its rows with those that it has passed.
      const changes = structuredClone(args.changes)
      for (const raw of (changes as Record<string, { updated: DirtyRaw[] }>)['qr_codes']!.updated)
        raw['updated_at'] = changedAt + later
      return a.shim.pushChanges({ ...args, changes })
    },
  })
}

describe('a synchronization', () => {
  test('pulls nothing, pushes nothing and remembers the server’s time if nothing has changed', async () => {
    const [a] = await twoDevices()
    const pushed: unknown[] = []
    const pushChanges = async (args: unknown) => void pushed.push(args)
    const first = await a.sync({ pushChanges })
    const second = await a.sync({ pushChanges })
    expect(first).toMatchObject({ lastPulledAt: null, remoteChangeCount: 0, localChangeCount: 0, phase: 'done' })
    expect(first.newLastPulledAt).toBeGreaterThan(0)
    expect(second).toMatchObject({ lastPulledAt: first.newLastPulledAt!, remoteChangeCount: 0 })
    expect(pushed).toEqual([])
  })

  test('creates, changes and deletes rows on the other device', async () => {
    const [a, b] = await twoDevices()
    const menu = await a.create('qr_codes', { ...MENU, tags: '["lunch","dinner"]', remark: 'at the door' })
    const poster = await a.create('qr_codes', { name: 'Poster', content: 'https://example.org/poster' })
    await a.sync()
    expect(await hasUnsyncedChanges({ database: a.database })).toBe(false)

    await b.sync()
    const [onB, posterOnB] = await b.rows('qr_codes')
    expect(onB).toMatchObject({ ...MENU, remark: 'at the door', tags: '["lunch","dinner"]', _status: 'synced' })
    expect(onB!['id']).toBe(`s${onB!['server_id']}`)
    expect(posterOnB).toMatchObject({ name: 'Poster', server_version: 1 })

    await a.update('qr_codes', menu, { name: 'Menu of the day' })
    await a.delete('qr_codes', poster)
    await a.sync()
    await b.sync()
    expect(await b.row('qr_codes')).toMatchObject({ id: onB!['id'], name: 'Menu of the day', remark: 'at the door' })

    await b.update('qr_codes', onB!['id'], { remark: null })
    await b.sync()
    await a.sync()
    // The server shows an empty remark as an empty string.
    expect(await a.row('qr_codes')).toMatchObject({ id: menu, name: 'Menu of the day', remark: '', server_version: 3 })
  })

  test('translates references between new rows, and those to rows of the other device', async () => {
    const [a, b] = await twoDevices()
    const parent = await a.create('categories', { name: 'A parent' })
    const child = await a.create('categories', { name: 'Child', parent_id: parent })
    await a.create('qr_codes', { ...MENU, category_id: child })
    await a.sync()
    await b.sync()
    const [parentOnB, childOnB] = await b.rows('categories')
    expect(childOnB).toMatchObject({ name: 'Child', parent_id: parentOnB!['id'] })
    const onB = await b.row('qr_codes')
    expect(onB['category_id']).toBe(childOnB!['id'])

    await b.update('qr_codes', onB['id'], { category_id: parentOnB!['id'] })
    await b.sync()
    await a.sync()
    expect(await a.row('qr_codes')).toMatchObject({ category_id: parent })
    expect((await a.rows('categories')).map(({ id }) => id)).toEqual([parent, child])
  })

  test('carries all kinds of rows that need no uploaded file', async () => {
    const [a, b] = await twoDevices()
    await a.create('scan_records', {
      content: 'hello',
      title: 'A greeting',
      favorite: true,
      latitude: 30.1,
      longitude: 120.2,
    })
    const laptops = await a.create('asset_categories', { name: 'Laptops' })
    await a.create('assets', {
      name: 'X1',
      asset_no: 'A-1',
      category_id: laptops,
      brand: 'ThinkPad',
      public_fields: '["name"]',
    })
    await a.sync()
    expect(a.reported).toEqual([])
    await b.sync()
    expect(await b.row('scan_records')).toMatchObject({
      content: 'hello',
      title: 'A greeting',
      favorite: true,
      latitude: 30.1,
    })
    expect(await b.row('assets')).toMatchObject({
      name: 'X1',
      asset_no: 'A-1',
      brand: 'ThinkPad',
      category_id: (await b.row('asset_categories'))['id'],
      public_fields: '["name"]',
    })
  })

  test('pulls several pages and pushes several requests', async () => {
    const [a, b] = await twoDevices()
    const count = 2100
    await a.database.write(async () => {
      const collection = a.database.get('scan_records')
      const records = Array.from({ length: count }, (_, i) =>
        collection.prepareCreate((record) => record._setRaw('content', `scan ${i}`)),
      )
      await a.database.batch(records)
    })
    expect((await a.sync()).localChangeCount).toBe(count)
    expect((await b.sync()).remoteChangeCount).toBe(count)
    const contents = (await b.rows('scan_records')).map(({ content }) => content)
    expect(new Set(contents).size).toBe(count)
    // The rows of the device come back once, with the same ids.
    expect((await a.sync()).remoteChangeCount).toBe(count)
    expect((await a.rows('scan_records')).length).toBe(count)
    expect(await a.sync()).toMatchObject({ remoteChangeCount: 0, localChangeCount: 0 })
  })
})

describe('changes on two devices', () => {
  test('are merged if they concern different columns of a row, and nothing is left on the list of conflicts', async () => {
    const [a, b] = await twoDevices()
    const menu = await a.create('qr_codes', MENU)
    await a.sync()
    await b.sync()
    await b.update('qr_codes', (await b.row('qr_codes'))['id'], { name: 'From B' })
    await b.sync()
    await a.update('qr_codes', menu, { remark: 'from A' })
    const log = await a.sync()
    expect(log.resolvedConflicts).toHaveLength(1)
    await b.sync()
    for (const device of [a, b])
      expect(await device.row('qr_codes')).toMatchObject({ name: 'From B', remark: 'from A', _status: 'synced' })
    expect(await openConflicts(a)).toEqual([])
  })

  test('are merged when the server’s change is newer and comes between pull and push', async () => {
    const [a, b] = await twoDevices()
    const menu = await a.create('qr_codes', MENU)
    await a.sync()
    await b.sync()
    await a.update('qr_codes', menu, { remark: 'from A' })
    await editInBetween(a, b, { name: 'From B' }, -60_000)
    expect(a.reported).toMatchObject([{ table: 'qr_codes', result: { status: 'CONFLICT', localId: menu } }])
    expect(await a.row('qr_codes')).toMatchObject({ name: 'Menu', remark: 'from A', _status: 'updated' })
    expect(await openConflicts(a)).toEqual([])

    await a.sync()
    await b.sync()
    for (const device of [a, b])
      expect(await device.row('qr_codes')).toMatchObject({ name: 'From B', remark: 'from A', _status: 'synced' })
  })

  test('leave other columns alone when the pushed change is newer, and the lost state is on the list of conflicts', async () => {
    const [a, b] = await twoDevices()
    const menu = await a.create('qr_codes', MENU)
    await a.sync()
    await b.sync()
    await a.update('qr_codes', menu, { remark: 'from A' })
    await editInBetween(a, b, { name: 'From B', remark: 'from B' }, 60_000)
    const [conflict] = await openConflicts(a)
    expect(conflict).toMatchObject({ winner: 'CLIENT', serverData: { name: 'From B', remark: 'from B' } })
    expect(a.reported).toMatchObject([{ result: { status: 'APPLIED', conflictId: conflict.id } }])
    await a.sync()
    await b.sync()
    for (const device of [a, b])
      expect(await device.row('qr_codes')).toMatchObject({ name: 'From B', remark: 'from A', _status: 'synced' })
  })

  test('end with the deletion if one device has deleted the row', async () => {
    const [a, b] = await twoDevices()
    await a.create('qr_codes', MENU)
    await a.sync()
    await b.sync()
    await b.delete('qr_codes', (await b.row('qr_codes'))['id'])
    await a.update('qr_codes', (await a.row('qr_codes'))['id'], { name: 'Changed' })
    await a.sync()
    await b.sync()
    await a.sync()
    expect(await a.rows('qr_codes')).toEqual([])
    expect(await b.rows('qr_codes')).toEqual([])
    // The change had been pulled before the deletion was pushed.
    expect(await openConflicts(b)).toEqual([])
  })

  test('do not conflict if the second is a deletion on the same device', async () => {
    const [a] = await twoDevices()
    const menu = await a.create('qr_codes', MENU)
    await a.sync()
    await a.sync()
    await a.update('qr_codes', menu, { name: 'Changed' })
    await a.sync()
    await a.delete('qr_codes', menu)
    await a.sync()
    expect((await pullAll(a)).qrCode.updated).toEqual([])
    expect(await openConflicts(a)).toEqual([])
    expect(a.reported).toEqual([])
  })
})

describe('a row that was deleted elsewhere and changed here', () => {
  const TABLES = { qr_codes: { ...MENU, remark: 'at the door' }, categories: { name: 'Menus', color: '#ff0000' } }

  /** Two devices that have a row of each table. */
  async function withRows(): Promise<[Device, Device]> {
    const [a, b] = await twoDevices()
    for (const [table, values] of Object.entries(TABLES)) await a.create(table, values)
    await a.sync()
    await b.sync()
    return [a, b]
  }

  async function change(device: Device): Promise<void> {
    for (const table of Object.keys(TABLES))
      await device.update(table, (await device.row(table))['id'], { name: 'Changed' })
  }

  /** Deletes the rows, and waits until changes are later than that. */
  async function deleteAll(device: Device): Promise<void> {
    for (const table of Object.keys(TABLES)) await device.delete(table, (await device.row(table))['id'])
    await device.sync()
    const { newLastPulledAt } = await device.sync()
    while (Date.now() <= newLastPulledAt!) await Bun.sleep(newLastPulledAt! - Date.now() + 1)
  }

  test('comes back with all its columns if the change is later, which is reported', async () => {
    const [a, b] = await withRows()
    await deleteAll(a)
    await change(b)
    await b.sync()
    const conflictId = expect.any(Number)
    expect(b.reported).toMatchObject(Object.keys(TABLES).map(() => ({ result: { status: 'APPLIED', conflictId } })))
    await b.sync()
    await a.sync()
    for (const device of [a, b])
      for (const [table, values] of Object.entries(TABLES))
        expect(await device.row(table)).toMatchObject({ ...values, name: 'Changed', _status: 'synced' })
    expect(b.reported).toHaveLength(2)
  })

  test('is deleted by the next synchronization if the deletion is later, which is reported', async () => {
    const [a, b] = await withRows()
    await change(b)
    await deleteAll(a)
    await b.sync()
    expect(b.reported).toMatchObject(Object.keys(TABLES).map(() => ({ result: { status: 'CONFLICT' } })))
    for (const table of Object.keys(TABLES)) expect(await b.row(table)).toMatchObject({ name: 'Changed' })
    await b.sync()
    for (const table of Object.keys(TABLES)) expect(await b.rows(table)).toEqual([])
    expect(await hasUnsyncedChanges({ database: b.database })).toBe(false)
    expect(b.reported).toHaveLength(2)
    const { items } = ok(await b.user.get('/api/sync/conflicts', { status: 'ALL' })).data
    expect(items).toHaveLength(2)
  })

  test('is judged once more if the user changes it again after the change lost', async () => {
    const [a, b] = await withRows()
    await change(b)
    await deleteAll(a)
    await b.sync()
    await b.update('qr_codes', (await b.row('qr_codes'))['id'], { name: 'Once more' })
    await b.sync()
    await a.sync()
    expect(await a.row('qr_codes')).toMatchObject({ ...TABLES.qr_codes, name: 'Once more' })
    expect(await b.rows('categories')).toEqual([])
  })
})

test('a user can bring back the state that their change replaced', async () => {
  const [a, b] = await twoDevices()
  const menu = await a.create('qr_codes', MENU)
  await a.sync()
  await b.sync()
  await a.update('qr_codes', menu, { name: 'From A' })
  await editInBetween(a, b, { name: 'From B' }, 60_000)
  const [conflict] = await openConflicts(a)
  ok(await a.user.post('/api/sync/resolve', { conflictId: conflict.id, acceptServer: true }))
  await a.sync()
  await b.sync()
  for (const device of [a, b]) expect(await device.row('qr_codes')).toMatchObject({ name: 'From B', _status: 'synced' })
})

test('rows of an organization come to its members, and disappear when they leave it', async () => {
  const [owner, member] = [
    await Device.of(server, await server.person()),
    await Device.of(server, await server.person()),
  ]
  const org = await createOrg(owner.user)
  await addMembers(owner.user, org, member.user)
  const category = await owner.create('asset_categories', { name: 'Laptops', org_id: org.id })
  await owner.create('assets', { name: 'X1', category_id: category, org_id: org.id })
  await owner.create('qr_codes', MENU)
  await owner.sync()
  expect(owner.reported).toEqual([])
  await member.sync()
  const onMember = await member.row('assets')
  expect(onMember).toMatchObject({
    name: 'X1',
    org_id: org.id,
    category_id: (await member.row('asset_categories'))['id'],
  })
  expect(await member.rows('qr_codes')).toEqual([])

  ok(await leave(member.user, org))
  await member.update('assets', onMember['id'], { name: 'Changed after leaving' })
  await member.sync()
  expect(member.reported).toMatchObject([{ table: 'assets', result: { status: 'REJECTED', code: 404 } }])
  await member.sync()
  expect(member.reported).toHaveLength(1)
  expect(await member.rows('assets')).toEqual([])
  expect(await member.rows('asset_categories')).toEqual([])
  expect(await hasUnsyncedChanges({ database: member.database })).toBe(false)
  await owner.sync()
  expect(await owner.row('assets')).toMatchObject({ name: 'X1', server_version: 1 })
})

describe('after a push whose answer was lost', () => {
  /** Pushes as `synchronize()` does, and loses the answer. */
  async function loseAnswer(device: Device): Promise<void> {
    const lost = device.sync({
      pushChanges: async (args) => {
        await device.shim.pushChanges(args)
        throw new Error('connection reset')
      },
    })
    await expect(lost).rejects.toThrow('connection reset')
  }

  test('rows are not duplicated, later changes are sent, and versions grow by real changes only', async () => {
    const [a, b] = await twoDevices()
    const menu = await a.create('qr_codes', MENU)
    const poster = await a.create('qr_codes', { name: 'Poster', content: 'https://example.org/poster' })
    await loseAnswer(a)
    // The notes of the shim are lost too.
    await a.database.localStorage.remove('tessera_sync')
    expect(await hasUnsyncedChanges({ database: a.database })).toBe(true)
    await a.update('qr_codes', menu, { name: 'Menu of the day' })
    await a.create('qr_codes', { name: 'Third', content: 'https://example.org/3' })
    await a.sync()
    await b.sync()
    expect((await b.rows('qr_codes')).map(({ name, server_version: version }) => [name, version])).toEqual([
      ['Menu of the day', 2],
      ['Poster', 1],
      ['Third', 1],
    ])
    await a.delete('qr_codes', poster)
    await loseAnswer(a)
    await a.sync()
    await b.sync()
    expect((await b.rows('qr_codes')).map(({ name }) => name)).toEqual(['Menu of the day', 'Third'])
    expect(await openConflicts(a)).toEqual([])
    expect(a.reported).toEqual([])
  })

  test('a row that was deleted elsewhere in the meantime disappears', async () => {
    const [a, b] = await twoDevices()
    await a.create('qr_codes', MENU)
    await loseAnswer(a)
    await a.database.localStorage.remove('tessera_sync')
    await b.sync()
    await b.delete('qr_codes', (await b.row('qr_codes'))['id'])
    await b.sync()
    await a.sync()
    await a.sync()
    expect(await a.rows('qr_codes')).toEqual([])
    expect(await hasUnsyncedChanges({ database: a.database })).toBe(false)
  })

  test('the same request gets the same answer', async () => {
    const [a] = await twoDevices()
    await a.create('qr_codes', MENU)
    await a.sync({
      pushChanges: async (args) => {
        await a.shim.pushChanges(args)
        return a.shim.pushChanges(args)
      },
    })
    expect((await pullAll(a)).qrCode.updated).toMatchObject([{ name: 'Menu', version: 1 }])
    expect(a.reported).toEqual([])
  })
})

test('a row that was pushed and deleted elsewhere before it came back disappears', async () => {
  const [a, b] = await twoDevices()
  await a.create('qr_codes', MENU)
  await a.sync()
  await b.sync()
  await b.delete('qr_codes', (await b.row('qr_codes'))['id'])
  await b.sync()
  expect(await a.rows('qr_codes')).toHaveLength(1)
  await a.sync()
  expect(await a.rows('qr_codes')).toEqual([])
})

test('rows that were created here are recognized long afterwards, when others delete them or refer to them', async () => {
  const [a, b] = await twoDevices()
  const menus = await a.create('categories', { name: 'Menus' })
  await a.create('qr_codes', MENU)
  await a.sync()
  // Another push, after which the shim remembers no answers to the first.
  await a.create('scan_records', { content: 'hello' })
  await a.sync()
  await a.sync()
  await b.sync()
  const onB = (await b.row('qr_codes'))['id']
  await b.update('qr_codes', onB, { category_id: (await b.row('categories'))['id'] })
  await b.sync()
  await a.sync()
  expect(await a.row('qr_codes')).toMatchObject({ category_id: menus })
  await b.delete('qr_codes', onB)
  await b.sync()
  await a.sync()
  expect(await a.rows('qr_codes')).toEqual([])
})

test('rows that the server refuses stay unsynchronized, are reported, and do not stop the others', async () => {
  const [a, b] = await twoDevices()
  const red = await a.create('categories', { name: 'Red', color: 'red' })
  await a.create('categories', { name: 'Blue', color: '#0000ff' })
  const code = await a.create('qr_codes', { ...MENU, category_id: red })
  const log = await a.sync()
  expect(log.rejectedIds).toMatchObject({ categories: [red], qr_codes: [code] })
  expect(a.reported).toMatchObject([
    { table: 'categories', result: { status: 'REJECTED', code: 400, localId: red, details: [{ path: 'data.color' }] } },
    { table: 'qr_codes', result: { status: 'REJECTED', code: 400, details: [{ path: 'data.categoryId' }] } },
  ])
  await b.sync()
  expect(await b.row('categories')).toMatchObject({ name: 'Blue' })

  await a.update('categories', red, { color: '#ff0000' })
  await a.sync()
  await b.sync()
  expect(await hasUnsyncedChanges({ database: a.database })).toBe(false)
  expect((await b.rows('categories')).map(({ name }) => name)).toEqual(['Blue', 'Red'])
  expect(await b.rows('qr_codes')).toHaveLength(1)
})

test('changes that the user makes during a push are sent by the next one', async () => {
  const [a, b] = await twoDevices()
  const menu = await a.create('qr_codes', MENU)
  await a.sync({
    pushChanges: async (args) => {
      await a.update('qr_codes', menu, { name: 'Changed during the push' })
      return a.shim.pushChanges(args)
    },
  })
  expect(await a.row('qr_codes')).toMatchObject({ name: 'Changed during the push', _status: 'created' })
  await a.sync()
  expect(await a.row('qr_codes')).toMatchObject({ name: 'Changed during the push', _status: 'synced' })
  await b.sync()
  expect(await b.row('qr_codes')).toMatchObject({ name: 'Changed during the push' })
})

test('a client that has to pull everything again keeps its new rows and its own tables, and loses rows that are gone', async () => {
  const [a, b] = await twoDevices()
  await a.create('qr_codes', MENU)
  await a.create('qr_codes', { name: 'Poster', content: 'https://example.org/poster' })
  await a.sync()
  await b.sync()
  await b.create('qr_codes', { name: 'New', content: 'https://example.org/new' })
  await b.create('drafts', { text: 'a draft' })
  await a.delete('qr_codes', (await a.rows('qr_codes'))[1]!['id'])
  await a.sync()
  // The server cannot know the changes after a time that is still to come.
  await b.database.adapter.setLocal('__watermelon_last_pulled_at', String(Date.now() + 86_400_000))
  const log = await b.sync()
  expect(log.newLastPulledAt).toBeLessThan(log.lastPulledAt!)
  expect((await b.rows('qr_codes')).map(({ name }) => name)).toEqual(['Menu', 'New'])
  expect(await b.row('drafts')).toMatchObject({ text: 'a draft' })
  await a.sync()
  expect((await a.rows('qr_codes')).map(({ name }) => name)).toEqual(['Menu', 'New'])
})

test('after a migration of the app’s schema, all rows are pulled again', async () => {
  const [a] = await twoDevices()
  await a.create('qr_codes', MENU)
  const { newLastPulledAt: lastPulledAt } = await a.sync()
  const migration = { from: 1, tables: [], columns: [{ table: 'qr_codes', columns: ['remark'] }] }
  const pulled = await a.shim.pullChanges({ lastPulledAt: lastPulledAt! + 1000, schemaVersion: 2, migration })
  expect(pulled.changes['qr_codes']!.updated).toMatchObject([MENU])
  expect(pulled.experimentalStrategy).toMatchObject({ default: 'incremental', override: { qr_codes: 'replacement' } })
})

test('a refused request ends the synchronization with the server’s status, and nothing is lost', async () => {
  const [a] = await twoDevices()
  await a.create('qr_codes', MENU)
  const { token } = a.user
  a.user.token = 'expired'
  await expect(a.sync()).rejects.toMatchObject({ status: 401 })
  expect(await hasUnsyncedChanges({ database: a.database })).toBe(true)
  a.user.token = token
  await a.sync()
  expect(await hasUnsyncedChanges({ database: a.database })).toBe(false)
})

test('tables without the columns of the shim are refused at the start', async () => {
  const [a] = await twoDevices()
  const start = () =>
    tesseraSync({
      url: server.url,
      headers: () => ({}),
      database: a.database,
      tables: { drafts: { entity: 'qrCode' } },
    })
  expect(start).toThrow('drafts needs a column server_id')
})

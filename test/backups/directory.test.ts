/** The setting `backup.directory`: which folders are accepted, and what happens to backups when it changes. */

import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createRole, grant } from '../access/helpers.ts'
import { inProcess, ok, startServer, useServer } from '../harness/index.ts'
import { list, make } from './helpers.ts'

const { server, admin, deputy } = useServer({ people: ['deputy'] })

const home = mkdtempSync(join(tmpdir(), 'tessera-folders-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const folder = (name: string) => {
  const path = join(home, name)
  mkdirSync(path, { recursive: true })
  return path
}
const KEY = 'backup.directory'
const choose = (path: string | null, who = admin) =>
  who.call('admin.settings.update', { body: { values: { [KEY]: path } } })
const setting = async (who = admin) =>
  ok(await who.call('admin.settings.list')).data.items.find(({ key }) => key === KEY)!
const health = async () => JSON.parse((await admin.send('GET', '/actuator/health')).text).components.backup as object

afterEach(async () => void ok(await choose(null)))

test('backups are made in the chosen folder, and those of the folder before stay there', async () => {
  const before = await make(admin)
  const path = folder('one')
  ok(await choose(path))
  expect(readdirSync(path)).toEqual([])
  expect(await list(admin)).toMatchObject({ items: [], folder: { path, lockedBy: null, isWithData: true } })
  const made = await make(admin)
  expect(made).toMatchObject({ state: 'READY' })
  expect(readdirSync(path).toSorted()).toEqual([made.name, `${made.name}.json`])
  ok(await choose(null))
  expect((await list(admin)).items.map(({ name }) => name)).toEqual([before.name])
  expect((await list(admin)).folder.path).toBe(join(server.dataDir, 'backups'))
})

const inData = () => join(server.dataDir, 'backups')
test.each<[string, () => string, string]>([
  ['a relative path', () => 'backups', 'must be a whole path'],
  ['a folder that is missing', () => join(home, 'missing'), 'is not an existing folder'],
  ['a file', () => (writeFileSync(join(home, 'file'), ''), join(home, 'file')), 'is not an existing folder'],
  ['the data directory', () => server.dataDir, 'is in a folder of the server’s own data'],
  ['a folder in the data directory', () => inData(), 'is in a folder of the server’s own data'],
  [
    'a link to a folder in the data directory',
    () => (symlinkSync(inData(), join(home, 'link')), join(home, 'link')),
    'is in a folder of the server’s own data',
  ],
  ['a folder that gives no file', () => '/proc', 'cannot be written to and read'],
  ['control characters', () => `${home}\u0007`, 'characters that are not allowed'],
])('%s is refused with the reason, and nothing changes', async (_, path, reason) => {
  mkdirSync(inData(), { recursive: true })
  const refused = await choose(path())
  expect(refused.status).toBe(400)
  expect(refused.details).toMatchObject([{ path: `body.values.${KEY}`, message: expect.stringContaining(reason) }])
  expect(await setting()).toMatchObject({ value: '', updatedAt: null })
})

test('a folder beside the data directory whose name begins like it is accepted', async () => {
  const path = `${server.dataDir}-backups`
  mkdirSync(path)
  ok(await choose(path))
  rmSync(path, { recursive: true })
})

test('a chosen folder that has gone is not created again: backups are refused, and the health says so', async () => {
  const path = folder('gone')
  ok(await choose(path))
  rmSync(path, { recursive: true })
  const refused = await admin.call('backups.create', { body: { format: 'ZST' } })
  expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('connect its disk')])
  expect((await list(admin)).folder.isWithData).toBeNull()
  expect(await health()).toMatchObject({ status: 'DOWN' })
  expect(readdirSync(home)).not.toContain('gone')
})

test('administrators without SYSTEM_ADMIN are refused, and do not learn what is on the disk', async () => {
  const role = await createRole(admin, { domain: 'PLATFORM', permissions: ['setting:read', 'setting:update'] })
  await grant(admin, deputy, role)
  for (const path of [folder('two'), join(home, 'missing')]) expect((await choose(path, deputy)).status).toBe(403)
  expect(await setting(deputy)).toMatchObject({ mayChange: false })
})

test.if(inProcess)('a folder of the start wins, is shown as locked, and cannot be changed here', async () => {
  const path = folder('start')
  await using other = await startServer({ config: { backupDir: path } })
  const root = await other.admin()
  const find = async () => ok(await root.call('admin.settings.list')).data.items.find(({ key }) => key === KEY)!
  expect(await find()).toMatchObject({ value: path, lockedBy: 'TESSERA_BACKUP_DIR', mayChange: false, updatedAt: null })
  const refused = await choose(folder('else'), root)
  expect([refused.status, refused.details[0]?.message]).toEqual([
    400,
    'is set by TESSERA_BACKUP_DIR, and can only be changed there',
  ])
  // The value in force is accepted, and not stored.
  ok(await choose(path, root))
  expect(await find()).toMatchObject({ updatedAt: null })
  expect((await list(root)).folder).toMatchObject({ path, lockedBy: 'TESSERA_BACKUP_DIR' })
})

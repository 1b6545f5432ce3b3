/** Restores that an administrator starts: the server replaces its data and goes on by itself, wherever it is killed. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { ok, send } from '../harness/client.ts'
import { until } from '../harness/index.ts'
import { members, pack } from './archive.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const PASSWORD = 'correct horse battery'
const ADMIN = { TESSERA_ADMIN_USERNAME: 'root', TESSERA_ADMIN_PASSWORD: PASSWORD }
const API = '/api/admin/backups'
const device = (name: string) => ({ 'x-device-id': `device-of-${name}-long-enough` })
const inData = (path: string): string => join(place.dataDir, path)
const kept = () => readdirSync(place.dataDir).filter((name) => name.startsWith('before-restore-'))

type Headers = Record<string, string>

async function signIn(url: string, account = 'root'): Promise<Headers> {
  const { data } = ok(
    await send(url, 'POST', '/api/auth/login', { headers: device(account), body: { account, password: PASSWORD } }),
  )
  return { ...device(account), authorization: `Bearer ${data.accessToken}` }
}

const register = async (url: string, username: string) =>
  ok(
    await send(url, 'POST', '/api/auth/register', {
      headers: device(username),
      body: { username, password: PASSWORD },
    }),
  )

/** Whether the user can sign in. */
const exists = async (url: string, account: string): Promise<boolean> =>
  (await send(url, 'POST', '/api/auth/login', { headers: device(account), body: { account, password: PASSWORD } }))
    .status === 200

async function idle(url: string, headers: Headers) {
  let list: { isBusy: boolean; items: { name: string; state: string; verification: { state: string } }[] }
  await until(async () => !(list = ok(await send(url, 'GET', API, { headers })).data).isBusy)
  return list!.items
}

/** Makes and verifies a backup, and returns its name. */
async function backUp(url: string, headers: Headers): Promise<string> {
  const { name } = ok(await send(url, 'POST', API, { headers, body: {} })).data
  await idle(url, headers)
  ok(await send(url, 'POST', `${API}/${name}/verify`, { headers }))
  const found = (await idle(url, headers)).find((one) => one.name === name)!
  expect(found.verification.state).toBe('GOOD')
  return name
}

const restore = (url: string, headers: Headers, name: string, body: object = {}) =>
  send(url, 'POST', `${API}/${name}/restore`, { headers, body: { confirm: name, ...body } })

const health = async (url: string) =>
  (await fetch(`${url}/actuator/health`).then((response) => response.json())) as { status: string; reason?: string }
const isUp = (url: string) =>
  health(url).then(
    ({ status }) => status === 'UP',
    () => false,
  )

/** Waits until the server has gone down for the restore and answers again. */
async function restored(server: RunningCli, times = 1): Promise<void> {
  const count = () => server.stderr().match(/the data was replaced|the data was not replaced/g)?.length ?? 0
  await until(() => count() >= times)
  await until(() => isUp(server.url))
}

const restores = async (url: string, headers: Headers) =>
  ok(await send(url, 'GET', '/api/admin/restores', { headers })).data.items

/** Signs in, registers ann, backs up, and registers ben, who is not in the backup. */
async function prepared(server: RunningCli) {
  const { url } = server
  const headers = await signIn(url)
  await register(url, 'ann')
  const name = await backUp(url, headers)
  await register(url, 'ben')
  writeFileSync(inData('files/marker'), 'of today')
  return { url, headers, name }
}

describe.if(!onPostgres)('a restore on SQLite', () => {
  test('brings the backup in, ends sessions, is logged and told, and can be undone', async () => {
    const server = await place.serve([], { env: ADMIN })
    const { url, headers, name } = await prepared(server)
    const { data: preview } = ok(await send(url, 'POST', `${API}/${name}/preview`, { headers }))
    expect(preview).toMatchObject({
      schema: 'SAME',
      database: 'SAME_KIND',
      secretFits: true,
      administrators: ['root'],
      refusals: [],
    })
    expect(preview.rows.find(({ what }: { what: string }) => what === 'users')).toEqual({
      what: 'users',
      here: 3,
      backup: 2,
    })

    const { data: started } = ok(await restore(url, headers, name))
    await restored(server)
    expect(await exists(url, 'ann')).toBe(true)
    expect(await exists(url, 'ben')).toBe(false)
    expect(existsSync(inData('files/marker'))).toBe(false)
    expect((await send(url, 'GET', API, { headers })).status).toBe(401)

    const again = await signIn(url)
    const log = ok(await send(url, 'GET', '/api/admin/logs', { headers: again })).data.items
    expect(log[0]).toMatchObject({ action: 'BACKUP_RESTORE', actorName: 'root', targetName: name })
    expect(log[0].before.log).toMatch(/^\d+:\S{43}$/)
    expect(log[0].after).toMatchObject({ restore: started.id })
    const notices = ok(await send(url, 'GET', '/api/notifications', { headers: again })).data.items
    expect(notices.filter(({ title }: { title: string }) => title === 'A backup was restored')).toHaveLength(1)
    const [row] = await restores(url, again)
    expect(row).toMatchObject({
      id: started.id,
      kind: 'RESTORE',
      name,
      state: 'DONE',
      undo: true,
      startedBy: { name: 'root' },
    })

    const undone = ok(await send(url, 'POST', `/api/admin/restores/${row.id}/undo`, { headers: again, body: {} })).data
    await restored(server, 2)
    expect(await exists(url, 'ben')).toBe(true)
    expect(readFileSync(inData('files/marker'), 'utf8')).toBe('of today')
    const last = await signIn(url)
    const [undo, first] = await restores(url, last)
    expect(undo).toMatchObject({ id: undone.id, kind: 'UNDO', name: row.id, state: 'DONE', undo: true })
    expect(first).toMatchObject({ id: row.id, state: 'DONE', undo: false })
    expect(ok(await send(url, 'GET', '/api/admin/logs', { headers: last })).data.items[0].action).toBe('BACKUP_UNDO')
    ok(await send(url, 'DELETE', `/api/admin/restores/${undo.id}`, { headers: last }))
    expect(kept()).toEqual([])
    expect(await server.end()).toBe(0)
    expect((await place.run(['log', 'verify'])).code).toBe(0)
  })

  test('leaves the old data or the new, wherever the server is killed, and says which', async () => {
    const server = await place.serve([], { env: ADMIN })
    // Long enough to be read for some time, and short as a compressed file.
    writeFileSync(inData('files/large'), Buffer.alloc(60e6))
    const { headers, name } = await prepared(server)
    const has = (start: string) => readdirSync(place.dataDir).some((one) => one.startsWith(start))
    /** Each becomes true at some time between the answer and the end of the restore, and is not missed if that comes early. */
    const moments: [string, () => boolean][] = [
      ['the answer was sent', () => true],
      ['the backup is unpacked', () => has('restore-2') || kept().length > 0],
      ['the restore is decided', () => has('restore.json') || kept().length > 0],
      ['the data was replaced', () => kept().length > 0 && !has('restore.json')],
    ]
    let running = server
    let signedIn = headers
    const outcomes: boolean[] = []
    for (const [moment, isNow] of moments) {
      ok(await restore(running.url, signedIn, name))
      await until(isNow)
      await running.end('SIGKILL')
      running = await place.serve([], { env: ADMIN })
      const isNew = !(await exists(running.url, 'ben'))
      outcomes.push(isNew)
      expect(existsSync(inData('files/marker')), moment).toBe(!isNew)
      // The process that reads the backup ends a moment after the server.
      await until(() => !readdirSync(place.dataDir).some((one) => /^restore[-.]/.test(one)))
      signedIn = await signIn(running.url)
      const [row] = await restores(running.url, signedIn)
      expect(row, moment).toMatchObject({ name, state: isNew ? 'DONE' : 'FAILED', undo: isNew })
      if (!isNew) continue
      const log = ok(await send(running.url, 'GET', '/api/admin/logs', { headers: signedIn })).data.items
      expect(log.filter(({ after }: { after: { restore?: string } | null }) => after?.restore === row.id)).toHaveLength(
        1,
      )
      ok(await send(running.url, 'POST', `/api/admin/restores/${row.id}/undo`, { headers: signedIn, body: {} }))
      await restored(running)
      signedIn = await signIn(running.url)
      for (const { id, undo } of await restores(running.url, signedIn))
        if (undo) ok(await send(running.url, 'DELETE', `/api/admin/restores/${id}`, { headers: signedIn }))
      expect(await exists(running.url, 'ben')).toBe(true)
    }
    expect(outcomes[0]).toBe(false)
    expect(outcomes.at(-1)).toBe(true)
    await running.end()
  }, 120_000)

  test('keeps the folder of backups of this machine, unless it is to come from the backup', async () => {
    const server = await place.serve([], { env: ADMIN })
    const [before, now] = [join(place.home, 'before'), join(place.home, 'now')]
    for (const folder of [before, now]) mkdirSync(folder)
    const choose = async (headers: Headers, folder: string) =>
      ok(
        await send(server.url, 'PUT', '/api/admin/settings', {
          headers,
          body: { values: { 'backup.directory': folder } },
        }),
      )
    const folderOf = async (headers: Headers) => ok(await send(server.url, 'GET', API, { headers })).data.folder.path
    await choose(await signIn(server.url), before)
    const { url, headers, name } = await prepared(server)
    expect(readdirSync(before)).toContain(name)
    await choose(headers, now)
    for (const file of [name, `${name}.json`]) renameSync(join(before, file), join(now, file))
    ok(await restore(url, headers, name))
    await restored(server)
    const again = await signIn(url)
    expect(await folderOf(again)).toBe(now)
    ok(await restore(url, again, name, { keepServerValues: false }))
    await restored(server, 2)
    expect(await folderOf(await signIn(url))).toBe(before)
    await server.end()
  })

  test('keeps the address of this machine, and that of the backup leads here too', async () => {
    const server = await place.serve([], { env: ADMIN })
    const proxy = async (headers: Headers, publicUrl: string) =>
      ok(await send(server.url, 'PUT', '/api/admin/server/reach', { headers, body: { mode: 'PROXY', publicUrl } }))
    const reach = async (headers: Headers) =>
      ok(await send(server.url, 'GET', '/api/admin/server', { headers })).data.reach
    const [before, now] = ['https://before.example.org', 'https://now.example.org']
    await proxy(await signIn(server.url), before)
    const { url, headers, name } = await prepared(server)
    await proxy(headers, now)
    ok(await restore(url, headers, name))
    await restored(server)
    const again = await signIn(url)
    expect(await reach(again)).toMatchObject({ mode: 'PROXY', publicUrl: now, aliases: [{ origin: before }] })
    ok(await restore(url, again, name, { keepServerValues: false }))
    await restored(server, 2)
    expect(await reach(await signIn(url))).toMatchObject({ mode: 'PROXY', publicUrl: before, aliases: [] })
    await server.end()
  })

  test('happens once if two are asked for at the same time', async () => {
    const server = await place.serve([], { env: ADMIN })
    const { url, headers, name } = await prepared(server)
    const replies = await Promise.all([restore(url, headers, name), restore(url, headers, name)])
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect([400, 503]).toContain(replies.find(({ status }) => status !== 200)!.status)
    await restored(server)
    const again = await signIn(url)
    expect(await restores(url, again)).toHaveLength(1)
    await server.end()
  })

  test('changes nothing if the file was damaged after its verification, and the server goes on', async () => {
    const server = await place.serve([], { env: ADMIN })
    const { url, headers, name } = await prepared(server)
    const file = inData(`backups/${name}`)
    const bytes = readFileSync(file)
    bytes[bytes.length - 100]! ^= 1
    writeFileSync(file, bytes)
    ok(await restore(url, headers, name))
    await restored(server)
    expect(await exists(url, 'ben')).toBe(true)
    const [row] = await restores(url, headers)
    expect(row).toMatchObject({ state: 'FAILED', undo: false })
    expect(row.problem).toContain('The data was not replaced')
    expect(readdirSync(place.dataDir).filter((one) => one.includes('restore-'))).toEqual([])
    ok(await send(url, 'POST', API, { headers, body: {} }))
    await server.end()
  })

  test('goes back if the server cannot start with the backup', async () => {
    const server = await place.serve([], { env: ADMIN })
    const { url, headers, name } = await prepared(server)
    const good = await members(inData(`backups/${name}`))
    const work = join(place.home, 'tessera.db')
    writeFileSync(work, good.get('tessera.db')!)
    const db = new Database(work)
    db.run("CREATE TRIGGER broken BEFORE INSERT ON notifications BEGIN SELECT RAISE(ABORT, 'broken'); END")
    db.close()
    const bytes = readFileSync(work)
    const manifest = JSON.parse(new TextDecoder().decode(good.get('manifest.json'))) as { files: { path: string }[] }
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    manifest.files = manifest.files.map((one) =>
      one.path === 'tessera.db' ? { ...one, size: bytes.length, sha256 } : one,
    )
    const changed = new Map(good).set('tessera.db', bytes).set('manifest.json', Buffer.from(JSON.stringify(manifest)))
    const bad = 'bad.tar.zst'
    await pack(inData(`backups/${bad}`), changed)
    ok(await send(url, 'POST', `${API}/${bad}/verify`, { headers }))
    await idle(url, headers)
    ok(await restore(url, headers, bad))
    await until(() => server.stderr().includes('the old data comes back'))
    await until(() => isUp(url))
    expect(await exists(url, 'ben')).toBe(true)
    const [row] = await restores(url, headers)
    expect(row).toMatchObject({ state: 'FAILED', undo: false })
    expect(kept()).toEqual([])
    await server.end()
  })

  test('answers with a page that loads again, and health with the step', async () => {
    const server = await place.serve([], { env: ADMIN })
    writeFileSync(inData('files/large'), Buffer.alloc(60e6))
    const { url, headers, name } = await prepared(server)
    ok(await restore(url, headers, name))
    const steps = new Set<unknown>()
    let page: Response | undefined
    let api: Response | undefined
    await until(async () => {
      const found = (await health(url).catch(() => undefined)) as { reason?: string; step?: string } | undefined
      if (found?.reason !== 'RESTORE') return found !== undefined && steps.size > 0
      steps.add(found.step)
      page ??= await fetch(`${url}/any/path`, { headers: { accept: 'text/html' } }).catch(() => undefined)
      api ??= await fetch(`${url}/api/qr-codes`).catch(() => undefined)
      return false
    })
    expect([...steps]).toContain('CHECKING')
    expect([page!.status, api!.status]).toEqual([503, 503])
    expect(page!.headers.get('refresh')).toBe('3')
    await restored(server)
    await server.end()
  })

  test('is refused with another secret, a wrong name and a wrong password', async () => {
    const other = await place.serve([], {
      env: { ...ADMIN, TESSERA_SECRET: 'a secret of the first server, long enough' },
    })
    const name = await backUp(other.url, await signIn(other.url))
    await other.end()
    const server = await place.serve([], { env: { ...ADMIN, TESSERA_SECRET: 'another secret that is long enough' } })
    const headers = await signIn(server.url)
    const { data } = ok(await send(server.url, 'POST', `${API}/${name}/preview`, { headers }))
    expect(data.secretFits).toBe(false)
    expect(data.refusals.map(({ code }: { code: string }) => code)).toEqual(['SECRET'])
    const refused = await restore(server.url, headers, name)
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('TESSERA_SECRET')
    const wrongName = await restore(server.url, headers, name, { confirm: 'other.tar.zst' })
    expect([wrongName.status, wrongName.details[0]?.path]).toEqual([400, 'body.confirm'])
    expect((await restore(server.url, headers, name, { password: 'wrong password' })).status).toBe(400)
    expect(existsSync(inData('restores.json'))).toBe(false)
    await server.end()
  })

  test('can be undone twice, one after the other', async () => {
    const server = await place.serve([], { env: ADMIN })
    const { url, headers, name } = await prepared(server)
    ok(await restore(url, headers, name))
    await restored(server)
    await register(url, 'cleo')
    const second = await signIn(url)
    ok(await restore(url, second, name))
    await restored(server, 2)
    expect(await exists(url, 'cleo')).toBe(false)
    const [newest, oldest] = await restores(url, await signIn(url))
    ok(await send(url, 'POST', `/api/admin/restores/${newest.id}/undo`, { headers: await signIn(url), body: {} }))
    await restored(server, 3)
    expect(await exists(url, 'cleo')).toBe(true)
    expect(await exists(url, 'ben')).toBe(false)
    ok(await send(url, 'POST', `/api/admin/restores/${oldest.id}/undo`, { headers: await signIn(url), body: {} }))
    await restored(server, 4)
    expect(await exists(url, 'ben')).toBe(true)
    await server.end()
  })

  test('on a new server needs the setup link only, and says who can sign in', async () => {
    const first = await place.serve([], { env: ADMIN })
    await register(first.url, 'ann')
    const name = await backUp(first.url, await signIn(first.url))
    const bytes = readFileSync(inData(`backups/${name}`))
    await first.end()

    const fresh = { env: { TESSERA_DATA_DIR: join(place.home, 'fresh') } }
    const server = await place.serve([], fresh)
    const { url } = server
    // It is printed a moment after the address.
    await until(() => server.stdout().includes('/setup?token='))
    const token = /\/setup\?token=(\S+)/.exec(server.stdout())![1]!
    const visit = (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init })
    const setup = await (await visit(`/setup?token=${token}`)).text()
    expect(setup).toContain(`/setup/restore?token=${token}`)
    expect((await visit('/setup/restore?token=wrong')).status).toBe(403)
    const upload = (given: string, content: Uint8Array) => {
      const form = new FormData()
      form.set('file', new File([Uint8Array.from(content)], name))
      return visit(`/setup/restore?token=${given}`, { method: 'POST', body: form })
    }
    expect((await upload('wrong', bytes)).status).toBe(403)
    const bad = await upload(token, Buffer.from('text'))
    expect([bad.status, (await bad.text()).includes('This is not a backup of Tessera')]).toEqual([400, true])
    const sent = await upload(token, bytes)
    expect(sent.status).toBe(303)
    const page = sent.headers.get('location')!
    let text = ''
    await until(async () => (text = await (await visit(page)).text()).includes('Restore now'))
    expect(text).toContain('root')
    const start = (given: string) =>
      visit('/setup/restore/start', { method: 'POST', body: new URLSearchParams({ token: given, name }) })
    expect((await start('wrong')).status).toBe(403)
    expect(await (await start(token)).text()).toContain('The backup is being restored')
    await restored(server)
    const done = await (await visit(`/setup/restore?token=${token}`)).text()
    expect(done).toContain('root')
    expect(done).toContain('The server has the data of the backup')
    expect(await exists(url, 'ann')).toBe(true)
    const headers = await signIn(url)
    const log = ok(await send(url, 'GET', '/api/admin/logs', { headers })).data.items
    expect(log[0]).toMatchObject({ action: 'BACKUP_RESTORE', actorId: 0, actorName: 'setup link' })
    expect((await upload(token, bytes)).status).toBe(403)
    await server.end()
  })
})

test.if(onPostgres)('with PostgreSQL, the restore is refused with the way to do it', async () => {
  const server = await place.serve([], { env: ADMIN })
  const headers = await signIn(server.url)
  const name = await backUp(server.url, headers)
  const { data } = ok(await send(server.url, 'POST', `${API}/${name}/preview`, { headers }))
  expect(data).toMatchObject({ database: 'SAME_KIND', schema: null })
  expect(data.refusals.map(({ code }: { code: string }) => code)).toEqual(['DATABASE_NOT_EMPTY'])
  const refused = await restore(server.url, headers, name)
  expect(refused.status).toBe(400)
  expect(refused.message).toContain('tessera restore')
  await server.end()
})

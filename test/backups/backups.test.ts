/** Backups in the console: who may do what, one at a time, links, names, and the schedule. */

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { showBackups } from '#domains/backups/backups.service.ts'
import { claimTask, endTask } from '#domains/backups/backups.store.ts'
import { backups } from '#domains/backups/index.ts'
import { writeNote } from '#platform/backup/folder.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { createRole, findRole, grant, revoke } from '../access/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { idle, list, make } from './helpers.ts'

const { server, admin, mallory, operator } = useServer({ people: ['mallory', 'operator'] })

const ZST = { format: 'ZST' as const }
const folder = () => join(server.dataDir, 'backups')
const pathOf = (url: string) => url.slice(new URL(url).origin.length)
const linkOf = async (person: Person, name: string) =>
  ok(await person.call('backups.downloadLink', { params: { name } })).data

describe('a backup', () => {
  test('is made in the background, listed with its author and size, and readable by the owner only', async () => {
    const begun = ok(await admin.call('backups.create', { body: ZST })).data
    expect(begun).toMatchObject({ state: 'RUNNING', source: 'USER', createdBy: { name: 'root' }, bytes: null })
    const { items, lastGoodAt } = await idle(admin)
    const made = items.find(({ name }) => name === begun.name)!
    expect(made).toMatchObject({ state: 'READY', problem: null, progress: null, verification: { state: 'NONE' } })
    expect(made.bytes).toBe(statSync(join(folder(), made.name)).size)
    expect(made.rows).toBeGreaterThan(10)
    expect(lastGoodAt).toBe(made.createdAt)
    for (const name of [made.name, `${made.name}.json`]) expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder()).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test.if(inProcess)('is not shown as failed if it begins while the folder is read', async () => {
    const now = server.ctx.clock.now()
    const name = 'tessera-20260101-000000.tar.zst'
    const task = { id: 'x', kind: 'CREATE', name, progress: 0, until: now } as const
    await server.ctx.db.write('test.claim', (tx) => claimTask(tx, task, now))
    const note = { state: 'RUNNING', source: 'USER', createdBy: null, startedAt: now, finishedAt: null } as const
    const more = { files: null, rows: null, problem: null, verification: null }
    await writeNote(folder(), name, { ...note, ...more })
    const times: number[] = []
    const ctx = { ...server.ctx, clock: { now: () => times.shift() ?? now - 1 } }
    // The settings are read and kept.
    await showBackups(ctx, { page: 1, size: 10 }, 'en')
    // The time at which the kept settings are used. Then the task has not begun when it is read first.
    times.push(now - 1, now, now - 1)
    const { items, isBusy } = await showBackups(ctx, { page: 1, size: 10 }, 'en')
    expect(items.find((one) => one.name === name)).toMatchObject({ state: 'RUNNING', problem: null })
    expect(isBusy).toBe(true)
    await server.ctx.db.write('test.end', (tx) => endTask(tx, task))
    ok(await admin.call('backups.delete', { params: { name } }))
  })

  test('is made by one of several requests at once; the others get 400', async () => {
    await idle(admin)
    const before = (await list(admin)).total
    // A file without blocks on disk, so that the first backup has not ended before the last request.
    const large = join(server.dataDir, 'files', 'large')
    writeFileSync(large, '')
    truncateSync(large, 16e9)
    const replies = await race(8, () => admin.call('backups.create', { body: ZST }))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 400)])
    const { name } = replies.find(({ status }) => status === 200)!.data
    for (const id of ['backups.delete', 'backups.verify', 'backups.downloadLink'] as const)
      expect((await admin.call(id, { params: { name } })).status).toBe(400)
    // The backup of this server need not be complete.
    truncateSync(large, 0)
    expect((await idle(admin)).total).toBe(before + 1)
    rmSync(large)
    ok(await admin.call('backups.delete', { params: { name } }))
  })

  test('is verified in the background, which finds damage', async () => {
    const { name } = await make(admin, 'GZ')
    expect(name).toEndWith('.tar.gz')
    const verify = async () => {
      const begun = ok(await admin.call('backups.verify', { params: { name } })).data
      expect(begun.verification.state).toBe('RUNNING')
      return (await idle(admin)).items.find((one) => one.name === name)!
    }
    expect((await verify()).verification).toMatchObject({ state: 'GOOD', problem: null })
    truncateSync(join(folder(), name), statSync(join(folder(), name)).size - 100)
    const { verification, state } = await verify()
    expect({ state, verification }).toMatchObject({ state: 'READY', verification: { state: 'DAMAGED' } })
    expect(verification.problem).toContain('damaged')
    expect((await idle(admin)).lastGoodAt).not.toBe((await list(admin)).items[0]!.createdAt)
  })

  test('is downloaded with a link that works for a minute, also in parts, and for nothing else', async () => {
    const { name } = await make(admin)
    const other = await make(admin)
    const { url } = await linkOf(admin, name)
    const path = pathOf(url)
    const get = (given: string, headers = {}) => fetch(server.url + given, { headers })
    const whole = await get(path)
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
    expect(whole.headers.get('cache-control')).toBe('private, no-store')
    const bytes = new Uint8Array(await whole.arrayBuffer())
    expect(Buffer.from(bytes).equals(readFileSync(join(folder(), name)))).toBe(true)
    const part = await get(path, { range: 'bytes=10-19' })
    expect(part.status).toBe(206)
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(10, 20))

    for (const bad of [
      path.replace(name, other.name),
      path.replace(/user=\d+/, `user=${mallory.id}`),
      path.replace(/expires=(\d+)/, (_, at: string) => `expires=${Number(at) + 1000}`),
      path.replace(/signature=.*/, 'signature=x'),
    ])
      expect((await get(bad)).status).toBe(403)
    expect((await admin.get(path.split('?')[0]!)).status).toBe(400)
    if (!inProcess) return
    server.clock.advance(MINUTE)
    expect((await get(path)).status).toBe(403)
  })

  test('is downloaded and deleted by SYSTEM_ADMIN only', async () => {
    const { name } = await make(admin)
    const role = await createRole(admin, { permissions: ['system:read', 'setting:update'] })
    ok(await grant(admin, operator, role))
    expect((await list(operator)).items.map((one) => one.name)).toContain(name)
    ok(await operator.call('backups.verify', { params: { name } }))
    await idle(operator)
    for (const id of ['backups.downloadLink', 'backups.delete'] as const)
      expect((await operator.call(id, { params: { name } })).status).toBe(403)
    expect((await mallory.call('backups.list', { query: {} })).status).toBe(403)

    // A link ends with the role of the user for whom it was made.
    const second = await server.person()
    const systemAdmin = await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    ok(await grant(admin, second, systemAdmin))
    const path = pathOf((await linkOf(second, name)).url)
    expect((await fetch(server.url + path, { method: 'HEAD' })).status).toBe(200)
    ok(await revoke(admin, second, systemAdmin))
    expect((await fetch(server.url + path)).status).toBe(403)

    ok(await admin.call('backups.delete', { params: { name } }))
    expect(readdirSync(folder()).filter((file) => file.startsWith(name))).toEqual([])
  })

  test('cannot have a name that leads out of the folder', async () => {
    writeFileSync(join(server.dataDir, 'secret.tar.zst'), 'secret')
    const names = [
      '../secret.tar.zst',
      '..%2Fsecret.tar.zst',
      '%2e%2e%2fsecret.tar.zst',
      '.hidden.tar.zst',
      'tessera.db',
    ]
    for (const name of [...names, 'x.tar.zst%00', 'a%5C..%5Csecret.tar.zst', `${'x'.repeat(300)}.tar.zst`])
      for (const [method, rest] of [
        ['POST', '/verify'],
        ['POST', '/download-link'],
        ['DELETE', ''],
      ] as const) {
        const reply = await admin.send(method, `/api/admin/backups/${name}${rest}`)
        expect([400, 404, 405], `${method} ${name}: ${reply.text}`).toContain(reply.status)
      }
    expect(existsSync(join(server.dataDir, 'secret.tar.zst'))).toBe(true)
    expect((await server.request('GET', '/backups/tessera.tar.zst')).status).toBe(404)
  })
})

describe.if(inProcess)('the schedule', () => {
  let root = admin
  /** Sessions do not last as long as schedules. */
  const advance = async (ms: number) => {
    server.clock.advance(ms)
    root = await server.admin()
  }
  const set = async (values: Record<string, unknown>) =>
    ok(await root.send('PUT', '/api/admin/settings', { body: { values } }))
  const runJob = async () => {
    await backups.jobs[0].run(server.ctx)
    return idle(root)
  }
  const scheduled = async () => (await list(root)).items.filter(({ source }) => source === 'SCHEDULE')

  test('makes and verifies a backup when it is due, and keeps the newest ones and those that people made', async () => {
    const byHand = await make(root)
    await set({ 'backup.schedule': 'DAILY', 'backup.hour': 3, 'backup.timeZone': 'Asia/Shanghai', 'backup.keep': 2 })
    const { nextAt } = await list(root)
    // 3 o'clock in Shanghai.
    expect(new Date(nextAt!).toISOString()).toEndWith('T19:00:00.000Z')
    await runJob()
    expect(await scheduled()).toEqual([])
    for (let day = 0; day < 3; day++) {
      await advance(DAY)
      await runJob()
      await runJob()
      expect(await scheduled()).toHaveLength(Math.min(day + 1, 2))
    }
    for (const one of await scheduled())
      expect(one).toMatchObject({ state: 'READY', createdBy: null, verification: { state: 'GOOD' } })
    expect((await list(root)).items.map(({ name }) => name)).toContain(byHand.name)
  })

  test('notifies the administrators when a backup fails, and keeps the earlier ones', async () => {
    const health = async () => JSON.parse((await root.get('/actuator/health')).text).components.backup
    expect(await health()).toMatchObject({ status: 'UP', schedule: 'DAILY' })
    const kept = (await scheduled()).map(({ name }) => name)
    expect(kept).toHaveLength(2)
    // A file is in the way of the marker that every backup makes.
    const marker = join(server.dataDir, 'files', '.backups')
    rmSync(marker, { recursive: true, force: true })
    writeFileSync(marker, '')
    await advance(3 * DAY)
    expect(await health()).toMatchObject({ status: 'OVERDUE' })
    await runJob()
    const [failed, ...others] = await scheduled()
    expect(failed).toMatchObject({ state: 'FAILED', bytes: null })
    expect(failed!.problem).toStartWith('The backup could not be made: ')
    expect(others.map(({ name }) => name)).toEqual(kept)
    const { items } = ok(await root.call('notifications.list', { query: {} })).data
    expect(items.filter(({ title }) => title === 'The backup failed')).toHaveLength(1)

    // It is not tried again before the next day.
    rmSync(marker)
    await runJob()
    expect(await scheduled()).toHaveLength(3)
    await advance(DAY)
    await runJob()
    expect((await scheduled())[0]).toMatchObject({ state: 'READY' })
    expect(await health()).toMatchObject({ status: 'UP' })
  })

  test('refuses a time zone that does not exist', async () => {
    const reply = await root.send('PUT', '/api/admin/settings', {
      body: { values: { 'backup.timeZone': 'Mars/Base' } },
    })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('backup.timeZone')
  })
})

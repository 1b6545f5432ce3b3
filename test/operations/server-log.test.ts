/** The newest lines of the server log in the console. */

import { describe, expect, test } from 'bun:test'
import { hostname } from 'node:os'

import { createLog } from '#platform/log.ts'

import { createRole, grant } from '../access/helpers.ts'
import { inProcess, ok, until, useServer } from '../harness/index.ts'
import { onPostgres, startProcess, withServers } from '../processes/several.ts'

const { server, admin, mallory } = useServer({ people: ['mallory'], config: { logLevel: 'info' } })

type Query = Partial<{
  process: string
  level: 'debug' | 'info' | 'warn' | 'error'
  text: string
  requestId: string
  since: number
  limit: number
}>
const DEFAULTS = { level: 'debug', since: 0, limit: 200 } as const
const lines = async (query: Query = {}) =>
  ok(await admin.call('serverLog.list', { query: { ...DEFAULTS, ...query } })).data

describe('GET /api/admin/server-log', () => {
  test('shows the lines of a request by its id, of a level, with a text, and after a line', async () => {
    const failed = await admin.get('/api/qr-codes/999999')
    const id = failed.headers.get('x-request-id')!
    const { items, process, level } = await lines({ requestId: id })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ level: 'info', message: 'GET /api/qr-codes/999999 404', requestId: id })
    expect(items[0]!.details).toContain(`user=${admin.id}`)
    expect(process.pid).toBeGreaterThan(0)
    expect(level).toBe('info')

    const { lastId } = await lines()
    await mallory.get('/api/categories')
    const later = await lines({ since: lastId })
    expect(later.items.map(({ message }) => message)).toContain('GET /api/categories 200')
    expect(later.items.every((line) => line.id > lastId)).toBe(true)
    expect((await lines({ text: 'API/Qr-Codes/999999' })).items.map(({ requestId }) => requestId)).toContain(id)
    expect((await lines({ level: 'warn' })).items.filter((line) => line.level === 'info')).toEqual([])
    const two = await lines({ limit: 2 })
    expect(two.items[0]!.id).toBeLessThan(two.items[1]!.id)
    expect(two.items[1]!.id).toBeLessThanOrEqual(two.lastId)
    expect(two.hasMore).toBe(true)
    // The clock was set back.
    expect((await lines({ since: Number.MAX_SAFE_INTEGER })).items.length).toBeGreaterThan(2)
  })

  test('hides codes that the log has in readable form, and masks contacts', async () => {
    ok(await server.request('POST', '/api/auth/sms/send-code', { body: { phone: '+8613800138000', purpose: 'LOGIN' } }))
    const found = async () => (await lines({ level: 'warn', text: 'LOGIN code' })).items
    await until(async () => (await found()).length > 0)
    const [line] = await found()
    expect(line!.message).toContain('the LOGIN code is in the log of the server')
    expect(line!.message + line!.details).not.toMatch(/\d{6}/)
  })

  test.if(inProcess)('names the only process, which is also asked for by its id', async () => {
    const { process, processes, unanswered, items } = await lines()
    expect(processes).toEqual([{ id: process.id, host: hostname() }])
    expect(unanswered).toEqual([])
    expect(new Set(items.map((line) => line.process))).toEqual(new Set([process.id]))
    expect((await lines({ process: process.id })).items.length).toBeGreaterThan(2)
    expect(await lines({ process: 'nobody' })).toMatchObject({ items: [], unanswered: ['nobody'] })
  })

  test('needs the point of the operation log', async () => {
    expect((await mallory.call('serverLog.list', { query: DEFAULTS })).status).toBe(403)
    const clerk = await server.person()
    ok(await grant(admin, clerk, await createRole(admin, { permissions: ['system:read'] })))
    expect((await clerk.call('serverLog.list', { query: DEFAULTS })).status).toBe(403)
    expect((await admin.send('GET', '/api/admin/server-log', { query: { limit: 201 } })).status).toBe(400)
  })
})

describe.if(onPostgres)('the log of several processes', () => {
  test('is read at any of them, of all or of one, and new lines follow', () =>
    withServers(
      2,
      async ({ servers: [first, second] }) => {
        const root = await first!.admin()
        const logOf = async (query: Query = {}) =>
          ok(await root.call('serverLog.list', { query: { ...DEFAULTS, ...query } })).data
        const ids = [first!, second!].map(({ ctx }) => ctx.processes.id)
        const log = async () => (await logOf()).processes.map(({ id }) => id)
        // Each has reported itself.
        await until(async () => (await log()).length === ids.length)
        const before = await logOf()
        // Longer than a notification, also when it is compressed.
        const long = Array.from({ length: 40 }, () => crypto.getRandomValues(new Uint8Array(300)).toHex())
        for (const text of long) second!.ctx.log.warn('from the second', { text })
        first!.ctx.log.warn('from the first')

        const all = await logOf({ text: 'FROM THE', since: before.lastId })
        expect(all.unanswered).toEqual([])
        const bySecond = all.items.filter(({ process }) => process === ids[1])
        expect(all.items.filter(({ process }) => process === ids[0])).toHaveLength(1)
        expect(bySecond).toHaveLength(40)
        for (const [nth, text] of long.entries()) expect(bySecond[nth]!.details).toContain(text)
        expect((await logOf({ text: 'from the', since: all.lastId })).items).toEqual([])
        expect((await logOf({ text: 'from the', limit: 3 })).hasMore).toBe(true)

        const one = await logOf({ text: 'from the', process: ids[1]! })
        expect(one.items).toHaveLength(40)
        expect(one.process.id).toBe(ids[0]!)
      },
      { logLevel: 'warn' },
    ))

  test('says which process did not answer', () =>
    withServers(1, async (several) => {
      const [first] = several.servers
      const root = await first!.admin()
      const log = async () => ok(await root.call('serverLog.list', { query: DEFAULTS })).data
      const child = await startProcess(several)
      const other = async () => (await log()).processes.find(({ id }) => id !== first!.ctx.processes.id)
      await until(async () => (await other()) !== undefined)
      const { id } = (await other())!
      await until(async () => (await log()).unanswered.length === 0)
      await child.stop()
      // At first it is asked in vain, and then it is known to be lost.
      for (const isKnown of [false, true]) {
        if (isKnown) await until(async () => (await first!.ctx.processes.list())!.some(({ isLost }) => isLost))
        const { unanswered, items } = await log()
        expect(unanswered).toEqual([id])
        expect(items.every(({ process }) => process !== id)).toBe(true)
      }
      expect(ok(await root.call('serverLog.list', { query: { ...DEFAULTS, process: id } })).data).toMatchObject({
        items: [],
        unanswered: [id],
      })
    }))
})

describe('the lines in memory', () => {
  const log = () => createLog({ level: 'info', format: 'json', write: () => {} })
  const all = { level: 'debug', since: 0, limit: 10_000 } as const
  const caller = { requestId: 'r1', ip: '203.0.113.7' }

  test('are masked like those that are written', () => {
    const { warn, recent } = log()
    warn('mail to ann@example.org', { token: 'abc', phone: '+8613800138000', error: new Error('password=hunter2') })
    const text = JSON.stringify(recent.find(all).lines)
    expect(text).toContain('a***@example.org')
    for (const secret of ['ann@', 'abc"', 'hunter2', '13800138000']) expect(text).not.toContain(secret)
  })

  test('are limited in number and size, and requests do not push out warnings', () => {
    const { warn, access, recent } = log()
    warn('first')
    for (let i = 0; i < 5000; i++) access('GET', `/api/${i}`, 200, 1, caller, 0)
    const { lines: kept } = recent.find(all)
    expect(kept).toHaveLength(1001)
    expect([kept[0]!.message, kept.at(-1)!.message]).toEqual(['first', 'GET /api/4999 200'])
    for (let i = 0; i < 3000; i++) warn('x'.repeat(10_000), { text: 'y'.repeat(100_000) })
    const size = JSON.stringify(recent.find({ ...all, level: 'warn' }).lines).length
    expect(size).toBeGreaterThan(100_000)
    expect(size).toBeLessThan(1024 * 1024)
  })

  test('leave out requests that the console and monitors repeat, unless they fail', () => {
    const { access, recent } = log()
    for (const status of [200, 403])
      for (const path of ['/actuator/health', '/api/admin/server-log']) access('GET', path, status, 1, caller, 0)
    expect(recent.find(all).lines.map(({ message }) => message)).toEqual([
      'GET /actuator/health 403',
      'GET /api/admin/server-log 403',
    ])
  })
})

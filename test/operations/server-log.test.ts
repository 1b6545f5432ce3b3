/** The newest lines of the server log in the console. */

import { describe, expect, test } from 'bun:test'

import { createLog } from '#platform/log.ts'

import { createRole, grant } from '../access/helpers.ts'
import { ok, until, useServer } from '../harness/index.ts'

const { server, admin, mallory } = useServer({ people: ['mallory'], config: { logLevel: 'info' } })

type Query = Partial<{
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
    expect(two.items.map((line) => line.id)).toEqual([two.lastId - 1, two.lastId])
    expect(two.hasMore).toBe(true)
    // After a restart, ids begin again.
    expect((await lines({ since: lastId + 1_000_000 })).items.length).toBeGreaterThan(2)
  })

  test('hides codes that the log has in readable form, and masks contacts', async () => {
    ok(await server.request('POST', '/api/auth/sms/send-code', { body: { phone: '+8613800138000', purpose: 'LOGIN' } }))
    const found = async () => (await lines({ level: 'warn', text: 'LOGIN code' })).items
    await until(async () => (await found()).length > 0)
    const [line] = await found()
    expect(line!.message).toContain('the LOGIN code is in the log of the server')
    expect(line!.message + line!.details).not.toMatch(/\d{6}/)
  })

  test('needs the point of the operation log', async () => {
    expect((await mallory.call('serverLog.list', { query: DEFAULTS })).status).toBe(403)
    const clerk = await server.person()
    ok(await grant(admin, clerk, await createRole(admin, { permissions: ['system:read'] })))
    expect((await clerk.call('serverLog.list', { query: DEFAULTS })).status).toBe(403)
    expect((await admin.send('GET', '/api/admin/server-log', { query: { limit: 201 } })).status).toBe(400)
  })
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

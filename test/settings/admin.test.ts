/** The console's settings: GET and PUT /api/admin/settings. */

import { describe, expect, test } from 'bun:test'

import { settings } from '#db/schema/settings.ts'
import { settingDefinitions } from '#domains/settings/index.ts'
import { stepAt, totp } from '#lib/totp.ts'

import { createRole, findRole, grant } from '../access/helpers.ts'
import { fromBase32 } from '../accounts/helpers.ts'
import { inProcess, ok, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { documentPath, settingsDocument } from './settings-doc.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

const PATH = '/api/admin/settings'
const list = async (who: Person = admin) => ok(await who.call('admin.settings.list')).data.items
const change = (values: Record<string, unknown>, who: Person = admin) =>
  who.call('admin.settings.update', { body: { values } })
const find = async (key: string) => (await list()).find((item) => item.key === key)!
const problems = (reply: Reply) => Object.fromEntries(reply.details.map(({ path, message }) => [path, message]))
const logRows = async () => ok(await admin.call('operationLog.list', { query: { action: 'SETTING_UPDATE' } })).data

describe('GET /api/admin/settings', () => {
  test('lists every setting with its type, bounds, default and texts', async () => {
    const items = await list()
    expect(items.map(({ key }) => key)).toEqual(Object.keys(settingDefinitions))
    expect(items.find(({ key }) => key === 'password.minLength')).toEqual({
      key: 'password.minLength',
      group: 'password',
      type: 'INTEGER',
      value: 6,
      default: 6,
      min: 6,
      max: 64,
      choices: null,
      label: 'Length of passwords',
      description: 'Minimum length of a new password. Administrators have a higher minimum.',
      readOnly: false,
      systemAdminOnly: true,
      mayChange: true,
      lockedBy: null,
      locked: null,
      updatedAt: null,
    })
    const kinds = ['registration.enabled', 'assets.numberPattern', 'upload.types', 'log.retentionDays']
    const bounds = items.filter(({ key }) => kinds.includes(key)).map(({ type, min, max }) => [type, min, max])
    expect(bounds).toEqual([
      ['BOOLEAN', null, null],
      ['STRING', null, null],
      ['LIST', null, null],
      ['INTEGER', 0, 36_500],
    ])
    const choices = Object.fromEntries(items.map((item) => [item.key, item.choices]))
    expect(choices['backup.schedule']).toEqual(['OFF', 'DAILY', 'WEEKLY'])
    expect(choices['upload.types']).toContain('image/png')
    expect(choices['backup.timeZone']).toBeNull()
    expect(items.filter(({ readOnly }) => readOnly).map(({ key }) => key)).toEqual([
      'app.latest_version_code',
      'app.latest_version_name',
      'app.download_url',
      'app.file_size',
      'app.release_notes',
      'app.is_major',
      'app.force_update',
    ])
  })

  test('has texts in the language of the caller', async () => {
    const reply = await admin.send('GET', PATH, { headers: { 'accept-language': 'zh' } })
    const { items } = ok(reply).data as { items: { key: string; label: string; description: string }[] }
    expect(items.find(({ key }) => key === 'registration.enabled')).toMatchObject({
      label: '开放注册',
      description: '用户是否无需管理员即可注册。',
    })
    for (const { key, label, description } of items) {
      expect(label, key).toMatch(/\p{Script=Han}|HEIC/u)
      expect(description, key).toMatch(/\p{Script=Han}.*。$/u)
    }
  })

  test('needs setting:read, and a change setting:update', async () => {
    const reader = await server.person()
    ok(await grant(admin, reader, await createRole(admin, { permissions: ['setting:read'] })))
    expect((await list(reader)).length).toBeGreaterThan(0)
    expect((await change({ 'quota.qrCodes': 4 }, reader)).status).toBe(403)
    expect((await alice.call('admin.settings.list')).status).toBe(403)
    expect((await server.request('GET', PATH)).status).toBe(401)
    expect((await server.request('PUT', PATH, { body: { values: {} } })).status).toBe(401)
    expect((await find('quota.qrCodes')).value).toBe(10_000)
  })
})

describe('PUT /api/admin/settings', () => {
  test('changes settings together, at once, and null brings the defaults back', async () => {
    const limits = async () => ok(await alice.call('profile.quotas')).data
    const reply = ok(await change({ 'quota.qrCodes': 7, 'quota.assets': 8, 'quota.files': null })).data.items
    expect(await list()).toEqual(reply)
    expect(await limits()).toMatchObject({ qrCodes: { limit: 7 }, assets: { limit: 8 }, files: { limit: 100_000 } })
    const changed = reply.find(({ key }) => key === 'quota.qrCodes')!
    expect(changed).toMatchObject({ value: 7, default: 10_000, updatedAt: expect.any(Number) })
    expect(reply.find(({ key }) => key === 'quota.files')!.updatedAt).toBeNull()
    // The same again changes nothing, and the default is the same as null.
    const { total } = await logRows()
    expect(ok(await change({ 'quota.qrCodes': 7 })).data.items).toEqual(reply)
    expect((await logRows()).total).toBe(total)
    ok(await change({ 'quota.qrCodes': null, 'quota.assets': 100_000 }))
    for (const key of ['quota.qrCodes', 'quota.assets'])
      expect(await find(key)).toMatchObject({
        value: settingDefinitions[key as 'quota.assets'].initial,
        updatedAt: null,
      })
    expect(await limits()).toMatchObject({ qrCodes: { limit: 10_000 }, assets: { limit: 100_000 } })
    expect((await logRows()).items[0]).toMatchObject({
      before: { 'quota.qrCodes': 7, 'quota.assets': 8 },
      after: { 'quota.qrCodes': 10_000, 'quota.assets': 100_000 },
    })
    if (inProcess)
      expect(
        (await server.ctx.db.read.select().from(settings)).filter(({ key }) => /^quota\.(?:qrCodes|assets)$/.test(key)),
      ).toEqual([])
  })

  test('shares the settings of chat with their own operation', async () => {
    ok(await change({ 'chat.recallSeconds': 30 }))
    expect(ok(await admin.call('admin.chat.settings')).data.recallSeconds).toBe(30)
    ok(await admin.call('admin.chat.changeSettings', { body: { recallSeconds: 120 } }))
    expect(await find('chat.recallSeconds')).toMatchObject({ value: 120, updatedAt: null })
  })

  test('names every bad key with a problem of its own, and changes nothing', async () => {
    const before = await list()
    const { total } = await logRows()
    const bad: Record<string, unknown> = {
      'no.such': 1,
      __proto__x: 1,
      'quota.qrCodes': -1,
      'quota.storage': 1.5,
      'quota.files': '5',
      'registration.enabled': 1,
      'password.minLength': 65,
      'log.retentionDays': 29,
      'upload.types': ['image/png', 'text/html'],
      'upload.maxBytes': 0,
      'assets.numberPattern': 'no number',
      'app.latest_version_code': 7,
      'app.download_url': null,
      'chat.textMaxLength': [],
    }
    const reply = await change({ ...bad, 'quota.activities': 3 })
    expect(reply.status).toBe(400)
    expect(problems(reply)).toEqual({
      'body.values.no.such': 'is not a setting',
      'body.values.__proto__x': 'is not a setting',
      'body.values.quota.qrCodes': 'must be at least 0',
      'body.values.quota.storage': 'must be an integer',
      'body.values.quota.files': 'must be an integer',
      'body.values.registration.enabled': 'must be true or false',
      'body.values.password.minLength': 'must be at most 64',
      'body.values.log.retentionDays': 'must be one of 0, 30-36500',
      'body.values.upload.types': expect.stringMatching(/^must be one of image\/jpeg, /),
      'body.values.upload.maxBytes': 'must be at least 1',
      'body.values.assets.numberPattern': 'does not have the right format',
      'body.values.app.latest_version_code': 'is changed by publications only',
      'body.values.app.download_url': 'is changed by publications only',
      'body.values.chat.textMaxLength': 'must be an integer',
    })
    for (const body of [{}, { values: null }, { values: [] }, { values: 'x' }])
      expect((await admin.send('PUT', PATH, { body })).status, JSON.stringify(body)).toBe(400)
    const hostile = '{"values":{"__proto__":1,"constructor":1}}'
    expect((await admin.send('PUT', PATH, { body: JSON.parse(hostile) })).status).toBe(400)
    expect(await list()).toEqual(before)
    expect((await logRows()).total).toBe(total)
  })

  test('at the same time leave one row each in the log, which follow from each other', async () => {
    ok(await change({ 'quota.organizations': 100 }))
    const { total } = await logRows()
    const replies = await race(8, (i) => change({ 'quota.organizations': 101 + i, 'quota.activities': 1 }))
    for (const reply of replies) ok(reply)
    const { items, total: after } = await logRows()
    expect(after).toBe(total + 8)
    const rows = items.slice(0, 8).toReversed() as { before: Record<string, number>; after: Record<string, number> }[]
    let current = 100
    for (const row of rows) {
      expect(row.before['quota.organizations']).toBe(current)
      current = row.after['quota.organizations']!
    }
    // Only the first one changed the other setting.
    expect(rows.filter((row) => 'quota.activities' in row.after)).toHaveLength(1)
    expect((await find('quota.organizations')).value).toBe(current)
  })
})

describe('settings that protect', () => {
  const PROTECTING = /^(?:security|password|log|backup|oidc)\.|^(?:apiKeys|mcp)\.enabled$/

  test('are changed by SYSTEM_ADMIN only, together with others or alone', async () => {
    const operator = await server.person()
    ok(await grant(admin, operator, await createRole(admin, { permissions: ['setting:read', 'setting:update'] })))
    const before = await list(operator)
    for (const { key, systemAdminOnly, mayChange, readOnly, locked } of before) {
      expect({ key, systemAdminOnly }).toEqual({ key, systemAdminOnly: PROTECTING.test(key) })
      expect({ key, mayChange }).toEqual({ key, mayChange: !PROTECTING.test(key) && !readOnly && locked === null })
    }
    const { total } = await logRows()
    for (const { key, value } of before.filter((item) => item.systemAdminOnly))
      for (const given of [value, null]) {
        const reply = await change({ 'quota.activities': 77, [key]: given }, operator)
        expect([key, reply.status, reply.message]).toEqual([key, 403, expect.stringContaining('SYSTEM_ADMIN')])
      }
    for (const values of [
      { 'log.retentionDays': 30 },
      { 'security.requireTotp': true },
      { 'password.refuseCommon': false },
    ])
      expect((await change(values, operator)).status).toBe(403)
    expect(await list(operator)).toEqual(before)
    expect((await logRows()).total).toBe(total)

    ok(await change({ 'quota.activities': 77 }, operator))
    ok(await operator.call('admin.chat.changeSettings', { body: { recallSeconds: 60 } }))
    ok(
      await change({ 'quota.activities': null, 'chat.recallSeconds': null, 'backup.keep': 5, 'security.stepUp': true }),
    )
    expect(await find('backup.keep')).toMatchObject({ value: 5, mayChange: true })
    ok(await change({ 'backup.keep': null, 'security.stepUp': null }))
  })

  test('the second factor is required of administrators only by one who has it', async () => {
    const chief = await server.person()
    ok(await grant(admin, chief, await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')))
    const refused = await change({ 'quota.activities': 78, 'security.requireTotp': true }, chief)
    expect([refused.status, problems(refused)]).toEqual([
      400,
      { 'body.values.security.requireTotp': 'needs two-factor sign-in for your own account: switch it on first' },
    ])
    expect((await find('quota.activities')).value).toBe(10_000)
    ok(await change({ 'security.requireTotp': false }, chief))

    const { secret } = ok(await chief.call('auth.startTotp')).data
    // An enrolment that is not finished does not count.
    expect((await change({ 'security.requireTotp': true }, chief)).status).toBe(400)
    const code = totp(fromBase32(secret), stepAt(server.clock.now()))
    ok(await chief.call('auth.confirmTotp', { body: { totp: code } }))
    ok(await change({ 'security.requireTotp': true }, chief))
    expect((await admin.call('admin.settings.list')).status).toBe(403)
    ok(await change({ 'security.requireTotp': null }, chief))
    ok(await admin.call('admin.settings.list'))
  })
})

test('docs/settings.md is up to date', async () => {
  expect(await Bun.file(documentPath).text(), 'out of date: run `bun test/settings/settings-doc.ts`').toBe(
    settingsDocument(),
  )
})

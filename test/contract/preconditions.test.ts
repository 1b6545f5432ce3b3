/**
 * `If-Match` with every operation whose record names a row: an older version changes nothing and gets the present row, and of many changes
 * with the same version one is made. A new such operation needs a line here.
 */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { Glob } from 'bun'

import { allEndpoints } from '#app'
import { DAY } from '#platform/clock.ts'

import { createActivity } from '../activities/helpers.ts'
import { addPhoto } from '../album/helpers.ts'
import { createAsset } from '../assets/helpers.ts'
import { reservation } from '../assets/reserving.ts'
import { ok, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { createField, createGlobalField, createGlobalTemplate, createTemplate } from '../metadata/helpers.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { logoForm } from '../server/logo-form.ts'

const { server, admin, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

interface Change {
  readonly who?: Person
  readonly params: Readonly<Record<string, number | string>>
  /** A body for each of several changes; without it the operation has none. */
  readonly body?: (i: number) => object
}

const objectName = 'asset'
const name = (i: number): object => ({ name: `name ${i}` })
/** True each time: false would change nothing in a new row. */
const flag = (key: string) => () => ({ [key]: true })

const code = async () => ({ params: { id: (await createCode(alice)).id } })
const trashed = async () => {
  const change = await code()
  ok(await alice.call('qrCodes.delete', change))
  return change
}
const design = async () => ({
  params: { id: ok(await alice.call('qrCodeDesigns.create', { body: { name: 'Dots' } })).data.id },
})
const importMapping = async () => {
  const body = { name: `List ${(mappings += 1)}`, headings: ['Name'], options: {} }
  return { params: { id: ok(await alice.call('importMappings.create', { body })).data.id } }
}
let mappings = 0
const labelProfile = async () => {
  const body = { name: 'Zebra', media: { key: 'roll-50x30' } }
  return { params: { id: ok(await alice.call('labelProfiles.create', { body })).data.id } }
}
const asset = async () => ({ params: { id: (await createAsset(alice)).id } })
const activity = async (fields: object = {}) => ({ params: { id: (await createActivity(alice, fields)).id } })
const category = async () => ({
  params: { id: ok(await alice.call('assetCategories.create', { body: { name: 'Tools' } })).data.id },
})
const plan = async () => {
  const body = { name: 'Check', kind: 'SERVICE', every: { days: 7 }, firstDue: '2026-09-01' } as const
  const { id: assetId } = await createAsset(alice)
  return { params: { id: ok(await alice.call('assetPlans.create', { body: { ...body, assetId } })).data.id } }
}
const maintenance = async () => {
  const { params } = await asset()
  const body = { kind: 'SERVICE', doneOn: '2026-09-01' } as const
  const recordId = ok(await alice.call('assetMaintenance.create', { params, body })).data.id
  return { params: { ...params, recordId } }
}
const supply = async () => ({
  params: { id: ok(await alice.call('supplies.create', { body: { name: 'Chalk' } })).data.id },
})
const photo = () => addPhoto(server, alice)
const field = async () => ({ params: { objectName, id: (await createField(alice)).id } })
const anyField = async () => ({ who: admin, params: { id: (await createGlobalField(admin)).id } })
const orgField = async () => {
  const { id: orgId } = await createOrg(alice)
  return { params: { orgId, objectName, id: (await createField(alice, {}, { orgId })).id } }
}
const template = async () => ({ params: { id: (await createTemplate(alice)).id } })
const anyTemplate = async () => ({ who: admin, params: { id: (await createGlobalTemplate(admin)).id } })
const orgTemplate = async () => {
  const { id: orgId } = await createOrg(alice)
  return { params: { orgId, id: (await createTemplate(alice, {}, { orgId })).id } }
}
const moves = async () => {
  const parents = await Promise.all([1, 2].map(category))
  return { ...(await category()), body: (i: number) => ({ parentId: parents[i % 2]!.params.id }) }
}
const fieldsOf = async (change: Change) => {
  const { id } = await createGlobalField(admin)
  return { ...change, body: (i: number) => ({ items: [{ fieldId: id, group: `group ${i}` }] }) }
}

/** There is one server: a change to the values that it has would change nothing. */
let nth = 0

const CHANGES: Readonly<Record<string, () => Promise<Change>>> = {
  'qrCodes.update': async () => ({ ...(await code()), body: name }),
  'qrCodes.delete': code,
  'qrCodes.updateLink': async () => ({
    params: { id: (await createCode(alice, { isDynamic: true })).id },
    body: flag('warn'),
  }),
  'qrCodes.pin': async () => ({ ...(await code()), body: flag('pinned') }),
  'qrCodes.publish': async () => ({ ...(await code()), body: flag('isPublic') }),
  'qrCodes.restore': trashed,
  'qrCodes.deleteTrashed': trashed,
  'admin.qrCodes.delete': async () => ({ who: admin, params: { qrCodeId: (await code()).params.id } }),
  'admin.qrCodes.block': async () => ({
    who: admin,
    params: { qrCodeId: (await code()).params.id },
    body: (i) => ({ blocked: i % 2 === 0 }),
  }),
  'qrCodeDesigns.update': async () => ({ ...(await design()), body: name }),
  'qrCodeDesigns.delete': design,
  'labelProfiles.update': async () => ({ ...(await labelProfile()), body: name }),
  'labelProfiles.delete': labelProfile,
  'importMappings.update': async () => ({
    ...(await importMapping()),
    body: (i) => ({ headings: [`heading ${i}`] }),
  }),
  'importMappings.delete': importMapping,
  'album.delete': async () => ({ params: { id: (await photo()).id } }),
  'admin.albums.delete': async () => ({ who: admin, params: { photoId: (await photo()).id } }),
  'assets.update': async () => ({ ...(await asset()), body: name }),
  'assets.delete': asset,
  'assets.scrapAny': async () => ({ who: admin, ...(await asset()), body: (i) => ({ reason: `reason ${i}` }) }),
  'assets.deleteAny': async () => ({ who: admin, ...(await asset()) }),
  'supplies.update': async () => ({ ...(await supply()), body: name }),
  'supplies.delete': supply,
  'assetPlans.update': async () => ({ ...(await plan()), body: name }),
  'assetPlans.delete': plan,
  'assetReservations.update': async () => ({
    params: { id: (await reservation(alice)).id },
    body: (i) => ({ purpose: `purpose ${i}` }),
  }),
  'assetMaintenance.update': async () => ({ ...(await maintenance()), body: (i) => ({ note: `note ${i}` }) }),
  'assetMaintenance.delete': maintenance,
  'assetCategories.update': async () => ({ ...(await category()), body: name }),
  'assetCategories.delete': category,
  'assetCategories.move': moves,
  'assetCategories.pin': async () => ({ ...(await category()), body: flag('pinned') }),
  'assetCategories.deleteAny': async () => ({ who: admin, ...(await category()) }),
  'metadata.updateField': async () => ({ ...(await field()), body: name }),
  'metadata.deleteField': field,
  'metadata.updateOrgField': async () => ({ ...(await orgField()), body: name }),
  'metadata.deleteOrgField': orgField,
  'metadata.updateAnyField': async () => ({ ...(await anyField()), body: name }),
  'metadata.deleteAnyField': anyField,
  'metadata.updateTemplate': async () => ({ ...(await template()), body: name }),
  'metadata.deleteTemplate': template,
  'metadata.setTemplateFields': async () => fieldsOf(await template()),
  'metadata.updateOrgTemplate': async () => ({ ...(await orgTemplate()), body: name }),
  'metadata.deleteOrgTemplate': orgTemplate,
  'metadata.setOrgTemplateFields': async () => fieldsOf(await orgTemplate()),
  'metadata.updateAnyTemplate': async () => ({ ...(await anyTemplate()), body: name }),
  'metadata.deleteAnyTemplate': anyTemplate,
  'metadata.setAnyTemplateFields': async () => fieldsOf(await anyTemplate()),
  'activities.update': async () => ({ ...(await activity()), body: name }),
  'activities.delete': activity,
  'activities.setStatus': async () => ({ ...(await activity()), body: () => ({ status: 'ACTIVE' }) }),
  'activities.resetInviteCode': () => activity({ visibility: 'INVITE_ONLY' }),
  'admin.activities.update': async () => ({
    who: admin,
    params: { activityId: (await activity()).params.id },
    body: name,
  }),
  'server.identity.update': () =>
    Promise.resolve({ who: admin, params: {}, body: () => ({ name: `Library ${nth++}` }) }),
  'server.reach.update': () =>
    Promise.resolve({ who: admin, params: {}, body: () => ({ names: [`qr-${nth++}.example.org`] }) }),
  'server.certificate.update': () =>
    Promise.resolve({ who: admin, params: {}, body: () => ({ email: `desk-${nth++}@example.org` }) }),
  'server.logo.update': () => Promise.resolve({ who: admin, params: {}, body: () => logoForm() }),
  'server.logo.delete': async () => {
    ok(await admin.call('server.logo.update', { body: logoForm() }))
    return { who: admin, params: {} }
  },
  'server.mail.update': () =>
    Promise.resolve({
      who: admin,
      params: {},
      body: () => ({ host: `mail-${nth++}.lan`, security: 'NONE', from: 'desk@example.org' }),
    }),
  'admin.activities.delete': async () => ({ who: admin, params: { activityId: (await activity()).params.id } }),
}

const conditional = allEndpoints.filter(({ row }) => row !== undefined)

test('every operation that names a row is called by these tests', () => {
  expect(conditional.map(({ id }) => id).toSorted()).toEqual(Object.keys(CHANGES).toSorted())
})

/** Calls an operation with `If-Match`. */
const sender = (id: string, { who = alice, params, body }: Change) => {
  const { method, path } = allEndpoints.find((endpoint) => endpoint.id === id)!
  const filled = path.replaceAll(/:(\w+)/g, (_, key: string) => String(params[key]))
  return (ifMatch: string, i = 0, person = who): Promise<Reply> =>
    person.send(method, filled, { ...(body && { body: body(i) }), headers: { 'if-match': ifMatch } })
}

describe('If-Match', () => {
  for (const { id, method, path } of conditional)
    test(`refuses an older version and changes nothing: ${method} ${path} (${id})`, async () => {
      const change = await CHANGES[id]!()
      const send = sender(id, change)
      const old = await send('"0"')
      expect([old.status, old.code]).toEqual([412, 4024])
      const again = await send('"0", "999999"')
      expect(again.data).toEqual(old.data)
      const { version } = old.data
      // Somebody who may not know of the row does not learn its version.
      if (change.who === undefined)
        for (const guess of ['"0"', `"${version}"`])
          expect([403, 404]).toContain((await send(guess, 0, mallory)).status)
      const changed = ok(await send(`"${version}"`))
      const next = await send(`"${version}"`, 1)
      expect([404, 412]).toContain(next.status)
      if (next.status !== 412) return
      expect(next.data.version).toBeGreaterThan(version)
      // Templates have a version, the list of their fields has none.
      if (changed.data.version !== undefined) {
        expect(changed.headers.get('etag')).toBe(`"${changed.data.version}"`)
        expect(next.data.version).toBe(changed.data.version)
      }
    })

  for (const { id, method, path } of conditional)
    test(`lets one of many changes of a version through: ${method} ${path} (${id})`, async () => {
      const send = sender(id, await CHANGES[id]!())
      const { version } = (await send('"0"')).data
      const replies = await race(20, (i) => send(`"${version}"`, i))
      const made = replies.filter(({ status }) => status === 200)
      expect(replies.filter(({ status }) => ![200, 404, 412].includes(status)).map(({ text }) => text)).toEqual([])
      expect(made).toHaveLength(1)
    })

  test('lets exactly one of 50 changes of a code through', async () => {
    const { id, version } = await createCode(alice)
    const replies = await race(50, (i) =>
      alice.call('qrCodes.update', {
        params: { id },
        body: { name: `n${i}` },
        headers: { 'if-match': `"${version}"` },
      }),
    )
    const [made, ...more] = replies.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    const row = ok(await alice.get(`/api/qr-codes/${id}`)).data
    expect(made!.data).toEqual({ ...row, warnings: [] })
    for (const reply of replies.filter(({ status }) => status !== 200))
      expect([reply.status, reply.code, reply.data]).toEqual([412, 4024, row])
  })

  test('lets the last writer win if it is absent or *', async () => {
    const { id } = await createCode(alice)
    for (const headers of [{}, { 'if-match': '*' }, {}] as Record<string, string>[])
      ok(await alice.call('qrCodes.update', { params: { id }, body: { name: 'last' }, headers }))
  })

  test('takes a tag that a proxy has made weak', async () => {
    const { id, version } = await createCode(alice)
    const send = sender('qrCodes.update', { params: { id }, body: name })
    ok(await send(`W/"${version}"`))
    expect((await send(`W/"${version}"`)).status).toBe(412)
  })

  test('refuses a change that has nothing to change, too', async () => {
    const { id, version } = await createCode(alice)
    ok(await alice.put(`/api/qr-codes/${id}`, { name: 'same' }))
    const send = sender('qrCodes.update', { params: { id }, body: () => ({ name: 'same' }) })
    expect((await send(`"${version}"`)).status).toBe(412)
  })

  test('is answered with 400 and the name of the header if it is not an ETag', async () => {
    const { id, version } = await createCode(alice)
    const send = sender('qrCodes.update', { params: { id }, body: name })
    for (const header of [String(version), '', '"', `"${version}`, `"${version}",`]) {
      const reply = await send(header)
      expect([header, reply.status, reply.details[0]?.path]).toEqual([header, 400, 'header.If-Match'])
    }
    expect((await send('"abc"')).status).toBe(412)
  })

  test('is refused with 400 by an operation that compares no version', async () => {
    const headers = { 'if-match': '"1"' }
    const reply = await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'menu' }, headers })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'header.If-Match'])
    const settings = await admin.send('PUT', '/api/admin/settings', { body: { values: {} }, headers })
    expect([settings.status, settings.details[0]?.path]).toEqual([400, 'header.If-Match'])
  })
})

describe('forms of the web application', () => {
  /** Those of a file, and of the settings that a page shows, are sent by a button. */
  const byButton = ['server.logo.update', 'labelProfiles.update']
  const changes = conditional.filter(({ id, method }) => method === 'PUT' && !byButton.includes(id)).map(({ id }) => id)
  /** They are not filled in from a row: actions on several rows, a reason, the form of a new template, an answer to a finder. */
  const exceptions = [
    'admin/content/ReasonButton.tsx',
    'areas/assets/SelectedAssets.tsx',
    'areas/assets/fields/TemplateList.tsx',
    'areas/codes/MoveDialog.tsx',
    'areas/found/ReportPage.tsx',
  ]
  const root = resolve(import.meta.dir, '../../src/web')

  test('that change a row send its version', () => {
    const found: string[] = []
    const without: string[] = []
    for (const path of new Glob('**/*.tsx').scanSync(root)) {
      const text = readFileSync(join(root, path), 'utf8')
      const calls = changes.filter((id) => new RegExp(`(?<!may\\()'${RegExp.escape(id)}'`).test(text))
      if (calls.length === 0 || !/ = useForm\(/.test(text)) continue
      found.push(...calls)
      if (!/\n +from: /.test(text)) without.push(path)
    }
    expect(without.toSorted()).toEqual(exceptions)
    expect([...new Set(found)].toSorted()).toEqual(changes.toSorted())
  })
})

describe('ETag', () => {
  test('is the version of every row that has one', async () => {
    const times = { startTime: Date.now() + DAY, endTime: Date.now() + 2 * DAY }
    const made = [
      await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'menu' } }),
      await alice.call('assets.create', { body: { name: 'Ladder' } }),
      await alice.call('activities.create', { body: { name: 'Cleanup', ...times } }),
      await alice.call('assetCategories.create', { body: { name: 'Ladders' } }),
      await alice.call('metadata.createField', { params: { objectName }, body: { name: 'Serial', type: 'TEXT' } }),
      await alice.call('metadata.createTemplate', { params: { objectName }, body: { name: 'Serials' } }),
    ]
    for (const reply of made) expect(ok<{ version: number }>(reply).headers.get('etag')).toBe(`"${reply.data.version}"`)
    const read = [
      await alice.call('qrCodes.get', { params: { id: made[0]!.data.id } }),
      await alice.call('assets.get', { params: { id: made[1]!.data.id } }),
      await alice.call('activities.get', { params: { id: made[2]!.data.id } }),
      await admin.call('admin.activities.get', { params: { activityId: made[2]!.data.id } }),
      await alice.call('album.get', { params: { id: (await photo()).id } }),
    ]
    for (const reply of read) expect(ok<{ version: number }>(reply).headers.get('etag')).toBe(`"${reply.data.version}"`)
  })

  test('is not among the headers of lists, or of other rows afterwards', async () => {
    await createCode(alice)
    expect(ok(await alice.call('qrCodes.list')).headers.get('etag')).toBeNull()
    expect(ok(await alice.call('profile.get')).headers.get('etag')).toBeNull()
  })
})

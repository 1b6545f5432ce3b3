/** Every event, by ways that are easily forgotten: imports, pushes, jobs, guests, gates and administrators. */

import { beforeAll, expect, test } from 'bun:test'

import { Ajv2020 } from 'ajv/dist/2020.js'

import { EVENT_TYPES } from '#db/schema/webhooks.ts'
import { notifyOfDueLoans } from '#domains/assets/loans/notices.service.ts'
import { tellScansJob } from '#domains/webhooks/outbox/scans.service.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import { createRole, grant, revoke } from '../access/helpers.ts'
import { newEmail, useWorld } from '../accounts/helpers.ts'
import { checkIn } from '../activities/check-in-helpers.ts'
import { nonce, redeem, upload as uploaded } from '../activities/gate-helpers.ts'
import { act, confirmedGuest, openToGuests } from '../activities/guest-helpers.ts'
import { setStatus } from '../activities/helpers.ts'
import { guests, issued, withPasses } from '../activities/pass-helpers.ts'
import { register } from '../activities/registering.ts'
import { publish } from '../agreements/helpers.ts'
import { addPhoto } from '../album/helpers.ts'
import { createInventory, setStatus as setInventory } from '../assets/counting.ts'
import { createAsset } from '../assets/helpers.ts'
import { csv } from '../assets/sheets.ts'
import { make } from '../backups/helpers.ts'
import { findableAsset, report } from '../found/helpers.ts'
import { inProcess, ok, type Person, until } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { addMembers, createOrg, joinByCode, type Org } from '../orgs/helpers.ts'
import { newCode, push } from '../sync/push-helpers.ts'
import { hook } from './helpers.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const receiver: Receiver = startReceiver()
const world = useWorld({ config: { privateTargets: [receiver.origin] } })
let admin: Person
let owner: Person
let org: Org
let ofOrg: { id: number; url: string }
let ofServer: { id: number; url: string }

beforeAll(async () => {
  admin = await world.server.admin()
  owner = await world.withEmail()
  org = await createOrg(owner, { name: 'Green Lake School', memberLimit: 100 })
  ofOrg = await hook(owner, receiver, { orgId: org.id })
  const body = { name: 'Monitoring', url: receiver.newUrl(), events: ['*'] }
  ofServer = ok(await admin.call('webhooks.createOfServer', { body })).data
})

/** The events that a webhook gets by `act`, in the order of their sequences. Events of tests mark its beginning and end. */
async function told(act: () => Promise<unknown>, of: 'org' | 'server' = 'org') {
  const { id, url } = of === 'org' ? ofOrg : ofServer
  const test = async () => {
    const { eventId } = ok(
      of === 'org'
        ? await owner.call('webhooks.test', { params: { id } })
        : await admin.call('webhooks.testOfServer', { params: { id } }),
    ).data
    const [one] = await receiver.next(url, 1, ({ event }) => event.id === eventId)
    return one!.event.sequence as number
  }
  const from = await test()
  await act()
  const to = await test()
  const between = () => receiver.at(url).filter(({ event }) => event.sequence > from && event.sequence < to)
  await until(() => new Set(between().map(({ event }) => event.sequence)).size === to - from - 1)
  return between()
    .map(({ event }) => event)
    .toSorted((a, b) => a.sequence - b.sequence)
}
/** Those that this file does not cause. */
const ELSEWHERE = ['app_update.published', 'backup.failed']
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)

test('an import of users', async () => {
  const form = new FormData()
  form.set('orgId', String(org.id))
  form.set(
    'file',
    new File(
      [
        csv([
          ['username', 'nickname', 'email'],
          ['imported1', '王伟', newEmail()],
          ['imported2', 'Jörg', null],
        ]),
      ],
      'x.csv',
    ),
  )
  let ofTheServer: { type: string; data: object }[] = []
  const events = await told(async () => {
    ofTheServer = await told(
      async () => void ok(await admin.send('POST', '/api/admin/users/import', { body: form })),
      'server',
    )
  })
  expect(types(events)).toEqual(['member.joined', 'member.joined'])
  expect(events[0].data).toMatchObject({ nickname: '王伟', roleCode: 'MEMBER' })
  expect(types(ofTheServer).filter((type) => type === 'user.created')).toHaveLength(2)
  expect(types(ofTheServer).filter((type) => type === 'member.joined')).toHaveLength(2)
})

test('invitations by mail', async () => {
  const email = newEmail()
  const invite = async (to: string) => {
    ok(await owner.post(`/api/orgs/${org.id}/invite-mails`, { emails: [to] }))
    const mails = () => world.gateways.mails.filter((mail) => mail.to === to)
    await until(() => mails().length > 0)
    return /\/console\/invited#(\S{43})/.exec(mails().at(-1)!.text)![1]!
  }
  const [first, second] = [await invite(email), await invite(newEmail())]
  const joining = await world.server.person()
  const events = await told(async () => {
    ok(await joining.post(`/api/invitations/${first}/accept`))
    ok(await world.server.request('POST', `/api/invitations/${second}/decline`, { body: {} }))
  })
  expect(types(events)).toEqual(['invitation.answered', 'member.joined', 'invitation.answered'])
  expect(events.map(({ data }) => data.status)).toEqual(['ACCEPTED', undefined, 'REJECTED'])
  expect(JSON.stringify(events)).not.toContain(email)
  expect(JSON.stringify(events)).not.toContain(first)
})

test('a role by an administrator, a code of an organization used by somebody who is invited, and a request', async () => {
  const [mia, tom, eve] = [await world.server.person(), await world.server.person(), await world.server.person()]
  await addMembers(owner, org, mia)
  const role = await createRole(admin, { domain: 'ORG', scopeId: org.id, permissions: ['org:read'] })
  expect(types(await told(() => grant(admin, mia, role)))).toEqual(['member.role_changed'])
  expect(types(await told(() => revoke(admin, mia, role)))).toEqual(['member.role_changed'])
  ok(await owner.call('orgs.invite', { params: { id: org.id }, body: { userIds: [tom.id] } }))
  const { code } = ok(await owner.call('orgs.get', { params: { id: org.id } })).data
  const events = await told(async () => {
    ok(await owner.put(`/api/orgs/${org.id}`, { joinPolicy: 'FREE' }))
    ok(await joinByCode(tom, code!))
    ok(await owner.put(`/api/orgs/${org.id}`, { joinPolicy: 'APPROVAL' }))
    ok(await joinByCode(eve, code!))
    ok(await mia.post('/api/auth/account/delete', { password: mia.password }))
  })
  expect(types(events)).toEqual([
    'org.updated',
    'invitation.answered',
    'member.joined',
    'org.updated',
    'join_request.created',
    'member.left',
  ])
  expect(JSON.stringify(events)).not.toContain(code!)
})

test.if(inProcess)('pushes of codes, assets and scans', async () => {
  const { server } = world
  const own = await hook(owner, receiver)
  const [code] = await push(owner, newCode('Pushed'))
  const asset = { entity: 'asset', localId: 'a', baseVersion: 0, data: { name: 'Chair', orgId: org.id } }
  const now = () => server.clock.now()
  const events = await told(async () => {
    const [made] = await push(owner, { ...asset, updatedAt: now() })
    const { serverId, version } = made!
    await push(owner, { ...asset, serverId, baseVersion: version!, localId: 'b', deleted: true, updatedAt: now() })
  })
  expect(types(events)).toEqual(['asset.created', 'asset.deleted'])
  const scan = (at: number) => ({
    entity: 'scanRecord',
    localId: `scan ${at}`,
    baseVersion: 0,
    updatedAt: at,
    data: { content: 'content of Pushed', scannedAt: at },
  })
  await push(owner, scan(now()))
  server.clock.advance(2 * MINUTE)
  await push(owner, scan(now()))
  server.clock.advance(2 * MINUTE)
  await tellScansJob.run(server.ctx)
  const [scanned] = await receiver.next(own.url, 1, ({ event }) => event.type === 'qr_code.scanned')
  expect(scanned!.event.data).toMatchObject({ qrCodeId: code!.serverId, count: expect.any(Number) })
  const at = { serverId: code!.serverId, entity: 'qrCode', data: { name: 'Renamed', content: 'content of Pushed' } }
  const [renamed] = await push(owner, { ...at, baseVersion: code!.version!, updatedAt: now(), localId: 'c' })
  await receiver.next(own.url, 1, ({ event }) => event.type === 'qr_code.updated')
  await push(owner, { ...at, baseVersion: renamed!.version!, updatedAt: now(), localId: 'd', deleted: true })
  await receiver.next(own.url, 1, ({ event }) => event.type === 'qr_code.deleted')
  ok(await owner.call('webhooks.delete', { params: { id: own.id } }))
})

test.if(inProcess)('loans that are overdue, found things, labels, and stock-takings', async () => {
  const { server } = world
  const asset = await createAsset(owner, { name: 'Projector', orgId: org.id })
  const finding = await findableAsset(owner, { orgId: org.id })
  const ofLoan = await told(async () => {
    const body = { personName: 'Ms Chen', dueAt: server.clock.now() + HOUR }
    ok(await owner.call('assets.checkOut', { params: { id: asset.id }, body }))
    server.clock.advance(2 * HOUR)
    for (const _ of [1, 2]) await notifyOfDueLoans(server.ctx)
    await report(server, finding, { message: 'I live at 5 Main Street', contact: 'finder@example.org' })
  })
  expect(types(ofLoan)).toEqual(['asset.checked_out', 'asset.updated', 'asset.overdue', 'found_report.created'])
  expect(JSON.stringify(ofLoan)).not.toMatch(/finder@example|Main Street/)
  const orgId = org.id
  const batch = ok(await owner.post('/api/qr-codes/blanks', { count: 1, name: 'Labels', prefix: 'L-', orgId })).data
  const [label] = ok(await owner.get('/api/qr-codes/blanks', { batchId: batch.id, orgId })).data.items
  const ofLabel = await told(async () => {
    ok(await owner.post(`/api/qr-codes/blanks/${label.slug}/bind`, { kind: 'ASSET', id: asset.id, orgId }))
    const { id } = await createInventory(owner, { orgId })
    for (const status of ['RUNNING', 'CLOSED'] as const) ok(await setInventory(owner, id, status))
    ok(await owner.call('assets.checkIn', { params: { id: asset.id }, body: {} }))
    ok(await admin.put(`/api/admin/assets/${asset.id}/scrap`, {}))
  })
  expect(types(ofLabel)).toContainEqual('blank.bound')
  expect(types(ofLabel)).toContainEqual('inventory.closed')
  expect(types(ofLabel).slice(-2)).toEqual(['asset.updated', 'asset.scrapped'])
})

test.if(inProcess)('guests, gates with and without a connection, check-ins, and photos', async () => {
  const { server } = world
  const of = { ownerType: 'ORGANIZATION', ownerId: org.id, visibility: 'PUBLIC' } as const
  const person = await server.person()
  const ofGuests = await told(async () => {
    const activity = await openToGuests(server, owner, { capacity: 1, waitlist: true }, of)
    const guest = await confirmedGuest(world, activity, { name: 'Li', email: 'guest.li@example.org' })
    ok(await register(person, activity))
    ok(await act(server, guest.secret, { action: 'cancel' }))
    await setStatus(owner, activity.id, 'CANCELLED')
    ok(await admin.delete(`/api/admin/activities/${activity.id}`))
  })
  expect(types(ofGuests).slice(3)).toEqual([
    'registration.confirmed',
    'registration.waiting',
    'registration.cancelled',
    'registration.confirmed',
    'activity.updated',
    'activity.cancelled',
    'activity.deleted',
  ])
  expect(JSON.stringify(ofGuests)).not.toContain('guest.li@')
  let secrets: (string | null)[] = []
  const ofPasses = await told(async () => {
    const activity = await withPasses(owner, { ...of, hasCheckIn: true })
    const { id } = activity
    const passes = await issued(owner, id, { holders: guests(3) })
    secrets = passes.flatMap(({ uuid, qrContent }) => [uuid, qrContent])
    ok(await redeem(owner, id, { content: passes[0]!.qrContent, nonce: nonce() }))
    const used = { passUuid: passes[1]!.uuid, nonce: nonce(), usedAt: server.clock.now() }
    for (const _ of [1, 2]) await uploaded(owner, id, [used])
    ok(await admin.put(`/api/admin/passes/${passes[2]!.id}/revoke`, {}))
    ok(await checkIn(person, activity))
    await setStatus(owner, id, 'ENDED')
  })
  expect(types(ofPasses).slice(3)).toEqual([
    'pass.issued',
    'pass.issued',
    'pass.issued',
    'pass.redeemed',
    'pass.redeemed',
    'pass.revoked',
    'check_in.created',
    'activity.updated',
    'activity.ended',
  ])
  for (const secret of secrets) expect(JSON.stringify(ofPasses)).not.toContain(secret!)
  const ofAlbum = await told(() => addPhoto(server, owner, { orgId: org.id }))
  expect(types(ofAlbum)).toEqual(['album_photo.created'])
})

test('a row that is too large for a body is shortened', async () => {
  const place = { orgId: org.id }
  const fields = []
  for (let i = 0; i < 3; i++) fields.push(await createField(owner, { type: 'TEXTAREA' }, place))
  const values = fields.map(({ id }) => ({ fieldId: id, value: '长'.repeat(10_000) }))
  const [whole] = await told(() => createAsset(owner, { ...place, name: 'Short', values: values.slice(2) }))
  expect(whole.data.values).toHaveLength(1)
  const [event] = await told(() => createAsset(owner, { ...place, name: 'Long', values: values }))
  expect(event.data).toEqual({ id: expect.any(Number), name: 'Long', kind: 'asset', isShortened: true })
})

test.if(inProcess)('the server', async () => {
  const [user, user2] = [await world.server.person(), await world.server.person()]
  const set = (status: string) => admin.patch(`/api/admin/users/${user.id}/status`, { status })
  const events = await told(async () => {
    for (const status of ['DISABLED', 'DISABLED', 'ACTIVE', 'ACTIVE', 'DISABLED']) ok(await set(status))
    ok(await admin.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: admin.password }))
    ok(await admin.delete(`/api/admin/users/${user.id}`, { reason: 'asked for it' }))
    await publish(admin)
    await make(admin)
    const { id } = await createOrg(user2, { name: 'Short' })
    ok(await user2.call('orgs.dissolve', { params: { id } }))
  }, 'server')
  expect(types(events)).toEqual([
    'user.disabled',
    'user.enabled',
    'user.disabled',
    'user.deleted',
    'agreement.published',
    'backup.finished',
    'org.created',
    'member.joined',
    'org.dissolved',
  ])
})

test('every body fits /webhooks.json', async () => {
  const document = JSON.parse((await world.server.request('GET', '/webhooks.json')).text)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'd')
  const seen = new Set<string>()
  const bad: string[] = []
  for (const url of [ofOrg.url, ofServer.url])
    for (const { event } of receiver.at(url)) {
      seen.add(event.type)
      const check = ajv.getSchema(`d#/$defs/${event.type}`)!
      if (!check(event)) bad.push(`${event.type}: ${ajv.errorsText(check.errors)}`)
    }
  expect(bad).toEqual([])
  expect(EVENT_TYPES.filter((type) => !seen.has(type))).toEqual(inProcess ? ELSEWHERE : expect.anything())
  const examples = Object.entries<{ example?: unknown }>(document.$defs).filter(
    ([, { example }]) => example !== undefined,
  )
  for (const [type, { example }] of examples)
    expect([type, ajv.getSchema(`d#/$defs/${type}`)!(example)]).toEqual([type, true])
})

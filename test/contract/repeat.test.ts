/**
 * Every POST that looks at `Idempotency-Key` is called as if the server had died before it stored the answer. The repeat must find what
 * was made: the same answer, and not one row more. A new POST needs a line here, or a reason (`ignoresKey`) in its record.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { count, getTableName, is, Table } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { allEndpoints } from '#app'
import { StorageError } from '#db/errors.ts'
import * as schema from '#db/schema/index.ts'
import { isRepeatable, unrepeatable } from '#http/repeatable.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { openActivity } from '../activities/check-in-helpers.ts'
import { nonce } from '../activities/gate-helpers.ts'
import { createGate } from '../activities/gate-link-helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import { createTemplate as createPassTemplate, issued, withPasses } from '../activities/pass-helpers.ts'
import { publish } from '../agreements/helpers.ts'
import { startedInventory } from '../assets/counting.ts'
import { createAsset } from '../assets/helpers.ts'
import { reservation } from '../assets/reserving.ts'
import { csv, imported } from '../assets/sheets.ts'
import { sendText } from '../chat/helpers.ts'
import { ask, befriend, codeOf } from '../contacts/helpers.ts'
import { png, putBytes, text } from '../files/helpers.ts'
import { findableAsset, newestReport, report } from '../found/helpers.ts'
import { inProcess, ok, type Person, startGateways, until, useServer } from '../harness/index.ts'
import { createGlobalTemplate, createTemplate } from '../metadata/helpers.ts'
import { addMembers, apply, createOrg, invite, offerTo } from '../orgs/helpers.ts'
import { makeDevice } from '../push/push-service.ts'
import { createCode, freeLabel } from '../qr-codes/helpers.ts'
import { newCode, pushOne } from '../sync/push-helpers.ts'

const gateways = await startGateways()
afterAll(gateways.stop)
const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'], config: gateways.config })

interface Request {
  readonly who?: Person
  /** Resolves when the work that the request has started is done. */
  readonly settled?: () => Promise<unknown>
  readonly params?: Readonly<Record<string, number | string>>
  readonly body?: object
}

let names = 0
const name = (): string => `thing${++names}`
let providers = 10
const addSupply = async () => ok(await alice.call('supplies.create', { body: { name: name() } })).data
const letters = (): string => name().replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)
const someone = (): Promise<Person> => server.person()

const form = (bytes: Uint8Array<ArrayBuffer>, fileName: string, fields: Record<string, string> = {}): FormData => {
  const sent = new FormData()
  for (const [key, value] of Object.entries(fields)) sent.set(key, value)
  sent.set('file', new File([bytes], fileName))
  return sent
}

/** A message to alice. */
async function receivedText(): Promise<{ id: number }> {
  const friend = await someone()
  await befriend(alice, friend)
  return sendText(friend, alice)
}

/** A report by alice. */
async function reported(): Promise<number> {
  const { id } = await receivedText()
  return ok(await alice.call('messages.report', { params: { id }, body: { reason: 'Advertising' } })).data.id
}

/** A new organization of alice's with bob. */
async function orgWithBob(): Promise<{ id: number; orgId: number }> {
  const { id } = await createOrg(alice)
  await addMembers(alice, { id }, bob)
  return { id, orgId: id }
}

const objectName = 'asset'
const field = () => ({ name: name(), type: 'TEXT' })
const times = () => ({ startTime: Date.now() + DAY, endTime: Date.now() + DAY + HOUR })
const opened = async (): Promise<number> =>
  (await createActivity(alice, { ...times(), registration: {}, hasCheckIn: true, status: 'ACTIVE' })).id
const added = async (): Promise<number> => {
  const body = { items: [{ name: 'Lin Mei' }] }
  return ok(await alice.call('registrations.add', { params: { id: await opened() }, body })).data.items[0]!.id
}
const groupWith = async (...members: readonly Person[]): Promise<number> => {
  for (const member of members) await befriend(alice, member)
  const body = { name: name(), userIds: members.map(({ id }) => id) }
  return ok(await alice.call('groups.create', { body })).data.id
}

/** A webhook that gets tests only, of which it has one. */
async function webhookWithTest(create: 'webhooks.create' | 'webhooks.createOfServer') {
  const body = { name: name(), url: 'https://127-0-0-1.example.net/', events: ['webhook.test'] }
  const { id } = ok(await admin.call(create, { body })).data
  const test = create === 'webhooks.create' ? 'webhooks.test' : 'webhooks.testOfServer'
  return { id, deliveryId: ok(await admin.call(test, { params: { id } })).data.id }
}
const replayed = (create: 'webhooks.create' | 'webhooks.createOfServer') => async () => ({
  who: admin,
  params: await webhookWithTest(create),
  body: { from: 0, to: server.clock.now() + 1000 },
})
const replayedOne = (create: 'webhooks.create' | 'webhooks.createOfServer') => async () => ({
  who: admin,
  params: await webhookWithTest(create),
})

const REQUESTS: Readonly<Record<string, () => Request | Promise<Request>>> = {
  'auth.acceptLink': async () => {
    const [owner, linked] = [await someone(), await someone()]
    const body = { ownerUserId: owner.id, linkedUserId: linked.id }
    return { who: linked, params: { linkId: ok(await admin.call('admin.links.propose', { body })).data.id } }
  },
  'admin.links.propose': async () => ({
    who: admin,
    body: { ownerUserId: (await someone()).id, linkedUserId: (await someone()).id },
  }),
  'loginRecords.report': () => ({ body: { loginType: 'qrcode' } }),
  'admin.nicknameAdjectives.create': () => ({ who: admin, body: { word: `Ad${name()}` } }),
  'admin.nicknameNouns.create': () => ({ who: admin, body: { word: `No${name()}` } }),
  'admin.oidcProviders.create': () => ({
    who: admin,
    body: { key: `p${++providers}`, name: 'School', issuer: 'https://id.example.org', clientId: 'tessera' },
  }),
  'admin.users.create': () => ({ who: admin, body: { username: name() } }),
  'qrCodes.create': () => ({ body: { name: name(), content: 'https://example.org' } }),
  'qrCodeDesigns.create': () => ({ body: { name: name(), isDefault: true } }),
  'labelProfiles.create': () => ({ body: { name: name(), media: { key: 'roll-50x30' } } }),
  'importMappings.create': () => ({ body: { name: name(), headings: ['Name'], options: { decimal: 'COMMA' } } }),
  'qrCodes.createBatch': () => ({ body: { items: [1, 2].map(() => ({ name: name(), content: 'x' })) } }),
  'qrBlanks.create': () => ({ body: { name: name(), count: 2 } }),
  'qrBlanks.bind': async () => ({
    params: { slug: await freeLabel(alice) },
    body: { kind: 'QR_CODE', create: { name: name(), content: 'x' } },
  }),
  'qrBlanks.release': async () => ({ params: { slug: await freeLabel(alice) } }),
  'qrBlanks.void': async () => ({ params: { slug: await freeLabel(alice) } }),
  'categories.create': () => ({ body: { name: name() } }),
  'scanRecords.create': () => ({ body: { content: name() } }),
  'orgs.create': async () => ({ who: await someone(), body: { name: name() } }),
  'orgs.resetCode': async () => ({ params: await orgWithBob() }),
  'orgs.transfer': async () => ({ params: await orgWithBob(), body: { userId: bob.id } }),
  'orgs.transferOwnership': async () => ({ params: await orgWithBob(), body: { userId: bob.id } }),
  'orgs.answerTransfer': async () => {
    const org = await orgWithBob()
    ok(await offerTo(alice, org, bob))
    return { who: bob, params: org, body: { accept: true } }
  },
  'orgs.leave': async () => ({ who: bob, params: await orgWithBob() }),
  'orgs.invite': async () => ({ params: await orgWithBob(), body: { userIds: [(await someone()).id] } }),
  'orgs.inviteByMail': async () => ({
    who: admin,
    params: { id: (await createOrg(admin)).id },
    body: { emails: [`${name()}@example.org`] },
  }),
  'orgs.createRole': async () => ({ params: { orgId: (await createOrg(alice)).id }, body: { name: name() } }),
  'orgs.shareJoinLink': async () => ({ params: await orgWithBob(), body: { userIds: [(await someone()).id] } }),
  'orgs.cancelInvitation': async () => {
    const org = await orgWithBob()
    const [item] = await invite(alice, org, await someone())
    return { params: { ...org, invitationId: item!.invitationId! } }
  },
  'orgs.respond': async () => {
    const who = await someone()
    const [item] = await invite(alice, await orgWithBob(), who)
    return { who, body: { invitationId: item!.invitationId, accept: true } }
  },
  'orgs.apply': async () => ({ who: await someone(), params: await orgWithBob() }),
  'orgs.joinByCode': async () => ({ who: await someone(), body: { code: (await createOrg(alice)).code } }),
  'orgs.joinByQrCode': async () => {
    const { id } = await createOrg(alice)
    const { content } = ok(await alice.call('orgs.shareJoinLink', { params: { id }, body: {} })).data
    return { who: await someone(), body: { content } }
  },
  'orgs.approve': async () => {
    const [org, who] = [await orgWithBob(), await someone()]
    ok(await apply(who, org))
    return { params: org, body: { userId: who.id, approve: true } }
  },
  'locations.create': async () => ({ params: await orgWithBob(), body: { name: name() } }),
  'admin.orgs.create': () => ({ who: admin, body: { name: name(), ownerId: bob.id } }),
  'admin.orgs.transfer': async () => ({ who: admin, params: await orgWithBob(), body: { userId: bob.id } }),
  'admin.orgs.addMember': async () => ({
    who: admin,
    params: await orgWithBob(),
    body: { userId: (await someone()).id },
  }),
  'admin.users.join': async () => ({
    who: admin,
    params: { ...(await orgWithBob()), userId: (await someone()).id },
    body: {},
  }),
  'shares.create': async () => ({
    params: await orgWithBob(),
    body: { entityType: 'QR_CODE', sourceId: (await createCode(alice)).id },
  }),
  'files.upload': () => ({ body: form(text(), 'note.txt') }),
  'files.createTicket': () => ({ body: { name: 'note.txt', size: 40 } }),
  'files.finishUpload': async () => {
    const bytes = text()
    const ticket = ok(await alice.call('files.createTicket', { body: { name: 'a.txt', size: bytes.length } })).data
    ok(await putBytes(server, ticket, bytes))
    return { body: { uploadId: ticket.uploadId } }
  },
  'album.add': () => ({ body: form(png(), 'a.png') }),
  'assets.create': () => ({ body: { name: name() } }),
  'assets.scrap': async () => ({ params: { id: (await createAsset(alice)).id }, body: {} }),
  'assets.transfer': async () => ({
    params: { id: (await createAsset(alice)).id },
    body: { note: 'to nobody', custodianId: alice.id },
  }),
  'found.answer': async () => {
    await report(server, await findableAsset(alice))
    return { params: { id: (await newestReport(alice)).id }, body: { message: 'Thank you' } }
  },
  'assetCategories.create': () => ({ body: { name: name() } }),
  'inventories.create': () => ({ body: { name: name() } }),
  'inventories.scan': async () => {
    const asset = await createAsset(alice)
    return { params: { id: (await startedInventory(alice)).id }, body: { assetId: asset.id } }
  },
  'assetPlans.create': async () => ({
    body: {
      name: name(),
      kind: 'SERVICE',
      every: { days: 7 },
      firstDue: '2026-09-01',
      assetId: (await createAsset(alice)).id,
    },
  }),
  'assetMaintenance.create': async () => ({
    params: { id: (await createAsset(alice)).id },
    body: { kind: 'SERVICE', doneOn: '2026-09-01' },
  }),
  'assetReservations.create': async () => {
    const { orgId, assetId } = await reservation(alice)
    const from = Date.now() + 24 * 3_600_000
    return { body: { orgId, items: [{ assetId }], from, to: from + 1000 } }
  },
  'assetReservations.cancel': async () => ({ params: { id: (await reservation(alice)).id }, body: {} }),
  'assetReservations.approve': async () => ({ params: { id: (await reservation(alice, bob)).id }, body: {} }),
  'assetReservations.reject': async () => ({
    params: { id: (await reservation(alice, bob)).id },
    body: { reason: 'It is needed elsewhere' },
  }),
  'assetReservations.pickUp': async () => ({ params: { id: (await reservation(alice)).id }, body: {} }),
  'assetReservations.return': async () => {
    const params = { id: (await reservation(alice)).id }
    ok(await alice.call('assetReservations.pickUp', { params, body: {} }))
    return { params, body: {} }
  },
  'supplies.create': () => ({ body: { name: name() } }),
  'supplies.move': async () => ({ params: { id: (await addSupply()).id }, body: { type: 'IN', quantity: 1 } }),
  'supplies.moveMany': async () => ({
    body: { items: [{ supplyId: (await addSupply()).id, type: 'IN', quantity: 1 }] },
  }),
  'supplies.reverse': async () => {
    const body = { type: 'IN', quantity: 1 } as const
    const moved = ok(await alice.call('supplies.move', { params: { id: (await addSupply()).id }, body })).data
    return { params: { id: moved.id }, body: {} }
  },
  'supplies.import': () => ({ body: form(csv([['Name'], [name()], [name()]]), 'supplies.csv') }),
  'supplies.undoImport': async () => {
    const body = form(csv([['Name'], [name()]]), 'supplies.csv')
    const { importId } = ok(await alice.send('POST', '/api/supplies/import', { body })).data
    return { params: { id: importId }, body: {} }
  },
  'assets.checkOut': async () => ({ params: { id: (await createAsset(alice)).id }, body: { personName: 'Lin Mei' } }),
  'assets.checkIn': async () => {
    const { id } = await createAsset(alice)
    ok(await alice.call('assets.checkOut', { params: { id }, body: { personName: 'Lin Mei' } }))
    return { params: { id }, body: {} }
  },
  'assets.import': () => ({ body: form(csv([['Name'], [name()], [name()]]), 'assets.csv') }),
  'assets.undoImport': async () => {
    const { importId } = await imported(alice, [['Name'], [name()]])
    return { params: { id: importId! }, body: {} }
  },
  'qrCodes.import': () => ({ body: form(csv([['url'], [`https://example.com/${name()}`]]), 'links.csv') }),
  'metadata.createObject': () => ({ who: admin, body: { name: name(), label: 'Things' } }),
  'metadata.createField': () => ({ params: { objectName }, body: field() }),
  'metadata.createOrgField': async () => ({ params: { ...(await orgWithBob()), objectName }, body: field() }),
  'metadata.createAnyField': () => ({ who: admin, body: { ...field(), objectName, scope: 'GLOBAL' } }),
  'metadata.bind': async () => {
    const { id } = await createTemplate(alice)
    return { params: { objectName, entityId: (await createAsset(alice)).id }, body: { templateIds: [id] } }
  },
  'metadata.orgBind': async () => {
    const org = await orgWithBob()
    const { id } = await createTemplate(alice, {}, { orgId: org.id })
    const asset = await createAsset(alice, { orgId: org.id })
    return { params: { ...org, objectName, entityId: asset.id }, body: { templateIds: [id] } }
  },
  'metadata.createTemplate': () => ({ params: { objectName }, body: { name: name() } }),
  'metadata.forkTemplate': async () => ({ params: { id: (await createTemplate(alice)).id }, body: { name: name() } }),
  'metadata.createOrgTemplate': async () => ({
    params: { ...(await orgWithBob()), objectName },
    body: { name: name() },
  }),
  'metadata.forkIntoOrg': async () => ({
    params: { ...(await orgWithBob()), id: (await createGlobalTemplate(admin)).id },
    body: { name: name() },
  }),
  'metadata.createAnyTemplate': () => ({ who: admin, body: { objectName, scope: 'GLOBAL', name: name() } }),
  'sync.resolve': async () => {
    const created = newCode(name(), { updatedAt: 1 })
    const { serverId } = await pushOne(alice, created)
    ok(await alice.put(`/api/qr-codes/${serverId}`, { name: 'of the server' }))
    const lost = await pushOne(alice, { ...created, baseVersion: 1, data: { name: 'lost' } })
    return { body: { conflictId: lost.conflictId, acceptServer: false } }
  },
  'ownData.start': async () => {
    const who = await someone()
    const isReady = async () => ok(await who.call('ownData.latest')).data?.status === 'READY'
    return { who, body: {}, settled: () => until(isReady, 'the export is ready') }
  },
  'ownData.startOfUser': async () => {
    const params = { userId: (await someone()).id }
    const isReady = async () => ok(await admin.call('ownData.latestOfUser', { params })).data?.status === 'READY'
    return { who: admin, params, body: {}, settled: () => until(isReady, 'the export is ready') }
  },
  'webhooks.replay': replayed('webhooks.create'),
  'webhooks.replayOfServer': replayed('webhooks.createOfServer'),
  'webhooks.replayDelivery': replayedOne('webhooks.create'),
  'webhooks.replayDeliveryOfServer': replayedOne('webhooks.createOfServer'),
  'activities.create': () => ({ body: { name: name(), ...times() } }),
  'activities.copy': async () => ({
    params: { id: (await createActivity(alice)).id },
    body: { startTime: Date.now() },
  }),
  'activities.createSeries': async () => ({
    params: { id: (await createActivity(alice)).id },
    body: { every: 'WEEK', count: 3 },
  }),
  'activities.checkIn': async () => ({ who: bob, params: { id: (await openActivity(server, alice)).id }, body: {} }),
  'checkInLists.create': async () => ({ params: { id: (await withPasses(alice)).id }, body: { name: name() } }),
  'checkInLists.reorder': async () => {
    const { id } = await withPasses(alice)
    const lists = []
    for (const title of ['A', 'B'])
      lists.push(ok(await alice.call('checkInLists.create', { params: { id }, body: { name: title } })).data.id)
    return { params: { id }, body: { ids: lists.toReversed() } }
  },
  'passTemplates.create': () => ({ body: { name: name() } }),
  'passes.issue': async () => ({ params: { id: (await withPasses(alice)).id }, body: { holderName: 'Lin Mei' } }),
  'passes.issueByTemplate': async () => ({
    params: { templateId: (await createPassTemplate(alice)).id },
    body: { activityId: (await withPasses(alice)).id, holderName: 'Lin Mei' },
  }),
  'passes.batch': async () => {
    const { id } = await withPasses(alice)
    await issued(alice, id, { holderName: 'Lin Mei' })
    return { params: { id }, body: { action: 'REVOKE', filter: { status: 'ISSUED' } } }
  },
  'passes.uploadRedemptions': async () => {
    const { id } = await withPasses(alice)
    const [pass] = await issued(alice, id, { holderName: 'Lin Mei' })
    return {
      params: { id },
      body: { items: [{ content: pass!.qrContent, nonce: nonce(), usedAt: Date.now() - 9999 }] },
    }
  },
  'passes.undo': async () => {
    const { id } = await withPasses(alice)
    const [pass] = await issued(alice, id, { holderName: 'Lin Mei' })
    const body = { passUuid: pass!.uuid, redeem: true }
    const { use } = ok(await alice.call('passes.verify', { params: { id }, body })).data
    return { params: { id, recordId: use!.id }, body: {} }
  },
  'registrations.register': async () => {
    const { id } = await createActivity(alice, { ...times(), registration: {}, visibility: 'PUBLIC', status: 'ACTIVE' })
    return { who: bob, params: { id }, body: {} }
  },
  'registrations.add': async () => ({ params: { id: await opened() }, body: { items: [{ name: 'Lin Mei' }] } }),
  'registrations.batch': async () => ({ params: { id: await opened() }, body: { action: 'CONFIRM', filter: {} } }),
  'registrations.import': async () => ({
    params: { id: await opened() },
    body: form(csv([['Name'], [name()], [name()]]), 'people.csv'),
  }),
  'registrations.move': async () => ({
    params: { registrationId: await added() },
    body: { activityId: await opened() },
  }),
  'registrations.checkIn': async () => ({ params: { registrationId: await added() }, body: {} }),
  'activityMessages.create': async () => ({
    params: { id: (await createActivity(alice)).id },
    body: { subject: name(), body: 'Text' },
  }),
  'activityInvitations.create': async () => ({
    params: { id: (await createActivity(alice)).id },
    body: { count: 2 },
  }),
  'activityGates.create': async () => ({ params: { id: (await withPasses(alice)).id }, body: { name: name() } }),
  'activityGates.renew': async () => {
    const { id } = await withPasses(alice)
    return { params: { id, gateId: (await createGate(alice, id)).id } }
  },
  'admin.activities.create': () => ({
    who: admin,
    body: { name: name(), ...times(), ownerType: 'PERSONAL', ownerId: bob.id },
  }),
  'contacts.request': async () => ({ who: await someone(), body: { code: await codeOf(alice) } }),
  'contacts.accept': async () => ({ params: { id: ok(await ask(await someone(), alice)).data.id }, body: {} }),
  'contacts.reject': async () => ({ params: { id: ok(await ask(await someone(), alice)).data.id }, body: {} }),
  'contacts.block': async () => ({ params: { contactId: (await befriend(alice, await someone()))[0] } }),
  'contacts.unblock': async () => {
    const contactId = (await befriend(alice, await someone()))[0]
    ok(await alice.call('contacts.block', { params: { contactId } }))
    return { params: { contactId } }
  },
  'contacts.refreshCard': () => ({}),
  'conversations.pin': async () => ({ params: { id: await groupWith(await someone()) }, body: { pinned: true } }),
  'conversations.read': async () => {
    const friend = await someone()
    await befriend(alice, friend)
    return { params: { id: (await sendText(friend, alice)).conversationId }, body: {} }
  },
  'conversations.unread': async () => ({ params: { id: await groupWith(await someone()) } }),
  'messages.send': async () => {
    const content = { text: 'hello' }
    return { body: { conversationId: await groupWith(await someone()), clientMsgId: name(), type: 'TEXT', content } }
  },
  'messages.recall': async () => {
    const friend = await someone()
    await befriend(alice, friend)
    return { params: { id: (await sendText(alice, friend)).id } }
  },
  'messages.pin': async () => ({ params: { id: (await receivedText()).id } }),
  'messages.unpin': async () => {
    const { id } = await receivedText()
    ok(await alice.call('messages.pin', { params: { id } }))
    return { params: { id } }
  },
  'messages.remove': async () => {
    const conversationId = await groupWith(await someone())
    const body = { conversationId, clientMsgId: name(), type: 'TEXT', content: { text: 'hello' } }
    return { params: { id: ok(await alice.call('messages.send', { body })).data.messages[0]!.id }, body: {} }
  },
  'messages.report': async () => ({ params: { id: (await receivedText()).id }, body: { reason: 'Advertising' } }),
  'admin.chat.removeReported': async () => ({ who: admin, params: { id: await reported() } }),
  'admin.chat.dismissReport': async () => ({ who: admin, params: { id: await reported() } }),
  'messages.forward': async () => {
    const friend = await someone()
    await befriend(alice, friend)
    const { id } = await sendText(alice, friend)
    return { body: { messageIds: [id], userIds: [friend.id], clientMsgId: name() } }
  },
  'chats.openNotes': async () => ({ who: await someone() }),
  'groups.create': async () => {
    const friend = await someone()
    await befriend(alice, friend)
    return { body: { name: name(), userIds: [friend.id] } }
  },
  'groups.addMembers': async () => {
    const [id, friend] = [await groupWith(await someone()), await someone()]
    await befriend(alice, friend)
    return { params: { id }, body: { userIds: [friend.id] } }
  },
  'groups.leave': async () => {
    const who = await someone()
    return { who, params: { id: await groupWith(who) } }
  },
  'groups.transfer': async () => {
    const friend = await someone()
    return { params: { id: await groupWith(friend) }, body: { userId: friend.id } }
  },
  'notifications.send': () => ({ who: admin, body: { userIds: [bob.id], title: 'x', body: 'x' } }),
  'admin.notifications.send': () => ({ who: admin, body: { userIds: [bob.id], title: 'x', body: 'x' } }),
  'push.subscribe': () => ({
    body: { endpoint: `https://push.example.net/${name()}`, keys: makeDevice().keys },
  }),
  'agreements.accept': async () => {
    const { id, type, version } = await publish(admin)
    ok(await admin.call('agreements.activate', { params: { id } }))
    return { body: { type, version } }
  },
  'agreements.publish': () => ({ who: admin, body: { type: 'PRIVACY', title: 'x', content: 'x' } }),
  'agreements.activate': async () => ({ who: admin, params: { id: (await publish(admin)).id } }),
  'access.createPermission': () => ({
    who: admin,
    body: { domain: 'APP', resource: `things_${letters()}`, action: 'read' },
  }),
  'access.createRole': () => ({
    who: admin,
    body: { code: name().toUpperCase(), name: name(), domain: 'APP', permissions: [] },
  }),
  'access.grantRole': async () => {
    const body = { code: name().toUpperCase(), name: name(), domain: 'APP' as const, permissions: [] }
    const { id } = ok(await admin.call('access.createRole', { body })).data
    return { who: admin, params: { userId: (await someone()).id }, body: { roleId: id } }
  },
}

/** Every POST of a user that ignores the header, with its reason. Those that check a secret or give tokens say so in their records. */
const IGNORED = {
  'It creates nothing.': [
    'admin.files.cleanUp',
    'admin.files.deleteMany',
    'admin.users.endSessions',
    'assets.countLabels',
    'auth.deleteAccount',
    'auth.emailUnbind',
    'auth.logoutDevice',
    'auth.phoneUnbind',
    'profile.setPassword',
  ],
  'While its mail waits, it sends no second one.': ['activityInvitations.send'],
  'The server ends before a repeated request can arrive.': ['server.restart'],
  'Its answer has the address, which is not stored.': ['server.checks.start'],
  'It only adds to a number.': ['server.printed'],
  'It asks another server, and creates nothing.': ['server.look'],
  'It sends a mail, whose steps are its answer.': ['server.mail.test'],
  'It asks the provider, whose answer is its own.': ['admin.oidcProviders.check'],
  'Its answer is the present state of the certificate.': ['server.certificate.renew'],
  'It changes nothing.': [
    'activities.renderDescription',
    'activityMessages.preview',
    'admin.markdown.render',
    'qrCodeDesigns.check',
    'qrCodes.tryLink',
    'restores.preview',
  ],
  'A repeat may send another code.': [
    'auth.changeCode',
    'auth.emailBindCode',
    'auth.emailLinkCode',
    'auth.phoneBindCode',
    'auth.phoneLinkCode',
  ],
  'Its answer is a secret.': [
    'auth.startTotp',
    'backups.downloadLink',
    'oidc.link',
    'webhooks.create',
    'webhooks.createOfServer',
    'webhooks.renewSecret',
    'webhooks.renewSecretOfServer',
  ],
  'It sends a test, whose delivery is its answer.': ['webhooks.test', 'webhooks.testOfServer'],
  'Its answer works once.': ['passkeys.options'],
  'A challenge works once.': ['passkeys.create'],
  'It answers the same link again.': ['activities.openKiosk'],
  'Its answer is a secret, of which the server keeps a hash only.': ['assetCalendars.create'],
  'Its answer has a secret, of which the server keeps a hash only.': ['apiKeys.create'],
  'The answer leads to secrets, and a repeated file makes nothing new.': ['admin.users.import'],
  'A repeat makes another code: only the hash of the first one is stored.': ['admin.users.resetCode'],
  'A repeat by the same user gets the same answer.': ['orgs.acceptMailInvitation'],
  'Each record has an id of its own.': ['sync.push'],
  'It starts work outside the database; only one backup runs at a time.': ['backups.create', 'backups.verify'],
  'A repetition changes nothing twice.': ['inventories.apply'],
  'It answers with a file.': ['assets.labels', 'labelProfiles.calibrate', 'qrCodes.export'],
  'It gives or ends tokens.': [
    'auth.logout',
    'auth.switchAccount',
    'auth.switchLink',
    'sessions.create',
    'sessions.switch',
  ],
  'It checks a secret.': [
    'appUpdates.publish',
    'auth.changePassword',
    'auth.confirm',
    'auth.confirmTotp',
    'auth.disableTotp',
    'auth.emailBind',
    'auth.link',
    'auth.phoneBind',
    'auth.replaceRecoveryCodes',
    'auth.verifyMobile',
    'guests.claim',
    'restores.start',
    'restores.undo',
  ],
}

const posts = allEndpoints.filter(({ method }) => method === 'POST')
const repeatable = posts.filter(isRepeatable)

test('every POST that looks at Idempotency-Key is repeated by these tests', () => {
  expect(repeatable.map(({ id }) => id).toSorted()).toEqual(Object.keys(REQUESTS).toSorted())
})

test('every other POST of a user has a reason', () => {
  const others = posts.filter(
    (endpoint) => !isRepeatable(endpoint) && !['open', 'gate', 'key'].includes(endpoint.access.kind),
  )
  const found = others.map((endpoint) => `${endpoint.id}: ${unrepeatable(endpoint)}`)
  const listed = Object.entries(IGNORED).flatMap(([reason, ids]) => ids.map((id) => `${id}: ${reason}`))
  expect(found.toSorted()).toEqual(listed.toSorted())
})

const tables = (Object.values(schema) as unknown[]).filter((value): value is SQLiteTable => is(value, Table))

/** Of messages and of lists, written by a job some seconds after them; the row of the first run of the job of digests; and mails, which go out. */
const WRITTEN_LATER: readonly SQLiteTable[] = [
  schema.messageIndex,
  schema.messageTerms,
  schema.listChanges,
  schema.listTotals,
  schema.assetDigestRuns,
  schema.outbox,
]

/** The number of rows of each table, except those of keys and those that a job writes. */
async function rows(): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of tables) {
    const [row] = await server.ctx.db.read.select({ n: count() }).from(table)
    if (table !== schema.repeatKeys && !WRITTEN_LATER.includes(table)) found[getTableName(table)] = Number(row!.n)
  }
  return found
}

describe.if(inProcess)('when the answer was not stored', () => {
  let losing = false
  let write: typeof server.ctx.db.write

  beforeAll(() => {
    const { db } = server.ctx
    write = db.write.bind(db)
    db.write = (writeName, ...rest) =>
      losing && writeName === 'http.keepAnswer'
        ? Promise.reject(new StorageError('io', 'lost'))
        : write(writeName, ...rest)
  })
  afterAll(() => {
    server.ctx.db.write = write
  })

  for (const endpoint of repeatable.filter(({ id }) => REQUESTS[id]))
    test(`a repeat of POST ${endpoint.path} (${endpoint.id}) answers the same and adds no row`, async () => {
      const { who = alice, params = {}, body, settled } = await REQUESTS[endpoint.id]!()
      const path = endpoint.path.replaceAll(/:(\w+)/g, (_, key: string) => String(params[key]))
      const send = () =>
        who.send('POST', path, {
          ...(body && { body }),
          headers: { 'idempotency-key': `key of ${endpoint.id}`.replaceAll(' ', '-') },
        })
      losing = true
      const first = ok(await send())
      losing = false
      await settled?.()
      const after = await rows()
      const second = ok(await send())
      expect(second.data).toEqual(first.data)
      expect(second.headers.get('idempotency-replayed')).toBe('true')
      const third = ok(await send())
      expect(third.text).toBe(second.text)
      expect(await rows()).toEqual(after)
    })
})

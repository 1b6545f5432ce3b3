/**
 * An update that sets the values that are already there changes nothing: neither `version` nor `updatedAt` of any row rises, so a client
 * that synchronizes sees no change. Each PUT and PATCH is sent twice; the second must leave all these columns as they were.
 */

import { beforeAll, describe, expect, test } from 'bun:test'

import { getTableColumns, getTableName, is, Table } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { allEndpoints } from '#app'
import * as schema from '#db/schema/index.ts'

import { createGate } from '../activities/gate-link-helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import { createTemplate, issued, withPasses } from '../activities/pass-helpers.ts'
import { reservation } from '../assets/reserving.ts'
import { sendText } from '../chat/helpers.ts'
import { befriend } from '../contacts/helpers.ts'
import { png } from '../files/helpers.ts'
import { findableAsset, newestReport, report } from '../found/helpers.ts'
import { addPasskey } from '../harness/authenticator.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { logoForm } from '../server/logo-form.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

/** Ids of rows that nothing but these tests changes. */
const id: Record<string, number> = {}

interface Update {
  /** Values of path parameters. */
  readonly params?: () => Record<string, number | string>
  readonly body?: () => object
  readonly who?: () => Person
  /** The rows have no column that would rise, so only the second request is checked. */
  readonly raisesNothing?: true
}

const code = () => ({ id: id['code']! })
const category = () => ({ id: id['category']! })
const assetCategory = () => ({ id: id['assetCategory']! })
const org = () => ({ id: id['org']!, orgId: id['org']! })
const group = () => ({ id: id['group']! })
const location = () => ({ orgId: id['org']!, locationId: id['location']! })

const fieldChange = () => ({
  name: 'new',
  type: 'NUMBER',
  config: { max: 9, min: 1 },
  description: 'new',
  sortOrder: 7,
})
const templateChange = () => ({ name: 'new', description: 'new', isDefault: true })

const logo = png(128)

const UPDATES: Readonly<Record<string, Update>> = {
  'groups.update': { params: group, body: () => ({ name: 'new' }) },
  'groups.changeRole': {
    params: () => ({ id: id['group']!, userId: bob.id }),
    body: () => ({ role: 'ADMIN' }),
  },
  'messages.react': { params: () => ({ id: id['message']!, emoji: '👍' }), raisesNothing: true },
  'qrCodes.update': {
    params: code,
    body: () => ({
      name: 'new name',
      content: 'https://example.org/new',
      categoryId: id['category'],
      tags: ['a', 'b', 'a'],
      remark: 'new',
      style: { level: 'H', fg: 'AABBCC' },
      sortOrder: 7,
    }),
  },
  'qrCodeDesigns.update': {
    params: () => ({ id: id['design']! }),
    body: () => ({ name: 'new', fg: '1A1A66', modules: 'DOTS', isDefault: true }),
  },
  'labelProfiles.update': {
    params: () => ({ id: id['labelProfile']! }),
    body: () => ({ name: 'new', media: { key: 'dk-62' }, fields: ['name', 'text:Room 5'], offsetX: 0.5 }),
  },
  'importMappings.update': {
    params: () => ({ id: id['importMapping']! }),
    body: () => ({ name: 'new', headings: ['Name', 'Tag'], options: { decimal: 'COMMA' } }),
  },
  'inventories.update': {
    params: () => ({ id: id['inventory']! }),
    body: () => ({
      name: 'new',
      note: 'new',
      scope: { categoryIds: [id['assetParent']] },
      assigneeIds: [alice.id],
      status: 'RUNNING',
    }),
  },
  'assetPlans.update': {
    params: () => ({ id: id['plan']! }),
    body: () => ({ name: 'new', every: { days: 30 }, leadDays: 3, note: 'new' }),
  },
  'assetMaintenance.update': {
    params: () => ({ id: id['maintained']!, recordId: id['record']! }),
    body: () => ({ kind: 'REPAIR', cost: '9.5', note: 'new', planId: id['plan'], nextDue: '2027-01-01' }),
  },
  'assetReservations.update': {
    params: () => ({ id: id['reservation']! }),
    body: () => ({ to: reservedUntil, purpose: 'new' }),
  },
  'supplies.update': {
    params: () => ({ id: id['supply']! }),
    body: () => ({ name: 'new', minimum: 5, price: '4.5', unit: 'box', photos: [] }),
  },
  'notifications.changePreferences': { body: () => ({ emailActivities: 'IMPORTANT' }), raisesNothing: true },
  'conversations.mute': { params: () => ({ id: id['conversation']! }), body: () => ({ muted: true }) },
  'conversations.draft': { params: () => ({ id: id['conversation']! }), body: () => ({ draft: 'See you' }) },
  'admin.settings.update': { who: () => admin, body: () => ({ values: { 'quota.files': 5 } }) },
  'admin.oidcProviders.update': {
    who: () => admin,
    params: () => ({ id: id['provider']! }),
    body: () => ({ name: 'College', clientSecret: 'new', roleMode: 'SYNC' }),
  },
  'server.identity.update': { who: () => admin, body: () => ({ name: 'Library' }) },
  'server.logo.update': { who: () => admin, body: () => logoForm(logo) },
  'server.mail.update': {
    who: () => admin,
    body: () => ({ host: 'mail.lan', security: 'NONE', from: 'desk@example.org' }),
  },
  'server.reach.update': { who: () => admin, body: () => ({ names: ['qr.example.org'] }) },
  'server.certificate.update': { who: () => admin, body: () => ({ email: 'desk@example.org' }) },
  'server.setup.update': { who: () => admin, body: () => ({ steps: [{ key: 'mail', status: 'SKIPPED' }] }) },
  'messages.edit': {
    params: () => ({ id: id['message']! }),
    body: () => ({ content: { text: 'newer' } }),
    raisesNothing: true,
  },
  'admin.chat.changeSettings': { who: () => admin, body: () => ({ recallSeconds: 60 }) },
  'admin.nicknameAdjectives.update': {
    who: () => admin,
    params: () => ({ id: id['adjective']! }),
    body: () => ({ word: 'Sturdy' }),
    raisesNothing: true,
  },
  'admin.nicknameNouns.update': {
    who: () => admin,
    params: () => ({ id: id['noun']! }),
    body: () => ({ word: 'Sturdy' }),
    raisesNothing: true,
  },
  'qrCodes.updateLink': { params: code, body: () => ({ slug: 'spring-menu', warn: true }) },
  'qrCodes.pin': { params: code, body: () => ({ pinned: true }) },
  'qrCodes.publish': { params: code, body: () => ({ isPublic: true }) },
  'assets.scrapAny': {
    who: () => admin,
    params: () => ({ id: id['scrap']! }),
    body: () => ({ reason: 'broken' }),
  },
  'assets.update': {
    params: () => ({ id: id['asset']! }),
    body: () => ({
      name: 'new name',
      assetNo: 'New-1',
      brand: 'new',
      purchaseDate: '2026-03-01',
      purchasePrice: 12.5,
      status: 'IDLE',
      custodianId: alice.id,
      latitude: 1.5,
      longitude: 2,
      publicFields: ['name'],
    }),
  },
  'found.updateAssetCard': {
    params: () => ({ id: id['asset']! }),
    body: () => ({ when: 'LOST', text: 'new', askPosition: false }),
    raisesNothing: true,
  },
  'found.updateCodeCard': {
    params: code,
    body: () => ({ when: 'ALWAYS', text: 'new', allowMessage: false }),
    raisesNothing: true,
  },
  'found.changeStatus': { params: () => ({ id: id['foundReport']! }), body: () => ({ status: 'CLOSED' }) },
  'webhooks.update': { params: () => ({ id: id['webhook']! }), body: () => ({ name: 'new', enabled: false }) },
  'webhooks.updateOfServer': {
    who: () => admin,
    params: () => ({ id: id['serverWebhook']! }),
    body: () => ({ name: 'new' }),
  },
  'contacts.setRemark': { params: () => ({ contactId: id['contact']! }), body: () => ({ remark: 'new' }) },
  'contacts.setTags': { params: () => ({ contactId: id['contact']! }), body: () => ({ tags: ['a', 'b', 'a'] }) },
  'contacts.updatePrivacy': {
    body: () => ({ findableByEmail: false, whoMayMessage: 'EVERYONE' }),
    raisesNothing: true,
  },
  'categories.update': { params: category, body: () => ({ name: 'new name', color: '#AABBCC' }) },
  'categories.pin': { params: category, body: () => ({ pinned: true }) },
  'categories.batchPin': { body: () => ({ ids: [id['parent'], id['sibling']], pinned: true }) },
  'categories.reorder': { body: () => ({ ids: [id['sibling'], id['category']] }) },
  'categories.move': { params: category, body: () => ({ parentId: id['parent'] }) },
  'assetCategories.update': {
    params: assetCategory,
    body: () => ({ name: 'new name', color: '#AABBCC', shared: false, templateIds: [], defaultTemplateId: null }),
  },
  'assetCategories.pin': { params: assetCategory, body: () => ({ pinned: true }) },
  'assetCategories.batchPin': { body: () => ({ ids: [id['assetParent'], id['assetSibling']], pinned: true }) },
  'assetCategories.reorder': { body: () => ({ ids: [id['assetSibling'], id['assetCategory']] }) },
  'assetCategories.move': { params: assetCategory, body: () => ({ parentId: id['assetParent'] }) },
  'scanRecords.update': {
    params: () => ({ id: id['scan']! }),
    body: () => ({ favorite: true, title: 'new', address: null }),
  },
  'locations.update': {
    params: location,
    body: () => ({ name: 'new', description: 'new', latitude: 1.5, longitude: 2, parentId: id['building'] }),
  },
  'locations.pin': { params: location, body: () => ({ pinned: true }) },
  'locations.batchPin': { params: org, body: () => ({ ids: [id['building'], id['annex']], pinned: true }) },
  'locations.reorder': { params: org, body: () => ({ items: [{ id: id['building'], sortOrder: 4 }] }) },
  'orgs.update': {
    params: org,
    body: () => ({ name: 'new', description: 'new', memberLimit: 9, visibility: 'INTERNAL' }),
  },
  'admin.orgs.update': {
    who: () => admin,
    params: org,
    body: () => ({ name: 'newer', description: 'newer', memberLimit: 8, joinPolicy: 'INVITE', status: 'ACTIVE' }),
  },
  'admin.orgs.changeRole': {
    who: () => admin,
    params: () => ({ orgId: id['org']!, userId: bob.id }),
    body: () => ({ roleCode: 'GUEST' }),
    raisesNothing: true,
  },
  'orgs.updateRole': {
    params: () => ({ orgId: id['org']!, roleId: id['orgRole']! }),
    body: () => ({ name: 'new', description: 'new', permissions: ['org:read'] }),
    raisesNothing: true,
  },
  'orgs.switch': { params: org, who: () => bob },
  'orgs.choose': { body: () => ({ orgId: id['org'] }) },
  'orgs.changeMember': {
    params: () => ({ orgId: id['org']!, userId: bob.id }),
    body: () => ({ roleCode: 'ADMIN', nickname: 'Bob' }),
    raisesNothing: true,
  },
  'apiKeys.update': {
    who: () => alice,
    params: () => ({ id: id['apiKey']! }),
    body: () => ({ name: 'Renamed', networks: ['192.0.2.0/24'], mcp: 'OFF' }),
    raisesNothing: true,
  },
  'admin.users.update': {
    who: () => admin,
    params: () => ({ userId: bob.id }),
    body: () => ({ nickname: 'newest', signature: 'new', avatarUrl: 'https://example.com/new.png' }),
  },
  'admin.users.changeRole': {
    who: () => admin,
    params: () => ({ userId: bob.id }),
    body: () => ({ role: 'ADMIN' }),
    raisesNothing: true,
  },
  'admin.users.changeStatus': {
    who: () => admin,
    params: () => ({ userId: id['stranger']! }),
    body: () => ({ status: 'DISABLED' }),
  },
  'profile.update': { body: () => ({ nickname: 'new', signature: 'new' }) },
  'profile.updateUser': { body: () => ({ nickname: 'newer' }) },
  'passkeys.update': { params: () => ({ id: id['passkey']! }), body: () => ({ name: 'new' }), raisesNothing: true },
  'passkeys.require': { body: () => ({ required: true }), raisesNothing: true },
  'access.changeRole': {
    who: () => admin,
    params: () => ({ id: id['role']! }),
    body: () => ({ name: 'new', permissions: ['qr_code:update', 'qr_code:read'] }),
  },
  'access.changePermission': {
    who: () => admin,
    params: () => ({ id: id['point']! }),
    body: () => ({ description: 'new' }),
    raisesNothing: true,
  },
  'appUpdates.putPackage': {
    who: () => admin,
    params: () => ({ fileName: 'app.apk' }),
    body: () => ({ bytes: 'of the package' }),
    raisesNothing: true,
  },
  'metadata.setObjectStatus': {
    who: () => admin,
    params: () => ({ objectName: 'org' }),
    body: () => ({ enabled: false }),
    raisesNothing: true,
  },
  'activityGates.update': {
    params: () => ({ id: id['activeActivity']!, gateId: id['gate']! }),
    body: () => ({ name: 'new', maxDevices: 7, canUndo: false }),
    raisesNothing: true,
  },
  'activities.update': {
    params: () => ({ id: id['activity']! }),
    body: () => ({
      name: 'new',
      description: 'new',
      region: { province: 'new', city: 'new' },
      location: 'new',
      latitude: 1.5,
      longitude: 2.5,
      endTime: '2030-01-01T00:00:00Z',
      hasCheckIn: true,
      hasPass: true,
      visibility: 'PUBLIC',
      checkInConfig: { radiusMeters: 20, shortCode: 'ABCD', maxPerUser: 0 },
      passConfig: { maxUses: 3 },
      registration: { capacity: 5, waitlist: true, questions: [{ key: 'size', label: 'new' }] },
    }),
  },
  'admin.qrCodes.block': {
    who: () => admin,
    params: () => ({ qrCodeId: id['code']! }),
    body: () => ({ blocked: true, reason: 'Phishing' }),
  },
  'admin.activities.update': {
    who: () => admin,
    params: () => ({ activityId: id['activity']! }),
    body: () => ({
      name: 'newer',
      region: { city: 'newer' },
      checkInConfig: { maxPerUser: 2 },
      passConfig: { maxUses: 2 },
    }),
  },
  'passTemplates.update': {
    params: () => ({ templateId: id['passTemplate']! }),
    body: () => ({ name: 'new', color: '#AABBCC', fields: [{ key: 'seat', label: 'Seat' }], validDays: 3, maxUses: 0 }),
  },
  'checkInLists.update': {
    params: () => ({ id: id['activity']!, listId: id['checkInList']! }),
    body: () => ({ name: 'newer', kind: 'MEAL', place: 'Hall', maxUses: 3, requiresEntry: true }),
    raisesNothing: true,
  },
  'passes.update': {
    params: () => ({ passId: id['pass']! }),
    body: () => ({ holderName: 'newer', maxUses: 3, validTo: 4_070_908_800_000 }),
    raisesNothing: true,
  },
  'registrations.update': {
    params: () => ({ registrationId: id['registration']! }),
    body: () => ({ note: 'newer', status: 'WAITING' }),
    raisesNothing: true,
  },
  'passes.revoke': { params: () => ({ passId: id['pass']! }), body: () => ({ reason: 'Lost' }), raisesNothing: true },
  'admin.passes.revoke': {
    who: () => admin,
    params: () => ({ passId: id['otherPass']! }),
    body: () => ({ reason: 'Lost' }),
    raisesNothing: true,
  },
  'activities.setStatus': { params: () => ({ id: id['activity']! }), body: () => ({ status: 'ACTIVE' }) },
  'metadata.updateField': { params: () => ({ objectName: 'asset', id: id['field']! }), body: fieldChange },
  'metadata.updateOrgField': {
    params: () => ({ ...org(), objectName: 'asset', id: id['orgField']! }),
    body: fieldChange,
  },
  'metadata.updateAnyField': {
    who: () => admin,
    params: () => ({ id: id['orgField']! }),
    body: () => ({ ...fieldChange(), name: 'newest' }),
  },
  'metadata.updateTemplate': { params: () => ({ id: id['template']! }), body: templateChange },
  'metadata.updateOrgTemplate': { params: () => ({ ...org(), id: id['orgTemplate']! }), body: templateChange },
  'metadata.updateAnyTemplate': {
    who: () => admin,
    params: () => ({ id: id['orgTemplate']! }),
    body: () => ({ ...templateChange(), name: 'newest' }),
  },
  'metadata.setTemplateFields': {
    params: () => ({ id: id['template']! }),
    body: () => ({ items: [{ fieldId: id['field'], group: 'new', required: true }] }),
  },
  'metadata.setOrgTemplateFields': {
    params: () => ({ ...org(), id: id['orgTemplate']! }),
    body: () => ({ items: [{ fieldId: id['orgField'], group: 'new', required: true }] }),
  },
  'metadata.setAnyTemplateFields': {
    who: () => admin,
    params: () => ({ id: id['orgTemplate']! }),
    body: () => ({ items: [{ fieldId: id['orgField'] }] }),
  },
  'metadata.updateValues': {
    params: () => ({ objectName: 'qrCode', entityId: id['code']! }),
    body: () => ({ values: [{ fieldId: id['codeField']!, value: 'new' }] }),
    raisesNothing: true,
  },
  'notifications.read': { params: () => ({ id: id['notification']! }), raisesNothing: true },
  'notifications.readAll': { raisesNothing: true },
}

/** A second request is refused: the code is no longer in the trash, and a username can be set once. */
const ONCE = ['qrCodes.restore', 'profile.setUsername']
/** Makes a new code each time. */
const NEW_EACH_TIME = ['activities.resetInviteCode']
/** Stores bytes until the upload is finished: it changes no row that has these columns. */
const BYTES = ['files.receiveBytes', 'backups.upload']

const updates = allEndpoints.filter(({ method }) => method === 'PUT' || method === 'PATCH')

const tables = (Object.values(schema) as unknown[]).filter(
  (value): value is SQLiteTable => is(value, Table) && 'updatedAt' in getTableColumns(value),
)

/** `updatedAt` and `version` of every row that has them. */
async function stamps(): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const table of tables) {
    const { updatedAt, version, id: key } = getTableColumns(table) as Record<string, SQLiteColumn>
    const fields = { updatedAt: updatedAt!, ...(version && { version }), ...(key && { key }) }
    found[getTableName(table)] = await server.ctx.db.read
      .select(fields)
      .from(table)
      .orderBy(key ?? updatedAt!)
  }
  return found
}

/** The same in both requests. */
const reservedUntil = Date.now() + 4 * 3_600_000

beforeAll(async () => {
  id['stranger'] = (await server.person()).id
  const place = async (name: string) =>
    ok(await alice.call('locations.create', { params: { orgId: id['org']! }, body: { name } })).data.id
  const word = { body: { word: 'Dapper' } }
  id['adjective'] = ok(await admin.call('admin.nicknameAdjectives.create', word)).data.id
  id['noun'] = ok(await admin.call('admin.nicknameNouns.create', word)).data.id
  id['parent'] = await createCategory(alice, 'parent')
  id['category'] = await createCategory(alice, 'category')
  id['sibling'] = await createCategory(alice, 'sibling')
  for (const name of ['assetParent', 'assetCategory', 'assetSibling'])
    id[name] = ok(await alice.call('assetCategories.create', { body: { name } })).data.id
  id['inventory'] = ok(await alice.call('inventories.create', { body: { name: 'inventory' } })).data.id
  const maintained = (id['maintained'] = ok(await alice.call('assets.create', { body: { name: 'lift' } })).data.id)
  const plan = { name: 'Check', kind: 'SERVICE', every: { days: 7 }, firstDue: '2026-09-01' } as const
  id['plan'] = ok(await alice.call('assetPlans.create', { body: { ...plan, assetId: maintained } })).data.id
  const done = { params: { id: maintained }, body: { kind: 'SERVICE', doneOn: '2026-09-01' } } as const
  id['record'] = ok(await alice.call('assetMaintenance.create', done)).data.id
  id['reservation'] = (await reservation(alice)).id
  id['code'] = (await createCode(alice)).id
  const provider = { key: 'school', name: 'School', issuer: 'https://id.example.org', clientId: 'tessera' }
  id['provider'] = ok(await admin.call('admin.oidcProviders.create', { body: provider })).data.id
  id['supply'] = ok(await alice.call('supplies.create', { body: { name: 'Chalk' } })).data.id
  await report(server, await findableAsset(alice))
  id['foundReport'] = (await newestReport(alice)).id
  id['design'] = ok(await alice.call('qrCodeDesigns.create', { body: { name: 'Dots' } })).data.id
  const webhook = { name: 'ERP', url: 'https://example.org/hook', events: ['asset.*'] }
  const hookOrg = ok(await alice.call('orgs.create', { body: { name: 'With webhooks' } })).data.id
  id['webhook'] = ok(await alice.call('webhooks.create', { body: { ...webhook, orgId: hookOrg } })).data.id
  id['serverWebhook'] = ok(await admin.call('webhooks.createOfServer', { body: webhook })).data.id
  const mapping = { name: 'List', headings: ['Name'], options: {} }
  id['importMapping'] = ok(await alice.call('importMappings.create', { body: mapping })).data.id
  const labelProfile = { name: 'Zebra', media: { key: 'roll-50x30' } }
  id['labelProfile'] = ok(await alice.call('labelProfiles.create', { body: labelProfile })).data.id
  id['scrap'] = ok(await alice.call('assets.create', { body: { name: 'to scrap' } })).data.id
  id['asset'] = ok(await alice.call('assets.create', { body: { name: 'asset' } })).data.id
  id['scan'] = ok(await alice.call('scanRecords.create', { body: { content: 'x' } })).data.id
  id['activity'] = (await createActivity(alice)).id
  id['activeActivity'] = (await withPasses(alice)).id
  id['apiKey'] = ok(await alice.call('apiKeys.create', { body: { name: 'Key', points: ['asset:read'] } })).data.id
  id['gate'] = (await createGate(alice, id['activeActivity'])).id
  id['passkey'] = (await addPasskey(alice)).id
  id['passTemplate'] = (await createTemplate(alice)).id
  const list = { params: { id: id['activity'] }, body: { name: 'list' } }
  id['checkInList'] = ok(await alice.call('checkInLists.create', list)).data.id
  id['pass'] = (await issued(alice, (await withPasses(alice)).id, { holderName: 'Lin Mei' }))[0]!.id
  const open = await createActivity(alice, {
    registration: {},
    status: 'ACTIVE',
    startTime: Date.now() + 86_400_000,
    endTime: Date.now() + 90_000_000,
  })
  id['registration'] = ok(await alice.call('registrations.register', { params: { id: open.id }, body: {} })).data.id
  id['otherPass'] = (await issued(alice, (await withPasses(alice)).id, { holderName: 'Lin Mei' }))[0]!.id
  id['org'] = (await createOrg(alice)).id
  await addMembers(alice, { id: id['org'] }, bob)
  const orgRole = { params: { orgId: id['org'] }, body: { name: 'Doors' } }
  id['orgRole'] = ok(await alice.call('orgs.createRole', orgRole)).data.id
  id['contact'] = (await befriend(alice, bob))[0]
  id['conversation'] = (await sendText(alice, bob)).conversationId
  id['group'] = ok(await alice.call('groups.create', { body: { name: 'group', userIds: [bob.id] } })).data.id
  const text = { clientMsgId: 'idempotent', type: 'TEXT', content: { text: 'new' } }
  const sent = ok(await alice.call('messages.send', { body: { conversationId: id['group'], ...text } })).data
  id['message'] = sent.messages[0]!.id
  id['building'] = await place('building')
  id['annex'] = await place('annex')
  id['location'] = await place('location')
  const objectName = 'asset'
  const ofOrg = { orgId: id['org'], objectName }
  const field = { name: 'field', type: 'TEXT' } as const
  const template = { name: 'template' }
  id['field'] = ok(await alice.call('metadata.createField', { params: { objectName }, body: field })).data.id
  id['codeField'] = ok(
    await alice.call('metadata.createField', { params: { objectName: 'qrCode' }, body: field }),
  ).data.id
  id['template'] = ok(await alice.call('metadata.createTemplate', { params: { objectName }, body: template })).data.id
  id['orgField'] = ok(await alice.call('metadata.createOrgField', { params: ofOrg, body: field })).data.id
  id['orgTemplate'] = ok(await alice.call('metadata.createOrgTemplate', { params: ofOrg, body: template })).data.id
  const role = { code: 'TESTER', name: 'tester', domain: 'APP' as const, permissions: ['qr_code:read'] }
  id['role'] = ok(await admin.call('access.createRole', { body: role })).data.id
  id['point'] = ok(await admin.call('access.listPermissions')).data.items[0]!.id
  ok(await admin.call('notifications.send', { body: { userIds: [alice.id], title: 'x', body: 'x' } }))
  id['notification'] = ok(await alice.call('notifications.list')).data.items[0]!.id
})

test('every PUT and PATCH is sent twice by these tests, or can succeed once only', () => {
  expect(updates.map((endpoint) => endpoint.id).toSorted()).toEqual(
    [...Object.keys(UPDATES), ...ONCE, ...NEW_EACH_TIME, ...BYTES].toSorted(),
  )
})

describe.if(inProcess)('sent twice', () => {
  for (const endpoint of updates.filter(({ id: name }) => UPDATES[name]))
    test(`${endpoint.method} ${endpoint.path} with the values that are already there raises neither version nor updatedAt`, async () => {
      const { params, body, who = () => alice, raisesNothing = false } = UPDATES[endpoint.id]!
      const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => String(params!()[name]))
      const send = async () => ok(await who().send(endpoint.method, path, body ? { body: body() } : {}))
      const before = await stamps()
      await send()
      const once = await stamps()
      if (!raisesNothing) expect(once).not.toEqual(before)
      await send()
      expect(await stamps()).toEqual(once)
    })
})

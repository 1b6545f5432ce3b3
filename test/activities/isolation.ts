import { DAY, HOUR } from '#platform/clock.ts'

import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { png, uploaded } from '../files/helpers.ts'
import { ok, type Person } from '../harness/index.ts'
import { checkIn } from './check-in-helpers.ts'
import { redeemed } from './gate-helpers.ts'
import { createGate } from './gate-link-helpers.ts'
import { type ActivityFields, createActivity } from './helpers.ts'
import { withCode } from './inviting.ts'
import { sent } from './message-helpers.ts'
import { createTemplate, issued } from './pass-helpers.ts'

const UNKNOWN_UUID = '7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'
const FAR = Date.UTC(3000, 0)
const TOMORROW = Date.now() + DAY

/** ACTIVE and for members of the organization, unless the fields say otherwise. */
const adding =
  (given: ActivityFields = {}) =>
  async (person: Person, orgId?: number): Promise<number> => {
    const ofOrg = orgId === undefined ? {} : ({ orgId, visibility: 'RESTRICTED' } as const)
    return (await createActivity(person, { status: 'ACTIVE', hasCheckIn: true, hasPass: true, ...ofOrg, ...given })).id
  }

const open = adding({ registration: {}, startTime: TOMORROW, endTime: TOMORROW + HOUR })
/** An activity with a check-in list. */
async function listed(person: Person, orgId?: number) {
  const id = await adding()(person, orgId)
  const body = { name: 'Workshop', orgId: orgId ?? null }
  const list = ok(await person.call('checkInLists.create', { params: { id }, body })).data
  return { id, body: {}, params: { listId: list.id } }
}

/** An activity with a gate without an account. */
async function gated(person: Person, orgId?: number) {
  const id = await adding()(person, orgId)
  const gate = await createGate(person, id, { expiresAt: FAR, orgId: orgId ?? null })
  return { id, body: {}, params: { gateId: gate.id } }
}

/** Of the person who manages the activity. */
async function registering(person: Person, orgId?: number, note = ''): Promise<number> {
  const id = await open(person, orgId)
  const body = orgId === undefined ? {} : { orgId }
  const { data } = ok(await person.call('registrations.register', { params: { id }, body }))
  ok(await person.call('registrations.update', { params: { registrationId: data.id }, body: { note } }))
  return data.id
}

export const isolation: IsolationFixture = {
  async make({ victim, mark }) {
    const fields = { name: mark, description: mark, location: mark, checkInConfig: { shortCode: 'SECRET' } }
    const cover = await uploaded(victim, png(), { type: 'activity', name: `${mark}.png` })
    const activity = (await createActivity(victim, { ...fields, hasCheckIn: true, hasPass: true, status: 'ACTIVE' })).id
    const fieldsOfPass = [{ key: 'seat', label: mark }]
    const passTemplate = (await createTemplate(victim, { name: mark, description: mark, fields: fieldsOfPass })).id
    const [pass] = await issued(victim, activity, {
      holderName: mark,
      templateId: passTemplate,
      validTo: FAR,
      fields: { seat: mark },
    })
    const registration = await registering(victim, undefined, mark)
    const visited = await createActivity(victim, { status: 'ACTIVE', hasCheckIn: true, startTime: 1, endTime: FAR })
    return {
      activity,
      activityFile: cover.id,
      activityToDelete: await adding()(victim),
      checkIn: ok(await checkIn(victim, visited)).data.id,
      passTemplate,
      pass: pass!.id,
      activityInvitation: (await withCode(victim, { id: activity }, { text: mark })).id,
      checkInList: ok(await victim.call('checkInLists.create', { params: { id: activity }, body: { name: mark } })).data
        .id,
      registration,
      activityMessage: (await sent(victim, { id: activity }, { subject: mark, body: mark })).id,
      activityGate: (await createGate(victim, activity, { name: mark, expiresAt: FAR })).id,
      passUse: (await redeemed(victim, activity, { passUuid: pass!.uuid })).use!.id,
    }
  },
  paths: [
    [/^\/api\/activities\/:/, 'activity'],
    [/^\/api\/admin\/activities\/:/, 'activityToDelete'],
    [/^\/api\/(admin\/)?passes\/:/, 'pass'],
    [/^\/api\/pass\/templates\/:/, 'passTemplate'],
    [/^\/public\/gate\/records\/:/, 'passUseOfGate'],
    [/^\/api\/registrations\/:/, 'registration'],
  ],
  fields: { coverFileId: 'activityFile', activityId: 'activity', recordId: 'checkIn', listId: 'checkInList' },
  fieldsIn: [
    [/^\/api\/activities$/, { ownerId: 'org', restrictedScopeId: 'org' }],
    [/\/pass\/records\//, { recordId: 'passUse' }],
    [/^\/api\/admin\/activities$/, { ownerId: 'user' }],
    [/^\/api\/(admin\/)?activities\/.*\/messages/, { messageId: 'activityMessage' }],
    [/^\/api\/(admin\/)?activities\/.*\/invitations/, { invitationId: 'activityInvitation' }],
    [/^\/api\/(admin\/)?activities\/.*\/gates/, { gateId: 'activityGate' }],
  ],
  bodies: [
    [/^\/api\/activities$/, { endTime: 2 }],
    [/^\/api\/activities\/:id\/messages$/, { filter: {} }],
    [/^\/api\/activities\/:id\/invitations$/, { items: null, count: 1, expiresAt: null }],
    [/^\/api\/activities\/:id\/lists\/reorder$/, { ids: [1] }],
    [/^\/api\/activities\/:id\/copy$/, { startTime: TOMORROW }],
    [
      /^\/api\/activities\/:id\/series$/,
      { every: 'DAY', count: 1, interval: null, until: null, weekdays: null, dates: null, dryRun: null },
    ],
    [/^\/api\/activities\/:id\/check-in$/, { code: null }],
    [/\/pass\/redemptions$/, { items: [{ passUuid: UNKNOWN_UUID, nonce: 'of-the-isolation-test', usedAt: 1 }] }],
    [/^\/api\/registrations\/:registrationId(\/check-in)?$/, {}],
    [/^\/api\/activities\/:id\/registrations$/, { items: [{ name: 'Lin Mei' }] }],
    [/\/registrations\/batch$/, { action: 'CONFIRM', filter: {} }],
    [/^\/api\/activities\/:id\/status$/, { status: 'ACTIVE' }],
    [/\/pass\/batch$/, { action: 'UPDATE', filter: {}, values: { maxUses: 2 } }],
    [/^\/api\/(activities\/:id\/pass|pass\/templates\/:templateId)\/issue$/, { holderName: 'Lin Mei' }],
  ],
  dual: {
    activity: adding(),
    // It takes place now, and users can check in repeatedly.
    'activities.checkIn': adding({ startTime: 1, endTime: FAR, checkInConfig: { maxPerUser: 0 } }),
    passTemplate: async (person, orgId) => (await createTemplate(person, orgId === undefined ? {} : { orgId })).id,
    'passes.issueByTemplate': async (person, orgId) => ({
      id: (await createTemplate(person, orgId === undefined ? {} : { orgId })).id,
      body: { activityId: await adding()(person, orgId) },
    }),
    registration: registering,
    pass: async (person, orgId) =>
      (await issued(person, await adding()(person, orgId), { holderName: 'Lin Mei' }))[0]!.id,
    'checkInLists.update': listed,
    'checkInLists.delete': listed,
    'checkInLists.reorder': async (person, orgId) => {
      const { id, params } = await listed(person, orgId)
      return { id, body: { ids: [params.listId] } }
    },
    'passes.undo': async (person, orgId) => {
      const id = await adding()(person, orgId)
      const [pass] = await issued(person, id, { holderName: 'Lin Mei', validTo: FAR })
      const { use } = await redeemed(person, id, { passUuid: pass!.uuid, orgId: orgId ?? null })
      return { id, body: {}, params: { recordId: use!.id } }
    },
    'activities.delete': adding({ status: 'ENDED' }),
    'activities.resetInviteCode': adding({ visibility: 'INVITE_ONLY' }),
    'registrations.register': open,
    'registrations.add': open,
    'registrations.batch': open,
    'registrations.import': open,
    'registrations.move': async (person, orgId) => ({
      id: await registering(person, orgId),
      body: { activityId: await open(person, orgId) },
    }),
    'activityGates.create': async (person, orgId) => ({
      id: await adding()(person, orgId),
      body: { name: 'Door', expiresAt: FAR },
    }),
    'activityGates.update': gated,
    'activityGates.revoke': gated,
    'activityGates.renew': gated,
    'activityInvitations.create': adding({ visibility: 'INVITE_ONLY' }),
  },
  callersOwn: [
    'registrations.get',
    'registrations.cancel',
    'registrations.cancelOf',
    'activityMessages.get',
    'activityMessages.recipients',
    'activityMessages.delete',
    'activityInvitations.send',
    'activityInvitations.revoke',
  ],
  reads: ({ activity }) => [
    '/api/discover/activities?size=100',
    '/api/activities?size=100',
    '/api/pass/templates?size=100',
    `/api/activities/${activity}/pass/passes?size=100`,
    `/api/activities/${activity}/pass/records?size=100`,
    `/api/activities/${activity}/gates?size=100`,
    `/api/activities/${activity}/lists?size=100`,
  ],
}

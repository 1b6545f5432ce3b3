/**
 * The server accepts every request example of the API document as it is; only ids are replaced by those of rows that exist. An
 * operation may refuse its example for the state that it finds, never for the form of the request.
 */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { TSchema } from '@sinclair/typebox'

import { allEndpoints } from '#app'
import type { AnyEndpoint } from '#http/endpoint.ts'
import { exampleOf } from '#http/openapi/example.ts'

import { issueOne } from '../activities/gate-helpers.ts'
import { createGate, type Device, deviceAt, scan } from '../activities/gate-link-helpers.ts'
import { ok, type Person, type Reply, type Send, until, useServer } from '../harness/index.ts'
import { buildLicenses } from '../harness/licenses.ts'
import { FIXTURES } from './fixtures.ts'
import { inOrder, type Json, requestsOf } from './requests.ts'

const LEFT = [403, /no longer/] as const
const NO_SUCH_ROW = [404, /Not found|Nothing to see here/] as const
const NOT_SENT = [400, /code/] as const
const LINK_USED = [403, /setup link/] as const
const UNKNOWN_TOKEN = [401, /refresh token/] as const
const NOT_CONFIGURED = [400, /One-click/] as const
const IS_OWNER = [400, /owner/] as const
const NOT_REGISTERED = [400, /account/] as const
const NOTHING_BOUND = [400, /bound/] as const

/** Refusals for the state of the data, with a word of the message. All other examples must be answered with 200. */
const REFUSED: Readonly<Record<string, readonly [status: number, message: RegExp]>> = {
  // The example of PUT …/revoke comes before.
  'passes.update': [400, /revoked pass/],
  // The activity of the examples has no registration.
  'registrations.add': [400, /no registration/],
  'registrations.import': [400, /no registration/],
  'registrations.move': [400, /activity/],
  'setup.page': LINK_USED,
  'setup.submit': LINK_USED,
  'undos.page': [403, /link/],
  'chat.socket': [426, /WebSocket/],
  'undos.submit': [403, /link/],
  // The server of the tests has no certificate.
  'server.certificate.renew': [400, /no certificate/],
  // The example of POST /api/admin/oidc/providers comes later, and its provider does not exist.
  'oidc.start': NO_SUCH_ROW,
  'oidc.callback': NO_SUCH_ROW,
  'oidc.link': NO_SUCH_ROW,
  'oidc.backchannelLogout': NO_SUCH_ROW,
  'oidc.unlink': NO_SUCH_ROW,
  'oidc.token': [400, /used or has expired/],
  // Nothing starts the server of the tests again.
  'server.restart': [400, /service install/],
  'server.look': [400, /update\.check needs/],
  // Keys are not predictable.
  'qrcode.design': [404, /Not found/],
  // Signed-in people have no API key, and assistants are not switched on.
  'apiKeys.self': [401, /Sign in/],
  mcp: [404, /Not found/],
  // The example's device id is not the one of the session.
  'sessions.switch': [403, /device/],
  // The server of the tests does not run for a private network.
  'lan.trustPage': [404, /Nothing to see here/],
  'lan.trustDer': [404, /Not found/],
  'lan.trustPem': [404, /Not found/],
  'lan.trustProfile': [404, /Not found/],
  'lan.trustCheck': [404, /Not found/],
  // Tokens of invitations are random, and the server of the tests sends no mails.
  'orgs.inviteByMail': [400, /no mails/],
  'orgs.mailInvitation': [404, /Not found/],
  'orgs.acceptMailInvitation': [404, /Not found/],
  'orgs.declineMailInvitation': [404, /Not found/],
  'admin.users.import': [400, /username|CSV/],
  'admin.users.importSheet': [403, /address/],
  // Off by default.
  'admin.users.resetCode': [403, /no reset codes/],
  // The codes and uuids of real rows are random.
  'qrCodes.public': NO_SUCH_ROW,
  'qrCodes.publicPage': NO_SUCH_ROW,
  'qrCodes.publicFile': NO_SUCH_ROW,
  'qrCodes.scan': NO_SUCH_ROW,
  'qrCodes.unlock': NO_SUCH_ROW,
  'qrCodes.scanInUpperCase': NO_SUCH_ROW,
  'qrCodes.unlockInUpperCase': NO_SUCH_ROW,
  'qrCodes.link': NO_SUCH_ROW,
  'qrCodes.tryLink': NO_SUCH_ROW,
  'qrCodes.linkInfo': NO_SUCH_ROW,
  'certificates.challenge': NO_SUCH_ROW,
  'server.checks.get': NO_SUCH_ROW,
  'server.checks.page': [404, /expired/],
  'server.checks.report': NO_SUCH_ROW,
  'landing.calendar': NO_SUCH_ROW,
  'landing.page': NO_SUCH_ROW,
  // So are keys and secrets of finders.
  'found.send': [400, /open the page/],
  'found.thread': NO_SUCH_ROW,
  'activities.kiosk': NO_SUCH_ROW,
  'guests.form': NO_SUCH_ROW,
  'guests.register': NO_SUCH_ROW,
  'guests.sendLink': NO_SUCH_ROW,
  'guests.page': NO_SUCH_ROW,
  'guests.change': NO_SUCH_ROW,
  'guests.calendar': NO_SUCH_ROW,
  'guests.pass': NO_SUCH_ROW,
  'guests.claim': NO_SUCH_ROW,
  'gate.open': NO_SUCH_ROW,
  'found.write': NO_SUCH_ROW,
  'mail.page': NO_SUCH_ROW,
  'mail.choose': NO_SUCH_ROW,
  'landing.pageInUpperCase': NO_SUCH_ROW,
  'assetCalendars.read': NO_SUCH_ROW,
  // The times of the example have passed.
  'assetReservations.create': [400, /not valid/],
  // The example before them has cancelled it.
  'assetReservations.update': [400, /closed/],
  'assetReservations.approve': [400, /decision/],
  'assetReservations.reject': [400, /decision/],
  'assetReservations.pickUp': [400, /closed/],
  'files.publicImage': NO_SUCH_ROW,
  // The file of this test is no picture.
  'server.logo.update': [415, /PNG/],
  'server.logo.picture': NO_SUCH_ROW,
  'orgs.public': NO_SUCH_ROW,
  'orgs.publicPage': NO_SUCH_ROW,
  'orgs.joinByCode': NO_SUCH_ROW,
  'orgs.joinByQrCode': NO_SUCH_ROW,
  // The name of a backup contains its time.
  'ownData.download': [403, /link/],
  // The user of the examples is the administrator.
  'admin.users.delete': [403, /revoke the role/],
  'backups.verify': NO_SUCH_ROW,
  'backups.downloadLink': NO_SUCH_ROW,
  'backups.delete': NO_SUCH_ROW,
  'backups.download': [403, /address/],
  'backups.get': NO_SUCH_ROW,
  'backups.upload': [400, /Content-Length|not a backup/],
  'restores.preview': NO_SUCH_ROW,
  'restores.start': NO_SUCH_ROW,
  'restores.undo': NO_SUCH_ROW,
  'restores.delete': NO_SUCH_ROW,
  'moving.page': LINK_USED,
  'moving.upload': LINK_USED,
  'moving.start': LINK_USED,
  // No package was uploaded, and this test sends bodies of JSON only.
  'appUpdates.download': NO_SUCH_ROW,
  'appUpdates.putPackage': [400, /empty/],
  'appUpdates.publish': [400, /package/],
  // The file of this test is not a table of assets or links.
  'assets.import': [400, /name/],
  'supplies.import': [400, /name|CSV/],
  'qrCodes.import': [400, /target/],
  // The organization is internal, the invitation is for another user, and no one asks to join.
  'orgs.publicById': NO_SUCH_ROW,
  'orgs.respond': NO_SUCH_ROW,
  'orgs.approve': NO_SUCH_ROW,
  'orgs.shareJoinLink': [400, /invitation/],
  'auth.phoneLogin': NOT_SENT,
  'auth.emailLogin': NOT_SENT,
  'auth.phoneBind': NOT_SENT,
  'auth.emailBind': NOT_SENT,
  'auth.resetPassword': NOT_SENT,
  'auth.redeemCode': NOT_SENT,
  'auth.phonePasswordLogin': [401, /password/],
  'auth.refresh': UNKNOWN_TOKEN,
  'adminAuth.refresh': UNKNOWN_TOKEN,
  'auth.oneClickLogin': NOT_CONFIGURED,
  'auth.verifyMobile': NOT_CONFIGURED,
  'auth.forgotCode': NOT_REGISTERED,
  'auth.phoneLinkCode': NOT_REGISTERED,
  'auth.emailLinkCode': NOT_REGISTERED,
  'auth.changeCode': NOTHING_BOUND,
  'auth.phoneUnbind': NOTHING_BOUND,
  'auth.emailUnbind': NOTHING_BOUND,
  'auth.link': [400, /own account/],
  'admin.links.propose': [403, /own account/],
  // The link of the examples is in force, and the example of DELETE /api/auth/link/{linkId} has deleted it.
  'auth.acceptLink': NO_SUCH_ROW,
  'admin.links.delete': NO_SUCH_ROW,
  // The answer of an authenticator is not predictable.
  'passkeys.create': [400, /passkey/],
  'auth.passkeyLogin': [400, /passkey/],
  'devices.endTrust': NO_SUCH_ROW,
  'auth.confirmTotp': [400, /[Tt]wo-factor|secret/],
  'auth.disableTotp': [400, /[Tt]wo-factor/],
  'auth.replaceRecoveryCodes': [400, /[Tt]wo-factor/],
  'adminAuth.login': [403, /console/],
  'profile.setPassword': [400, /password/],
  'profile.setUsername': [400, /username/],
  'auth.deleteAccount': [400, /administrator/],
  // The caller owns the organization.
  'orgs.transfer': IS_OWNER,
  'orgs.transferOwnership': IS_OWNER,
  'orgs.withdrawTransfer': NO_SUCH_ROW,
  // A QR code of the organization has a template.
  'orgs.dissolve': [400, /QR codes/],
  'admin.orgs.dissolve': [400, /QR codes/],
  'orgs.answerTransfer': NO_SUCH_ROW,
  // The example of POST /api/admin/orgs/{orgId}/members adds the user, and that of DELETE on the same path removes the user.
  'admin.orgs.transfer': [400, /not a member/],
  'admin.users.join': [400, /already a member/],
  'admin.users.leave': NO_SUCH_ROW,
  'orgs.withdrawRequest': NO_SUCH_ROW,
  'orgs.leave': IS_OWNER,
  'orgs.apply': [400, /member/],
  'orgs.changeMember': IS_OWNER,
  'orgs.removeMember': IS_OWNER,
  // The code of the examples is not in the trash.
  'qrCodes.deleteTrashed': NO_SUCH_ROW,
  'categories.move': [400, /itself/],
  'categories.delete': [400, /sub-categor/],
  'access.revokeRole': NO_SUCH_ROW,
  // The example of POST /api/assets/{id}/check-out has lent it.
  'assets.delete': [400, /loan/],
  // Organizations copy GLOBAL templates only.
  'metadata.forkIntoOrg': NO_SUCH_ROW,
  // The inventory was just created.
  'inventories.scan': [400, /not running/],
  'inventories.apply': [400, /Close/],
  'activities.delete': [400, /active/],
  // The activity of the examples is over.
  'activities.checkIn': [400, /closed/],
  // The example of PUT /api/activities/{id} has made it PUBLIC.
  'activities.resetInviteCode': [400, /INVITE_ONLY/],
  // The userId of the examples is the caller's.
  'contacts.request': [400, /yourself/],
  'contacts.byCard': NO_SUCH_ROW,
  // The example of POST /api/chats/groups/{id}/leave has left it.
  'groups.transfer': LEFT,
  'groups.update': LEFT,
  'groups.changeRole': LEFT,
  'groups.removeMember': LEFT,
  // The example of POST /api/chats/messages/{id}/recall has recalled it, and that of DELETE /api/chats/conversations/{id} deleted it.
  'messages.react': [400, /[Rr]ecalled/],
  'messages.edit': [400, /recalled/],
  'messages.pin': [400, /Recalled/],
  'messages.unreact': NO_SUCH_ROW,
  'messages.delete': NO_SUCH_ROW,
  // It is a message of the administrator to another user.
  'messages.remove': [403, /of the group/],
  'messages.report': [400, /own messages/],
  'admin.chat.removeReported': NO_SUCH_ROW,
  'admin.chat.dismissReport': NO_SUCH_ROW,
  // The example of POST /api/contacts/{id}/accept has accepted it.
  'contacts.reject': [400, /answered/],
  // The activity of the examples has no registration.
  'registrations.register': [400, /registration/],
  'registrations.get': NO_SUCH_ROW,
  'registrations.cancel': NO_SUCH_ROW,
  'registrations.cancelOf': NO_SUCH_ROW,
  // The message of the examples has begun, and belongs to another activity than that of the administrators' examples.
  'activityMessages.delete': [400, /being sent/],
  'admin.activityMessages.delete': NO_SUCH_ROW,
  // The server of the examples has a mail server, but mails invitations for organizations only.
  'activityInvitations.send': [400, /mail/],
  'admin.activityInvitations.revoke': NO_SUCH_ROW,
  'admin.activityGates.revoke': NO_SUCH_ROW,
  // The examples of the owners' operations have deleted them.
  'admin.albums.delete': NO_SUCH_ROW,
  'admin.shares.delete': NO_SUCH_ROW,
  // Upload ids and signatures are random.
  'files.receiveBytes': [403, /link/],
  'files.finishUpload': NO_SUCH_ROW,
}

const { server, admin } = useServer()
const owned: Record<string, number | string> = {}
let gate: Device

beforeAll(() => buildLicenses())

beforeAll(async () => {
  for (const { make } of FIXTURES)
    Object.assign(owned, await make({ server, admin, victim: admin, mark: 'example', owned }))
  await until(async () => ok(await admin.call('ownData.latest')).data?.status === 'READY', 'the export is ready')
  const activity = Number(owned['activity'])
  gate = await deviceAt(server, await createGate(admin, activity, { expiresAt: Date.UTC(3000, 0) }))
  owned['passUseOfGate'] = ok(
    await scan(gate, { passUuid: (await issueOne(admin, activity, { validTo: Date.UTC(3000, 0) })).uuid }),
  ).data.use.id
  owned['role'] = ok(
    await admin.call('access.createRole', { body: { domain: 'APP', code: 'EXAMPLE', name: 'Example' } }),
  ).data.id
})

const { exampleRequest, withIds } = requestsOf(owned)

let person: Person | undefined
/** The administrator, signed in again if the last example ended the session. */
async function signedIn(): Promise<Person> {
  if (person === undefined || (await person.get('/api/auth/userinfo')).status === 401) person = await server.admin()
  return person
}

async function callerOf({ access }: AnyEndpoint): Promise<Send> {
  if (access.kind === 'open') return server.request
  return access.kind === 'gate' ? gate.send : (await signedIn()).send
}

/** The fields of the request that are wrong. Other details are facts about the row, such as what an organization still owns. */
const problemsOf = ({ details }: Reply) => details.filter(({ path }) => /^(?:body|query|path)\b/.test(path))

/** Times of examples that must be in the future. */
const HAS_PASSED: Readonly<Record<string, readonly string[]>> = { 'assetReservations.create': ['body.to'] }

describe('request examples', () => {
  for (const endpoint of inOrder)
    test(`the documented example of ${endpoint.method} ${endpoint.path} is accepted`, async () => {
      const { path, ...options } = exampleRequest(endpoint)
      const caller = await callerOf(endpoint)
      const reply = await caller(endpoint.method, path, options)
      const [status, message] = REFUSED[endpoint.id] ?? [200, /^/]
      const seen = `${endpoint.id} ${path} ${JSON.stringify(options)} → ${reply.status} ${reply.text.slice(0, 300)}`
      expect(reply.status, seen).toBe(status)
      expect(
        problemsOf(reply).filter(({ path }) => !HAS_PASSED[endpoint.id]?.includes(path)),
        seen,
      ).toEqual([])
      if (status !== 200) expect(reply.message || reply.text, seen).toMatch(message)
    })
})

/** An example for each alternative of the body but the first, which is the documented example. */
function otherExamples({ body }: AnyEndpoint): Json[] {
  const choice = body?.['x-alternatives'] as { options: readonly unknown[] } | undefined
  return (choice?.options.slice(1) ?? []).map((option) => {
    const options = [option, ...choice!.options.filter((other) => other !== option)]
    return exampleOf({ ...body!, 'x-alternatives': { ...choice, options } } as TSchema, 'request')
  })
}

describe('examples of other alternatives', () => {
  for (const endpoint of inOrder)
    for (const [i, example] of otherExamples(endpoint).entries())
      test(`alternative ${i + 2} of ${endpoint.method} ${endpoint.path} has the right form`, async () => {
        const { path, ...options } = exampleRequest(endpoint, withIds(example, endpoint.path))
        const caller = await callerOf(endpoint)
        const reply = await caller(endpoint.method, path, options)
        const seen = `${endpoint.id} ${JSON.stringify(options)} → ${reply.status} ${reply.text.slice(0, 300)}`
        expect(reply.status, seen).toBeLessThan(500)
        expect(problemsOf(reply), seen).toEqual([])
      })
})

describe('examples as they are shown', () => {
  const ids = (example: Json) =>
    Object.values(example ?? {}).filter((value) => typeof value === 'number' && value >= 42)
  for (const endpoint of inOrder) {
    const example = endpoint.body && endpoint.method !== 'DELETE' && exampleOf(endpoint.body, 'request')
    if (ids(example).length < 2) continue
    test(`the ids in the example of ${endpoint.method} ${endpoint.path} do not contradict each other`, async () => {
      const { path, ...options } = exampleRequest(endpoint, example)
      const caller = await callerOf(endpoint)
      const reply = await caller(endpoint.method, path, options)
      const seen = `${endpoint.id} ${JSON.stringify(options)} → ${reply.status} ${reply.text.slice(0, 300)}`
      expect(
        reply.details.filter(({ message }) => /another|must differ|the same/.test(message)),
        seen,
      ).toEqual([])
    })
  }
})

test('each refusal listed above belongs to an operation', () => {
  const ids = new Set(allEndpoints.map((e) => e.id))
  expect(Object.keys(REFUSED).filter((id) => !ids.has(id))).toEqual([])
})

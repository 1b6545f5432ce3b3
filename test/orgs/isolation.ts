import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'

/** Organizations, and the copies that are shared with them: of the victim's code, so after qr-codes. */
export const isolation: IsolationFixture = {
  async make({ server, victim, mark, owned }) {
    const org = ok(await victim.call('orgs.create', { body: { name: mark, visibility: 'INTERNAL' } })).data.id
    const guest = await server.person('guest')
    const invited = ok(await victim.post(`/api/orgs/${org}/invite`, { userIds: [guest.id] })).data
    const location = ok(await victim.call('locations.create', { params: { orgId: org }, body: { name: mark } })).data.id
    const share = ok(
      await victim.call('shares.create', {
        params: { orgId: org },
        body: { entityType: 'QR_CODE', sourceId: Number(owned['code']) },
      }),
    ).data.id
    const orgRole = ok(await victim.call('orgs.createRole', { params: { orgId: org }, body: { name: `of ${mark}` } }))
      .data.id
    const newcomer = (await server.person('newcomer')).id
    return { org, orgRole, newcomer, invitation: invited.items[0].invitationId, location, share }
  },
  paths: [
    [/^\/api\/orgs\/invitation\/:/, 'invitation'],
    // An id is no token.
    [/^\/api\/invitations\/:/, 'invitation'],
    [/^\/api\/orgs\/:/, 'org'],
    [/^\/api\/admin\/orgs\/:/, 'org'],
  ],
  fields: { orgId: 'org', invitationId: 'invitation', locationId: 'location', shareId: 'share' },
  fieldsIn: [
    [/^\/api\/orgs/, { roleId: 'orgRole', replaceWith: 'orgRole' }],
    [/^\/api\/admin\/orgs/, { userId: 'newcomer', ownerId: 'newcomer' }],
    [/^\/api\/admin\/users\/:userId\/orgs/, { userId: 'newcomer' }],
  ],
  lists: [[/\/locations/, 'location']],
  reads: ({ org }) => [
    '/api/orgs',
    `/api/orgs/${org}/members`,
    `/api/orgs/${org}/roles`,
    `/api/orgs/${org}/invitations`,
    `/api/orgs/${org}/stats`,
    `/api/orgs/${org}/locations`,
    `/api/orgs/${org}/shares?size=100`,
    `/api/qr-codes?size=100&orgId=${org}`,
  ],
}

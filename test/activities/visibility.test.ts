/** Every operation on an activity, for every visibility, status and caller, and the parts of an activity that others do not see. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { ACTIVITY_STATUSES, ACTIVITY_VISIBILITIES } from '#db/schema/activities.ts'

import { createRole } from '../access/helpers.ts'
import { inProcess, ok, type Person, type Reply, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, type Org, setRole } from '../orgs/helpers.ts'
import { createActivity, getActivity, setStatus } from './helpers.ts'

/** The wrong codes of the table are more than the 20 a minute that an address may try. */
const { server, admin, owner, creator, manager, reader, pointless, alone } = useServer({
  people: ['owner', 'creator', 'manager', 'reader', 'pointless', 'alone'],
  rateLimit: false,
})
const SECRET = 'name-of-the-activity'
let org: Org

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, creator, manager, reader, pointless)
  const role = async (member: Person, code: string, permissions: string[]) => {
    await createRole(admin, { domain: 'ORG', scopeId: org.id, code, name: code, permissions })
    await setRole(owner, org, member, code)
  }
  await role(creator, 'CREATOR', ['activity:create'])
  await role(manager, 'MANAGER', [
    'activity:update',
    'activity:publish',
    'activity:delete',
    'checkin:read',
    'pass:read',
    'pass:issue',
  ])
  await role(reader, 'READER', ['activity:read'])
  await role(pointless, 'POINTLESS', ['org:read'])
})

type Caller = keyof typeof CALLERS
const CALLERS = {
  'its creator': () => creator,
  'a holder of the points': () => manager,
  'a member with activity:read': () => reader,
  'a member without it': () => pointless,
  'a user who is not a member': () => alone,
  'a user with the code': () => alone,
  'a user with a wrong code': () => alone,
} satisfies Record<string, () => Person>

/** The answer to reading an activity, of the callers above in their order. 200: they may see it. */
const SIGHT: Readonly<Record<string, readonly number[]>> = {
  'DRAFT of an organization': [200, 200, 404, 404, 404, 404, 404],
  'PUBLIC one of an organization': [200, 200, 200, 200, 200, 200, 200],
  'RESTRICTED one of an organization': [200, 200, 200, 404, 404, 404, 404],
  'INVITE_ONLY one of an organization': [200, 200, 403, 403, 403, 200, 403],
  'DRAFT of a user': [200, 404, 404, 404, 404, 404, 404],
  'PUBLIC one of a user': [200, 200, 200, 200, 200, 200, 200],
  'INVITE_ONLY one of a user': [200, 403, 403, 403, 403, 200, 403],
}

interface Operation {
  /** `path`: `/api/activities/{id}`. `code`: the invite code that the caller gives, if any. */
  send(person: Person, path: string, code: string | undefined): Promise<Reply>
  /** `managers`: others are refused with 403 if they may see the activity. They have no code, which such operations do not take. */
  readonly admits: 'everyone who may see it' | 'managers'
}

const withCode = (code: string | undefined): Record<string, string> => (code === undefined ? {} : { code })
const reading = (suffix: string, admits: Operation['admits'] = 'everyone who may see it'): Operation => ({
  send: (person, path, code) => person.get(`${path}${suffix}`, withCode(code)),
  admits,
})
const managing = (send: Operation['send']): Operation => ({ send, admits: 'managers' })

/** A new operation on activities is one line more. Those that it admits get 200, or 400 where the state does not allow it. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /api/activities/{id}': reading(''),
  'PUT /api/activities/{id}': managing((person, path) => person.put(path, { name: 'changed' })),
  'PATCH /api/activities/{id}/status': managing((person, path) => person.patch(`${path}/status`, { status: 'ENDED' })),
  'PATCH /api/activities/{id}/invite-code': managing((person, path) => person.patch(`${path}/invite-code`)),
  'DELETE /api/activities/{id}': managing((person, path) => person.delete(path)),
  'POST /api/activities/{id}/check-in': {
    send: (person, path, code) => person.post(`${path}/check-in`, withCode(code)),
    admits: 'everyone who may see it',
  },
  'GET /api/activities/{id}/check-in/records': reading('/check-in/records'),
  'GET /api/activities/{id}/check-in/stats': managing((person, path) => person.get(`${path}/check-in/stats`)),
  'POST /api/activities/{id}/registration': {
    send: (person, path, code) => person.post(`${path}/registration`, code === undefined ? {} : { inviteCode: code }),
    admits: 'everyone who may see it',
  },
  'GET /api/activities/{id}/registrations': managing((person, path) => person.get(`${path}/registrations`)),
  'POST /api/activities/{id}/pass/issue': managing((person, path) =>
    person.post(`${path}/pass/issue`, { holders: [{ name: 'Lin Mei' }] }),
  ),
  'GET /api/activities/{id}/pass/passes': reading('/pass/passes'),
  'GET /api/activities/{id}/pass/records': reading('/pass/records'),
}

for (const ofOrg of [true, false])
  for (const visibility of ACTIVITY_VISIBILITIES)
    for (const status of ACTIVITY_STATUSES) {
      if (!ofOrg && visibility === 'RESTRICTED') continue
      const kind = status === 'DRAFT' ? 'DRAFT' : `${visibility} one`
      const sights = SIGHT[`${kind} of ${ofOrg ? 'an organization' : 'a user'}`]!
      for (const [i, who] of (Object.keys(CALLERS) as Caller[]).entries())
        test(`operations on a ${status} ${visibility} activity of ${ofOrg ? 'an organization' : 'a user'} answer ${who} as its visibility says`, async () => {
          const create = () =>
            createActivity(creator, {
              name: SECRET,
              visibility,
              status,
              hasCheckIn: true,
              hasPass: true,
              ...(ofOrg && { orgId: org.id }),
            })
          const isManager = who === 'its creator' || (ofOrg && who === 'a holder of the points')
          let activity = await create()
          for (const [name, { send, admits }] of Object.entries(OPERATIONS)) {
            if (isManager) activity = await create()
            const code = { 'a user with the code': activity.inviteCode, 'a user with a wrong code': 'WRONGCODE2' }[
              who as string
            ]
            const reply = await send(CALLERS[who](), `/api/activities/${activity.id}`, code ?? undefined)
            const isRefused = admits === 'managers' && !isManager && sights[i] === 200
            const expected = isRefused ? [403] : sights[i] === 200 ? [200, 400] : [sights[i]!]
            expect(expected, `${name}: ${reply.status} ${reply.text}`).toContain(reply.status)
            if (reply.status !== 200) expect(reply.text).not.toContain(SECRET)
          }
          // Those who may see it have checked in.
          if (!isManager)
            expect({ ...(await getActivity(creator, activity.id)), stats: activity.stats }).toEqual(activity)
        })
    }

test('operations on activities answer 401 without a token', async () => {
  const { id } = await createActivity(creator, { visibility: 'PUBLIC', status: 'ACTIVE' })
  for (const [name, { send }] of Object.entries(OPERATIONS)) {
    const nobody = await server.person()
    ok(await nobody.call('auth.logout'))
    expect((await send(nobody, `/api/activities/${id}`, undefined)).status, name).toBe(401)
  }
})

describe('an activity as others see it', () => {
  test('hides the invite code, the QR code with it, the short code and the numbers from everyone but managers', async () => {
    const fields = { orgId: org.id, checkInConfig: { shortCode: 'SHORT', maxPerUser: 2 }, status: 'ACTIVE' } as const
    const invite = await createActivity(creator, fields)
    const seen = ok(await alone.get(`/api/activities/${invite.id}`, { code: invite.inviteCode! })).data
    const hidden = { canManage: false, inviteCode: null, stats: null }
    expect(seen).toMatchObject({ ...hidden, qrContent: null })
    expect(seen.checkInConfig).toEqual({ ...invite.checkInConfig, shortCode: null })
    const shared = await createActivity(creator, { ...fields, visibility: 'RESTRICTED' })
    expect(await getActivity(reader, shared.id)).toMatchObject({ ...hidden, qrContent: `activity:${shared.id}` })
    for (const person of [creator, manager, owner])
      expect(await getActivity(person, invite.id)).toEqual(await getActivity(creator, invite.id))
  })

  test('names an INTERNAL organization to its members only', async () => {
    const internal = await createOrg(owner, { visibility: 'INTERNAL' })
    const open = { visibility: 'PUBLIC', status: 'ACTIVE' } as const
    const { id } = await createActivity(owner, { orgId: internal.id, ...open })
    await addMembers(owner, internal, reader)
    expect((await getActivity(reader, id)).ownerName).toBe(internal.name)
    expect(ok(await alone.get(`/api/activities/${id}`)).data).toMatchObject({ ownerName: null, ownerId: internal.id })
    const another = await createActivity(creator, { orgId: org.id, ...open })
    expect((await getActivity(alone, another.id)).ownerName).toBe(org.visibility === 'INTERNAL' ? null : org.name)
  })

  test('is managed by holders of a point for that purpose only', async () => {
    const publisher = await server.person()
    await addMembers(owner, org, publisher)
    const permissions = ['activity:read', 'activity:publish']
    await createRole(admin, { domain: 'ORG', scopeId: org.id, code: 'PUBLISHER', name: 'Publisher', permissions })
    await setRole(owner, org, publisher, 'PUBLISHER')
    const activity = await createActivity(creator, { orgId: org.id })
    expect((await publisher.get(`/api/activities/${activity.id}`)).status).toBe(404)
    const published = await setStatus(publisher, activity.id, 'ACTIVE')
    expect(published).toMatchObject({ status: 'ACTIVE', canManage: false, inviteCode: null, stats: null })
    // It is INVITE_ONLY, and the publisher is not asked for the code to publish it.
    expect((await publisher.put(`/api/activities/${activity.id}`, { name: 'x' })).status).toBe(403)
    expect((await publisher.delete(`/api/activities/${activity.id}`)).status).toBe(403)
  })

  test('with orgId, operations find activities of that organization only, and need the point in it', async () => {
    const open = { visibility: 'PUBLIC', status: 'ACTIVE' } as const
    const [shared, own] = [
      await createActivity(creator, { orgId: org.id, ...open }),
      await createActivity(manager, open),
    ]
    const get = (person: Person, id: number) => person.get(`/api/activities/${id}`, { orgId: org.id })
    ok(await get(reader, shared.id))
    expect((await get(reader, own.id)).status).toBe(404)
    expect((await get(alone, shared.id)).status).toBe(403)
    expect((await manager.put(`/api/activities/${own.id}`, { orgId: org.id, name: 'x' })).status).toBe(404)
  })

  test('is no longer managed by a creator who left the organization', async () => {
    const visitor = await server.person()
    await addMembers(owner, org, visitor)
    await setRole(owner, org, visitor, 'ADMIN')
    const [draft, invite, open] = [
      await createActivity(visitor, { orgId: org.id }),
      await createActivity(visitor, { orgId: org.id, status: 'ACTIVE' }),
      await createActivity(visitor, { orgId: org.id, status: 'ACTIVE', visibility: 'PUBLIC' }),
    ]
    ok(await leave(visitor, org))
    const statuses = async (send: (path: string) => Promise<Reply>) =>
      Promise.all([draft, invite, open].map(async ({ id }) => (await send(`/api/activities/${id}`)).status))
    expect(await statuses((path) => visitor.get(path))).toEqual([404, 403, 200])
    expect(await statuses((path) => visitor.put(path, { name: 'x' }))).toEqual([404, 403, 403])
    expect(await statuses((path) => visitor.delete(path))).toEqual([404, 403, 403])
    expect((await getActivity(visitor, open.id)).canManage).toBe(false)
    expect((await visitor.get('/api/activities', { orgId: org.id })).status).toBe(403)
    ok(await owner.put(`/api/activities/${draft.id}`, { name: 'x' }))
  })
})

describe('guessing invite codes', () => {
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'], rateLimit: true })

  test.if(inProcess)(
    'an address that has tried 20 wrong codes gets 429, also for the right one, until a minute has passed',
    async () => {
      const activity = await createActivity(alice, { status: 'ACTIVE' })
      const open = (code: string) => bob.get(`/api/activities/${activity.id}`, { code })
      for (let i = 0; i < 20; i++) expect((await open(`WRONG${i}`)).status).toBe(403)
      const refused = await open(activity.inviteCode!)
      expect([refused.status, refused.code]).toEqual([429, 4022])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      // Managers give no code, and requests without one are no guesses.
      ok(await alice.get(`/api/activities/${activity.id}`))
      expect((await bob.get(`/api/activities/${activity.id}`)).status).toBe(403)
      // A DRAFT answers like an unknown activity.
      const draft = await createActivity(alice)
      expect((await bob.get(`/api/activities/${draft.id}`, { code: 'WRONG' })).status).toBe(404)
      server.clock.advance(60_000)
      ok(await open(activity.inviteCode!))
    },
  )
})

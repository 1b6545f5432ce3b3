/**
 * Random histories of memberships by several users, compared with a simple model: every answer and every state must be as the model
 * says. The test's name and every failure show the seed. The same seed asks for the same steps:
 *
 *     SEED=20260101 bun test --timeout 300000 test/orgs/histories.test.ts
 */

import { beforeAll, expect, test } from 'bun:test'

import { systemRoles } from '#domains/access/system-roles.ts'

import { inProcess, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { createOrg, currentOrgId, getOrg, invite, listMembers, listRequests, ok, UNKNOWN_ID } from './helpers.ts'

/** The rules are the same on PostgreSQL and in the executable. */
const STEPS = inProcess && !process.env['TEST_DATABASE_URL'] ? 10_000 : 3000
const PEOPLE = 8
const ORGS = 4
/** Steps between two comparisons of the whole state. */
const COMPARE_EVERY = 250

interface Model {
  id: number
  code: string
  visibility: 'PUBLIC' | 'INTERNAL'
  joinPolicy: 'FREE' | 'APPROVAL' | 'INVITE'
  limit: number
  owner: number
  /** Role code by index of the user. */
  members: Map<number, string>
  requests: Set<number>
  /** Id of the open invitation by index of the user. */
  invitations: Map<number, number>
  /** The user to whom the organization is offered. */
  offeredTo: number | undefined
}

const { server } = useServer()
let people: Person[]
/** A dissolved organization is replaced at once. */
const orgs: Model[] = []
/** Id of the current organization by index of the user. */
const current = new Map<number, number>()
/** Invitations that are closed: answered, withdrawn, or accepted by joining in another way. */
const closed: { invitationId: number; who: number; orgId: number }[] = []

const seed = Number(process.env['SEED'] ?? 20_260_101)
let state = seed
/** Mulberry32. */
function random(n: number): number {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) % n
}
const pick = <T>(values: readonly T[]): T => values[random(values.length)]!

const points = new Map(systemRoles.filter((r) => r.domain === 'ORG').map((r) => [r.code, r.points]))
function holds(org: Model, who: number, point: string): boolean {
  const held = points.get(org.members.get(who) ?? '')
  return held === 'everything' || (held?.includes(point) ?? false)
}

beforeAll(async () => {
  people = await race(PEOPLE, () => server.person())
  for (let i = 0; i < ORGS; i++) await create(i)
})

async function create(place: number): Promise<void> {
  const owner = random(PEOPLE)
  const org = await createOrg(people[owner]!, { memberLimit: 5, joinPolicy: pick(['FREE', 'APPROVAL', 'INVITE']) })
  orgs[place] = {
    id: org.id,
    code: org.code,
    visibility: 'PUBLIC',
    joinPolicy: org.joinPolicy,
    limit: 5,
    owner,
    members: new Map([[owner, 'OWNER']]),
    requests: new Set(),
    invitations: new Map(),
    offeredTo: undefined,
  }
}

function closeInvitation(org: Model, who: number): void {
  const invitationId = org.invitations.get(who)
  if (invitationId === undefined) return
  org.invitations.delete(who)
  closed.push({ invitationId, who, orgId: org.id })
}

/** Makes the user a member in the model; false if the member limit is reached. */
function admit(org: Model, who: number): boolean {
  if (org.members.size >= org.limit) return false
  org.members.set(who, 'MEMBER')
  org.requests.delete(who)
  closeInvitation(org, who)
  return true
}

function endMembership(org: Model, who: number): void {
  org.members.delete(who)
  if (org.offeredTo === who) org.offeredTo = undefined
  if (current.get(who) === org.id) current.delete(who)
}

function join(org: Model, who: number): number {
  if (org.members.has(who)) return 400
  if (org.visibility === 'INTERNAL' || org.joinPolicy === 'INVITE') return 403
  if (org.joinPolicy === 'FREE') return admit(org, who) ? 200 : 400
  org.requests.add(who)
  return 200
}

/** One step: the request, and the status that the model expects. The model changes only after the request was sent. */
type Step = (org: Model, who: number, whom: number, place: number) => [call: Promise<Reply>, expected: () => number]

const steps: Record<string, Step> = {
  joinByCode: (org, who) => [people[who]!.post('/api/orgs/join-by-code', { code: org.code }), () => join(org, who)],
  joinByQrCode: (org, who) => [
    people[who]!.post('/api/orgs/join-by-qrcode', { content: `org-join:${org.code}` }),
    () => join(org, who),
  ],
  apply: (org, who) => [people[who]!.post(`/api/orgs/${org.id}/apply`), () => join(org, who)],
  respond: (org, who) => {
    const invitationId = org.invitations.get(who)
    const accept = random(4) > 0
    if (invitationId === undefined) {
      const past = pick(closed)
      return [
        people[who]!.post('/api/orgs/invitation/respond', { invitationId: past?.invitationId ?? UNKNOWN_ID, accept }),
        () => (past?.who === who && orgs.some((o) => o.id === past.orgId) ? 400 : 404),
      ]
    }
    return [
      people[who]!.post('/api/orgs/invitation/respond', { invitationId, accept }),
      () => {
        if (accept) return admit(org, who) ? 200 : 400
        closeInvitation(org, who)
        return 200
      },
    ]
  },
  cancel: (org, who, whom) => {
    const invitationId = org.invitations.get(whom)
    return [
      people[who]!.post(`/api/orgs/${org.id}/invitations/${invitationId ?? UNKNOWN_ID}/cancel`),
      () => {
        if (!holds(org, who, 'invitation:cancel')) return 403
        if (invitationId === undefined) return 404
        closeInvitation(org, whom)
        return 200
      },
    ]
  },
  approve: (org, who, whom) => {
    const approve = random(3) > 0
    return [
      people[who]!.post(`/api/orgs/${org.id}/approve`, { userId: people[whom]!.id, approve }),
      () => {
        if (!holds(org, who, 'join_request:approve')) return 403
        if (!org.requests.has(whom)) return 404
        if (approve) return admit(org, whom) ? 200 : 400
        org.requests.delete(whom)
        return 200
      },
    ]
  },
  withdrawRequest: (org, who) => {
    const [first = who] = org.requests
    const applicant = pick([first, who, who, who])
    return [people[applicant]!.delete(`/api/orgs/${org.id}/apply`), () => (org.requests.delete(applicant) ? 200 : 404)]
  },
  leave: (org, who) => [
    people[who]!.post(`/api/orgs/${org.id}/leave`),
    () => {
      if (!org.members.has(who)) return 404
      if (org.owner === who) return 400
      endMembership(org, who)
      return 200
    },
  ],
  remove: (org, who, whom) => [
    people[who]!.delete(`/api/orgs/${org.id}/members/${people[whom]!.id}`),
    () => {
      if (!holds(org, who, 'member:delete')) return 403
      if (!org.members.has(whom)) return 404
      if (org.owner === whom) return 400
      endMembership(org, whom)
      return 200
    },
  ],
  changeRole: (org, who, whom) => {
    const roleCode = pick(['OWNER', 'ADMIN', 'ADMIN', 'MEMBER', 'GUEST'])
    return [
      people[who]!.put(`/api/orgs/${org.id}/members/${people[whom]!.id}`, { roleCode }),
      () => {
        if (!holds(org, who, 'member:update')) return 403
        if (!org.members.has(whom)) return 404
        if (org.owner === whom || roleCode === 'OWNER') return 400
        org.members.set(whom, roleCode)
        return 200
      },
    ]
  },
  transfer: (org, who, whom) => {
    const by = pick([org.owner, who])
    const to = pick([...org.members.keys(), whom])
    return [
      people[by]!.post(`/api/orgs/${org.id}/${pick(['transfer', 'transfer-ownership'])}`, { userId: people[to]!.id }),
      () => {
        if (!holds(org, by, 'org:transfer')) return 403
        if (by === to || !org.members.has(to)) return 400
        if (org.offeredTo !== undefined && org.offeredTo !== to) return 400
        org.offeredTo = to
        return 200
      },
    ]
  },
  withdrawTransfer: (org, who) => {
    const by = pick([org.owner, who])
    return [
      people[by]!.delete(`/api/orgs/${org.id}/transfer`),
      () => {
        if (!holds(org, by, 'org:transfer')) return 403
        if (org.offeredTo === undefined) return 404
        org.offeredTo = undefined
        return 200
      },
    ]
  },
  answerTransfer: (org, who) => {
    const accept = random(2) === 0
    const by = pick([org.offeredTo ?? who, who])
    return [
      people[by]!.post(`/api/orgs/${org.id}/transfer/answer`, { accept }),
      () => {
        if (org.offeredTo !== by) return 404
        org.offeredTo = undefined
        if (!accept) return 200
        org.members.set(org.owner, 'ADMIN').set(by, 'OWNER')
        org.owner = by
        return 200
      },
    ]
  },
  update: (org, who) => {
    const change = pick([
      { visibility: 'INTERNAL' },
      { visibility: 'PUBLIC', joinPolicy: 'FREE' },
      { visibility: 'PUBLIC', joinPolicy: 'APPROVAL' },
      { joinPolicy: 'FREE' },
      { memberLimit: 1 + random(PEOPLE) },
    ]) as { visibility?: Model['visibility']; joinPolicy?: Model['joinPolicy']; memberLimit?: number }
    return [
      people[who]!.put(`/api/orgs/${org.id}`, change),
      () => {
        if (!holds(org, who, 'org:update')) return 403
        if ((change.memberLimit ?? org.limit) < org.members.size) return 400
        org.limit = change.memberLimit ?? org.limit
        org.visibility = change.visibility ?? org.visibility
        org.joinPolicy = org.visibility === 'INTERNAL' ? 'INVITE' : (change.joinPolicy ?? org.joinPolicy)
        return 200
      },
    ]
  },
  switch: (org, who) => [
    people[who]!.patch(`/api/orgs/${org.id}/switch`),
    () => {
      if (!org.members.has(who)) return 403
      current.set(who, org.id)
      return 200
    },
  ],
}
const names = Object.keys(steps)

/** Steps that need the answer of the request, or that are meant to be rare. */
async function special(org: Model, who: number, whom: number, place: number): Promise<[string, number, number]> {
  const me = people[who]!
  switch (random(12)) {
    case 0: {
      const force = random(2) === 0
      const { status } = await me.delete(`/api/orgs/${org.id}?force=${force}`)
      const expected = org.owner !== who ? 403 : org.members.size > 1 && !force ? 400 : 200
      if (expected === 200) {
        for (const member of org.members.keys()) if (current.get(member) === org.id) current.delete(member)
        await create(place)
      }
      return ['dissolve', status, expected]
    }
    case 1: {
      const reply = await me.call('orgs.resetCode', { params: { id: org.id } })
      if (reply.status === 200) org.code = reply.data.code
      return ['resetCode', reply.status, holds(org, who, 'org:update') ? 200 : 403]
    }
    default: {
      if (!holds(org, who, 'invitation:create')) {
        const { status } = await me.post(`/api/orgs/${org.id}/invite`, { userIds: [people[whom]!.id] })
        return ['invite', status, 403]
      }
      const [answer] = await invite(me, org, people[whom]!)
      const expected = org.members.has(whom)
        ? 'ALREADY_MEMBER'
        : org.invitations.has(whom)
          ? 'ALREADY_INVITED'
          : 'INVITED'
      expect(answer!.status).toBe(expected)
      if (answer!.status === 'INVITED') org.invitations.set(whom, answer!.invitationId!)
      return ['invite', 200, 200]
    }
  }
}

/** Compares everything that users can see with the model. */
async function compare(): Promise<void> {
  for (const org of orgs) {
    const owner = people[org.owner]!
    const { items } = await listMembers(owner, org)
    const seen = items.map((m) => `${m.userId} ${m.roleCode}`)
    expect(seen.toSorted()).toEqual([...org.members].map(([who, role]) => `${people[who]!.id} ${role}`).toSorted())
    expect(items.filter((m) => m.isOwner)).toHaveLength(1)
    expect(await getOrg(owner, org)).toMatchObject({
      memberCount: org.members.size,
      memberLimit: org.limit,
      visibility: org.visibility,
      joinPolicy: org.joinPolicy,
      code: org.code,
      ownerId: owner.id,
    })
    const offer = (await getOrg(owner, org)).pendingTransfer
    expect(offer?.userId).toBe(org.offeredTo === undefined ? undefined : people[org.offeredTo]!.id)
    const requests = (await listRequests(owner, org)).items
    expect(requests.map((request) => request.userId).toSorted()).toEqual(
      [...org.requests].map((who) => people[who]!.id).toSorted(),
    )
    for (const [who, person] of people.entries())
      expect((await person.get(`/api/orgs/${org.id}/members`)).status).toBe(holds(org, who, 'member:read') ? 200 : 403)
  }
  for (const [who, person] of people.entries()) {
    const mine = ok(await person.call('orgs.list')).data.items.map((org) => org.id)
    expect(mine.toSorted()).toEqual(
      orgs
        .filter((o) => o.members.has(who))
        .map((o) => o.id)
        .toSorted(),
    )
    const invitations = ok(await person.call('orgs.myInvitations')).data.items
    expect(invitations.map((invitation) => invitation.id).toSorted()).toEqual(
      orgs.flatMap((o) => o.invitations.get(who) ?? []).toSorted(),
    )
    expect(await currentOrgId(person)).toBe(current.get(who) ?? null)
  }
}

test(`${STEPS} random steps of ${PEOPLE} users in ${ORGS} organizations are answered as the model says (SEED=${seed})`, async () => {
  const outcomes = new Map<string, number>()
  const trace: string[] = []
  for (let step = 0; step < STEPS; step++) {
    const place = random(ORGS)
    const org = orgs[place]!
    const who = random(3) > 0 ? pick([...org.members.keys()]) : random(PEOPLE)
    const whom = random(PEOPLE)
    const name = random(6) === 0 ? 'special' : pick(names)
    let result: [string, number, number]
    if (name === 'special') result = await special(org, who, whom, place)
    else {
      const [call, expected] = steps[name]!(org, who, whom, place)
      result = [name, (await call).status, expected()]
    }
    const [what, status, expected] = result
    trace.push(`${step}: ${what} org ${org.id} by ${who} of ${whom} → ${status}`)
    expect(`${status}`, `SEED=${seed}\n${trace.slice(-15).join('\n')}`).toBe(`${expected}`)
    outcomes.set(`${what} ${status}`, (outcomes.get(`${what} ${status}`) ?? 0) + 1)
    if (step % COMPARE_EVERY === 0) await compare()
  }
  await compare()
  // A history in which an operation never succeeds would prove nothing about it.
  for (const what of [...names, 'dissolve', 'resetCode', 'invite'])
    expect(outcomes.get(`${what} 200`) ?? 0, what).toBeGreaterThan(STEPS / 2000)
})

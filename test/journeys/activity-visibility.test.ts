/** Every visibility, caller and state of an activity: all operations and pages agree on who sees it. */

import { beforeAll, expect, test } from 'bun:test'

import { HOUR } from '#platform/clock.ts'

import { ok, type Person, type Reply, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'

const { server, manager, creator, member, stranger } = useServer({
  people: ['manager', 'creator', 'member', 'stranger'],
})
let orgId: number

beforeAll(async () => {
  const org = await createOrg(manager)
  orgId = org.id
  await addMembers(manager, org, creator, member)
  await setRole(manager, org, creator, 'ADMIN')
  for (const visibility of VISIBILITIES)
    for (const status of STATUSES) activities.push(await publish(visibility, status))
  // The creator stays a manager of these activities.
  await setRole(manager, org, creator, 'MEMBER')
})

interface Activity {
  id: number
  uuid: string
  name: string
  inviteCode: string | null
  visibility: (typeof VISIBILITIES)[number]
  status: (typeof STATUSES)[number]
}
const activities: Activity[] = []

/** An activity with check-in, passes and registration, whose texts all contain the same word. */
async function publish(visibility: Activity['visibility'], status: Activity['status']): Promise<Activity> {
  const now = Date.now()
  const { data } = ok(
    await creator.post('/api/activities', {
      orgId,
      visibility,
      name: `${WORD} ${visibility} ${status}`,
      description: WORD,
      location: WORD,
      startTime: now + HOUR,
      endTime: now + 24 * HOUR,
      hasCheckIn: true,
      hasPass: true,
      checkInConfig: { maxPerUser: 0 },
      registration: {},
    }),
  )
  const states = status === 'DRAFT' ? [] : status === 'ACTIVE' ? ['ACTIVE'] : ['ACTIVE', status]
  for (const next of states) ok(await creator.patch(`/api/activities/${data.id}/status`, { status: next }))
  return { ...data, status }
}

const WORD = 'Quillfish'
const VISIBILITIES = ['PUBLIC', 'RESTRICTED', 'INVITE_ONLY'] as const
const STATUSES = ['DRAFT', 'ACTIVE', 'ENDED', 'CANCELLED'] as const
type Caller = 'manager' | 'creator' | 'member' | 'stranger' | 'with the code'

const at = ({ id }: Activity, rest: string): string => `/api/activities/${id}${rest}`
const discovered = async (user: Person): Promise<string[]> =>
  ok(await user.get('/api/discover/activities', { size: 100 })).data.items.map(({ name }: { name: string }) => name)

/** The status of a read: 404 if the caller may not know of the activity, 403 if only the invite code is missing. */
function sight(visibility: (typeof VISIBILITIES)[number], status: (typeof STATUSES)[number], caller: Caller): number {
  if (caller === 'manager' || caller === 'creator') return 200
  if (status === 'DRAFT') return 404
  if (visibility === 'PUBLIC') return 200
  if (visibility === 'RESTRICTED') return caller === 'member' ? 200 : 404
  return caller === 'with the code' ? 200 : 403
}

for (const visibility of VISIBILITIES)
  for (const status of STATUSES)
    test(`${visibility} ${status}: all operations agree on who sees the activity, and others get no word of it`, async () => {
      const activity = activities.find((each) => each.visibility === visibility && each.status === status)!
      const { name } = activity
      const code = activity.inviteCode ?? 'ABCDEFGHJK'
      const callers: [Caller, Person][] = [
        ['manager', manager],
        ['creator', creator],
        ['member', member],
        ['stranger', stranger],
        ['with the code', stranger],
      ]
      for (const [caller, user] of callers) {
        const expected = sight(visibility, status, caller)
        const query = caller === 'with the code' ? { code } : undefined
        const body = caller === 'with the code' ? { inviteCode: code } : {}
        const reads = ['', '/qr-code', '/check-in/records', '/pass/passes', '/calendar.ics']
        const replies: [string, Reply][] = []
        for (const read of reads) replies.push([read, await user.send('GET', at(activity, read), query && { query })])
        const writes = ['/check-in', '/registration']
        for (const write of writes) replies.push([write, await user.post(at(activity, write), body)])
        for (const [path, reply] of replies) {
          // Callers who see the activity get 400 from a write in another state than ACTIVE.
          const admitted = writes.includes(path) && expected === 200 && status !== 'ACTIVE' ? 400 : expected
          expect([caller, path, reply.status]).toEqual([caller, path, admitted])
          if (expected !== 200) expect(reply.text).not.toContain(WORD)
        }
        if (query === undefined) {
          // The list is for members.
          const list = await user.get('/api/activities', { orgId, size: 100 })
          expect(list.text.includes(`"${name}"`)).toBe(
            caller === 'manager' ||
              caller === 'creator' ||
              (caller === 'member' && visibility !== 'INVITE_ONLY' && status !== 'DRAFT'),
          )
          expect((await discovered(user)).includes(name)).toBe(visibility === 'PUBLIC' && status === 'ACTIVE')
          const { resolved } = ok(await user.post('/api/scan-records', { content: `activity:${activity.id}` })).data
          expect(JSON.stringify(resolved).includes(WORD)).toBe(expected === 200)
        }
      }
      const expected = visibility === 'RESTRICTED' ? 404 : sight(visibility, status, 'stranger')
      for (const accept of ['text/html', 'application/json']) {
        const landing = await server.request('GET', `/s/activity/${activity.uuid}`, { headers: { accept } })
        expect([landing.status, landing.text.includes(WORD)]).toEqual([expected, expected === 200])
      }
    })

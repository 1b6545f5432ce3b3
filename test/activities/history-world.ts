/** The people and activities of a random history, their model, and the comparison of both. */

import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { HOUR, MINUTE } from '#platform/clock.ts'

import { createRole } from '../access/helpers.ts'
import { randomOf } from '../assets/history-model.ts'
import { freshDatabase } from '../harness/database.ts'
import { inProcess, ok, type Person, type Reply, startServer, type TestServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { expectFacets } from './facets.ts'
import {
  type Activity,
  confirmed,
  isDisabled,
  isLive,
  manages,
  type Org,
  type Pass,
  passStatus,
  positionOf,
  type Registration,
  sight,
} from './history-model.ts'

export const WORDS = ['Lake cleanup', 'lake run', '湖边清洁', 'Chess', "O'Neill & Co <b>"]

/** Where activities are. */
export const LAKE = [30.25, 120.15] as const

export const seed = Number(process.env['SEED'] ?? 20_260_401)
export const { random, pick, chance } = randomOf(seed)

export let server: TestServer
let dataDir: string
let database: Awaited<ReturnType<typeof freshDatabase>> | undefined
/** Owner of the organization. */
export let alice: Person
/** Not a member of any organization. */
export let eve: Person
export let admin: Person
/** All users but the administrator. */
export let people: Person[]
export let club: Org
export const activities: Activity[] = []
export const outcomes = new Map<string, number>()
export const trace: string[] = []

/** Uses the data and the port of the last server. */
async function start(port = 0): Promise<void> {
  const config = { port, ...(database && { databaseUrl: database.url }) }
  server = await startServer({ dataDir, config, settings: { 'quota.activities': 0 } })
}

/** All times of the history are whole hours from here. */
let base = 0
export const hour = (n: number): number => base + n * HOUR

export async function setUp(): Promise<void> {
  dataDir = mkdtempSync(join(tmpdir(), 'tessera-history-'))
  if (process.env['TEST_DATABASE_URL']) database = await freshDatabase()
  await start()
  base = Math.floor(Date.now() / 1000) * 1000 - 30 * MINUTE
  admin = await server.admin()
  alice = await server.person('alice')
  eve = await server.person('eve')
  people = [alice, eve]
  for (const name of ['bob', 'carol', 'dave']) people.push(await server.person(name))
  const { id } = await createOrg(alice)
  club = { id, roles: new Map([[alice.id, 'OWNER']]), isDisabled: false }
  const points = ['org:read', 'pass:verify']
  await createRole(admin, { domain: 'ORG', scopeId: id, code: 'GATE', name: 'Gate', permissions: points })
}

export async function tearDown(): Promise<void> {
  await server.stop()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
}

let ahead = 0
let signedInAt = 0

export const now = (): number => Date.now() + ahead

/** Moves the clock, unless the executable is under test. */
export async function advance(ms: number): Promise<void> {
  if (!inProcess) return
  ahead += ms
  server.clock.advance(ms)
  // Sessions last seven days.
  if (ahead - signedInAt < 72 * HOUR) return
  signedInAt = ahead
  for (const user of [...people, admin]) {
    const path = user === admin ? '/api/admin/auth/refresh' : '/api/auth/refresh'
    const { data } = ok(await user.post(path, { refreshToken: user.refreshToken }))
    user.token = data.accessToken
    user.refreshToken = data.refreshToken
  }
}

/** Makes sure that no whole hour begins during the next step. */
export async function avoidFullHours(): Promise<void> {
  if ((now() - base) % HOUR > HOUR - 3 * MINUTE) await advance(5 * MINUTE)
}

export async function restart(): Promise<void> {
  const port = Number(new URL(server.url).port)
  await server.stop()
  await start(port)
  server.clock.advance(ahead)
}

export const living = (): Activity[] => activities.filter(({ isDeleted }) => !isDeleted)
export const byId = (id: number): Person => people.find((user) => user.id === id)!
export const passes = (): Pass[] => activities.flatMap((activity) => activity.passes)
/** Someone who manages the activity in 3 of 4 cases, if there is anyone. */
export function someone(activity: Activity, point?: string): Person {
  const managers = people.filter((user) => manages(activity, user.id, point))
  return managers.length > 0 && chance(75) ? pick(managers) : pick(people)
}

export type Step = (user: Person, activity: Activity) => Promise<void>
export const pathOf = (activity: Activity, rest = '') => `/api/activities/${activity.id}${rest}`
export const isOver = ({ status, endTime }: Activity) =>
  status === 'ENDED' || status === 'CANCELLED' || endTime <= now()
/** An hour near the present one. */
export const someHour = (from: number, to: number) => hour(Math.ceil((now() - base) / HOUR) + from + random(to - from))

export const context = () => `SEED=${seed}\n${trace.slice(-15).join('\n')}`

/** One request: its status must be one of `statuses`. Returns whether it succeeded. */
export function answered(name: string, reply: Reply<unknown>, ...statuses: number[]): boolean {
  trace.push(`${name} → ${reply.status} ${reply.status === 200 ? '' : reply.text.slice(0, 300)}`)
  expect(statuses, context()).toContain(reply.status)
  outcomes.set(
    `${name.split(' ')[0]} ${reply.status}`,
    (outcomes.get(`${name.split(' ')[0]} ${reply.status}`) ?? 0) + 1,
  )
  return reply.status === 200
}

/** The statuses of a write: `admitted` is that of the caller alone, `isBad` what the state of the activity says. */
export function statusesOf(activity: Activity, admitted: 200 | 403 | 404, isBad: boolean): number[] {
  if (admitted !== 200) return [admitted]
  const refused = [...(isDisabled(activity) ? [403] : []), ...(isBad ? [400] : [])]
  return refused.length > 0 ? refused : [200]
}

/** The parts of a detail that the model knows, as this user should see it. */
function expectedView(activity: Activity, user: Person) {
  const { id, uuid, org, creatorId, name, startTime, endTime, visibility, status, hasCheckIn, hasPass } = activity
  const { version, inviteCode, checkIn, registration, checkIns, passes: all } = activity
  const canManage = manages(activity, user.id)
  return {
    id,
    uuid,
    name,
    startTime,
    endTime,
    visibility,
    status,
    hasCheckIn,
    hasPass,
    version,
    canManage,
    createdBy: creatorId,
    ownerType: org === undefined ? 'PERSONAL' : 'ORGANIZATION',
    ownerId: org?.id ?? creatorId,
    restrictedScopeType: visibility === 'RESTRICTED' ? 'ORGANIZATION' : null,
    restrictedScopeId: visibility === 'RESTRICTED' ? club.id : null,
    latitude: activity.position?.[0] ?? null,
    longitude: activity.position?.[1] ?? null,
    inviteCode: canManage ? inviteCode : null,
    qrContent: inviteCode === null ? `activity:${id}` : canManage ? `activity:${id}:${inviteCode}` : null,
    checkInConfig: {
      ...checkIn,
      latitude: null,
      longitude: null,
      shortCode: canManage ? checkIn.shortCode : null,
      registeredOnly: false,
      rotatingSeconds: null,
    },
    registration:
      registration === null ? null : { waitlist: registration.waitlist, capacity: registration.capacity || null },
    stats: canManage
      ? {
          checkIns: checkIns.length,
          checkedInUsers: new Set(checkIns.map(({ userId }) => userId)).size,
          passes: all.length,
          passUses: all.reduce((sum, { used }) => sum + used, 0),
          registrations: {
            confirmed: confirmed(activity),
            waiting: activity.registrations.filter(({ status: state }) => state === 'WAITING').length,
          },
        }
      : null,
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- an answer
function seenView(view: any, expected: object): unknown {
  const seen = Object.fromEntries(Object.keys(expected).map((key) => [key, view[key]]))
  const { waitlist, capacity } = view.registration ?? {}
  return { ...seen, registration: view.registration === null ? null : { waitlist, capacity } }
}

/** Compares an answer of the detail. `isChanged`: the activity was written since the model last saw it. */
// oxlint-disable-next-line typescript/no-explicit-any -- an answer
export function checkView(activity: Activity, view: any, user: Person, isChanged: boolean): void {
  if (isChanged) activity.version += 1
  const expected = expectedView(activity, user)
  expect(seenView(view, expected), context()).toEqual(expected)
  if (isChanged) expect(view.updatedAt, context()).toBeGreaterThan(activity.updatedAt)
  else expect(view.updatedAt, context()).toBe(activity.updatedAt)
  activity.updatedAt = view.updatedAt
}

/** Reads the detail as its creator or the owner of the organization, who see everything. */
export async function verify(activity: Activity, isChanged = false): Promise<void> {
  const user = activity.org === undefined ? byId(activity.creatorId) : alice
  const reply = await user.get(`/api/activities/${activity.id}`)
  if (activity.isDeleted) return void expect(reply.status, context()).toBe(404)
  checkView(activity, ok(reply).data, user, isChanged)
}

/** The parts of a pass that the model knows, as managers and the holder see it. */
export const passView = (pass: Pass) => ({
  id: pass.id,
  uuid: pass.uuid,
  activityId: pass.activity.id,
  holderUserId: pass.holderId,
  holderName: pass.holderName,
  status: passStatus(pass, now()),
  validFrom: pass.validFrom,
  validTo: pass.validTo,
  maxUses: pass.maxUses,
  usedCount: pass.used,
  qrContent: pass.content,
})

export const registrationView = (activity: Activity, registration: Registration) => ({
  userId: registration.userId,
  status: registration.status,
  position: positionOf(activity, registration),
})

/** All items of a list, page by page. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers
export async function all(user: Person, path: string, query: Record<string, string | number> = {}): Promise<any[]> {
  const items = []
  for (let page = 1; ; page++) {
    const { data } = ok(await user.get(path, { ...query, page, size: 100 }))
    items.push(...data.items)
    if (data.items.length < 100) {
      expect(data.total, `${path} ${context()}`).toBe(items.length)
      return items
    }
  }
}

const idsOf = (items: readonly { readonly id: number }[]): number[] =>
  items.map(({ id }) => id).toSorted((a, b) => a - b)

/** Everything that each user can see, compared with the model. */
export async function compare(): Promise<void> {
  await avoidFullHours()
  const isListed = ({ status, visibility }: Activity) => status !== 'DRAFT' && visibility !== 'INVITE_ONLY'
  const isDiscoverable = (activity: Activity) =>
    activity.visibility === 'PUBLIC' &&
    activity.status === 'ACTIVE' &&
    activity.endTime > now() &&
    !isDisabled(activity)
  for (const user of people) {
    const mine = living().filter(({ org, creatorId }) => org === undefined && creatorId === user.id)
    expect(idsOf(await all(user, '/api/activities')), context()).toEqual(idsOf(mine))
    const role = club.roles.get(user.id)
    const ours = living().filter(({ org }) => org !== undefined)
    if (role === undefined || role === 'GATE')
      expect((await user.get('/api/activities', { orgId: club.id })).status, context()).toBe(403)
    else {
      const shown = ours.filter((activity) => manages(activity, user.id) || isListed(activity))
      expect(idsOf(await all(user, '/api/activities', { orgId: club.id })), context()).toEqual(idsOf(shown))
    }
    expect(idsOf(await all(user, '/api/discover/activities')), context()).toEqual(
      idsOf(living().filter(isDiscoverable)),
    )
  }
  for (const activity of living()) await compareRows(activity)
  for (const activity of activities) await compareLandingPage(activity)
  if (inProcess) await expectFacets(server)
}

/** The page without sign-in, as people get it who scan the code of the activity. */
async function compareLandingPage(activity: Activity): Promise<void> {
  const { uuid, isDeleted, status, visibility, inviteCode } = activity
  const isHidden = isDeleted || status === 'DRAFT' || visibility === 'RESTRICTED'
  const headers = { accept: 'application/json' }
  const plain = await server.request('GET', `/s/activity/${uuid}`, { headers })
  expect(plain.status, context()).toBe(isHidden ? 404 : visibility === 'PUBLIC' ? 200 : 403)
  const withCode = await server.request('GET', `/s/activity/${uuid}?code=${inviteCode ?? 'ABCDEFGHJK'}`, { headers })
  expect(withCode.status, context()).toBe(isHidden ? 404 : 200)
  if (!isHidden)
    expect(withCode.data, context()).toMatchObject({ uuid, name: activity.name, hasPass: activity.hasPass })
}

async function compareRows(activity: Activity): Promise<void> {
  await verify(activity)
  const path = `/api/activities/${activity.id}`
  const manager = activity.org === undefined ? byId(activity.creatorId) : alice
  const key = (each: { userId: number; sequence: number; method: string }) =>
    `${each.userId} ${each.sequence} ${each.method}`
  const records = await all(manager, `${path}/check-in/records`)
  expect(records.map(key), context()).toEqual(activity.checkIns.toReversed().map(key))
  const { data: stats } = ok(await manager.get(`${path}/check-in/stats`))
  const users = new Set(activity.checkIns.map(({ userId }) => userId)).size
  const count = (method: string) => activity.checkIns.filter((each) => each.method === method).length
  expect(stats, context()).toMatchObject({
    total: activity.checkIns.length,
    users,
    repeated: activity.checkIns.length - users,
    byMethod: { GPS: count('GPS'), CODE: count('CODE'), QR: count('QR') },
  })
  expect(stats.byHour.reduce((sum: number, each: { count: number }) => sum + each.count, 0)).toBe(stats.total)

  const shown = await all(manager, `${path}/pass/passes`)
  expect(shown, context()).toMatchObject(activity.passes.toReversed().map(passView))
  const uses = await all(manager, `${path}/pass/records`)
  const useKey = (each: { result: string; reason: string | null; direction: string; nonce: string | null }) =>
    `${each.result} ${each.reason} ${each.direction} ${each.nonce}`
  expect(uses.map(useKey).toSorted(), context()).toEqual(activity.uses.map(useKey).toSorted())

  const registrations = await all(manager, `${path}/registrations`)
  const registered = activity.registrations.map((each) => registrationView(activity, each))
  const byUser = (a: { userId: number }, b: { userId: number }) => a.userId - b.userId
  expect(registrations.toSorted(byUser), context()).toMatchObject(registered.toSorted(byUser))

  for (const user of people) {
    const status = sight(activity, user.id, false)
    const reply = await user.get(path)
    expect(`${user.username} ${reply.status}`, context()).toBe(`${user.username} ${status}`)
    if (status === 200) checkView(activity, reply.data, user, false)
    if (status === 200) await compareCodes(activity, user)
    if (status !== 200 || manages(activity, user.id)) continue
    const own = await all(user, `${path}/check-in/records`)
    expect(own.map(key), context()).toEqual(
      activity.checkIns
        .filter((each) => each.userId === user.id)
        .toReversed()
        .map(key),
    )
    const held = await all(user, `${path}/pass/passes`)
    expect(idsOf(held), context()).toEqual(idsOf(activity.passes.filter(({ holderId }) => holderId === user.id)))
    expect((await user.get(`${path}/check-in/stats`)).status, context()).toBe(403)
    expect((await user.get(`${path}/registrations`)).status, context()).toBe(403)
  }
}

/** The list of QR codes as this user, who sees the activity, should get it. */
export function checkCodes(
  activity: Activity,
  user: Person,
  items: readonly { type: string; content: string }[],
): void {
  const canManage = manages(activity, user.id)
  const held = activity.passes.filter((pass) => pass.holderId === user.id && isLive(pass, now()))
  const expected = [
    ...(activity.inviteCode === null || canManage ? ['ACTIVITY'] : []),
    ...(activity.hasCheckIn && canManage ? ['CHECK_IN'] : []),
    ...held.map(({ content }) => content),
  ]
  expect(
    items.map(({ type, content }) => (type === 'PASS' ? content : type)),
    context(),
  ).toEqual(expected)
  activity.checkInContent = items.find(({ type }) => type === 'CHECK_IN')?.content ?? activity.checkInContent
}

const compareCodes = async (activity: Activity, user: Person): Promise<void> =>
  checkCodes(activity, user, ok(await user.get(pathOf(activity, '/qr-code'))).data)

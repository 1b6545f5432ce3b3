/** Steps of a random history: activities, check-ins, registrations and members. */

import { expect } from 'bun:test'

import type { ActivityStatus, ActivityVisibility } from '#db/schema/activities.ts'
import { activities as activitiesDomain } from '#domains/activities/index.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { MINUTE } from '#platform/clock.ts'

import { inProcess, ok } from '../harness/index.ts'
import { addMembers, leave, setRole } from '../orgs/helpers.ts'
import {
  type Activity,
  admission,
  checkInMethod,
  hasPlace,
  holds,
  isLive,
  isRegistrationOpen,
  mayBecome,
  moveUp,
  type Role,
  sight,
} from './history-model.ts'
import {
  activities,
  advance,
  alice,
  answered,
  byId,
  chance,
  checkCodes,
  checkView,
  club,
  context,
  eve,
  hour,
  isOver,
  LAKE,
  living,
  now,
  pathOf,
  people,
  pick,
  random,
  registrationView,
  server,
  someHour,
  someone,
  statusesOf,
  type Step,
  trace,
  verify,
  WORDS,
} from './history-world.ts'

const MAX_ACTIVITIES = 20
const VISIBILITIES: readonly ActivityVisibility[] = ['PUBLIC', 'RESTRICTED', 'INVITE_ONLY']
const STATUSES: readonly ActivityStatus[] = ['DRAFT', 'ACTIVE', 'ENDED', 'CANCELLED']
const SHORT_CODES = ['LAKE24', 'abcd']
/** Degrees of latitude in a metre. */
const DEGREES = 1 / 111_195

/** Fields of POST or PUT; `target` gets them. Returns the body, and whether the rules allow the result. */
function someFields(target: Activity, isNew: boolean) {
  const body: Record<string, unknown> = {}
  const set = <K extends keyof Activity>(percent: number, key: K, some: () => Activity[K], name: string = key) => {
    if (!isNew && !chance(percent)) return
    target[key] = some()
    body[name] = target[key]
  }
  set(30, 'name', () => pick(WORDS))
  set(20, 'startTime', () => someHour(-10, 20))
  set(20, 'endTime', () => (chance(90) ? target.startTime + hour(10 + random(60)) - hour(0) : target.startTime))
  set(30, 'visibility', () => pick(target.org === undefined && chance(80) ? ['PUBLIC', 'INVITE_ONLY'] : VISIBILITIES))
  set(20, 'hasCheckIn', () => chance(85))
  set(20, 'hasPass', () => chance(85))
  if (isNew || chance(20)) {
    target.position = chance(70) ? LAKE : null
    body['latitude'] = target.position?.[0] ?? null
    body['longitude'] = target.position?.[1] ?? null
  }
  set(
    25,
    'checkIn',
    () => ({
      radiusMeters: chance(target.position === null ? 10 : 50) ? 1000 : null,
      shortCode: chance(40) ? pick(SHORT_CODES) : null,
      maxPerUser: random(4),
      opensAt: chance(20) ? someHour(-2, 3) : null,
      closesAt: chance(20) ? someHour(4, 12) : null,
    }),
    'checkInConfig',
  )
  if (isNew || chance(25)) {
    const closesAt = chance(70) ? someHour(3, 40) : null
    target.registration = chance(85) ? { capacity: random(4), waitlist: chance(60), closesAt } : null
    body['registration'] = target.registration && {
      ...target.registration,
      capacity: target.registration.capacity || null,
    }
  }
  const { startTime, endTime, visibility, org, position, checkIn } = target
  const isBad =
    endTime <= startTime ||
    (visibility === 'RESTRICTED' && org === undefined) ||
    (checkIn.radiusMeters !== null && position === null)
  return { body, isBad }
}

const newActivity = (org: Activity['org'], creatorId: number): Activity => ({
  id: 0,
  uuid: '',
  org,
  creatorId,
  name: '',
  startTime: 0,
  endTime: 0,
  visibility: 'INVITE_ONLY',
  status: 'DRAFT',
  endedAt: null,
  inviteCode: null,
  hasCheckIn: false,
  hasPass: false,
  position: null,
  checkIn: { radiusMeters: null, shortCode: null, maxPerUser: 1, opensAt: null, closesAt: null },
  registration: null,
  isDeleted: false,
  version: 1,
  updatedAt: 0,
  checkInContent: undefined,
  oldCodes: [],
  checkIns: [],
  passes: [],
  uses: [],
  registrations: [],
})

/** Learns the invite code from an answer, which must be a new one if it changed. */
function learnCode(activity: Activity, code: string | null, isNew: boolean): void {
  if (activity.inviteCode !== null && code !== activity.inviteCode) activity.oldCodes.push(activity.inviteCode)
  expect(code !== null, context()).toBe(activity.visibility === 'INVITE_ONLY')
  if (!isNew) expect(code, context()).toBe(activity.inviteCode)
  else if (code !== null) expect(activity.oldCodes, context()).not.toContain(code)
  activity.inviteCode = code
}

/** A code that someone could try, and whether it is the right one. */
function someCode(activity: Activity): { code: string | undefined; isRight: boolean } {
  const { inviteCode, oldCodes } = activity
  if (inviteCode === null) return { code: pick([undefined, 'ABCDEFGHJK']), isRight: false }
  if (chance(70)) return { code: pick([inviteCode, inviteCode.toLowerCase()]), isRight: true }
  return { code: pick([undefined, 'ABCDEFGHJK', ...oldCodes]), isRight: false }
}

export const activitySteps: Record<string, Step> = {
  async create(user) {
    if (living().length >= MAX_ACTIVITIES) return
    const org = chance(60) ? club : undefined
    if (org !== undefined && !holds(org, user.id, 'activity:create') && chance(70)) user = alice
    const activity = newActivity(org, user.id)
    const { body, isBad } = someFields(activity, true)
    const isAdmitted = org === undefined || holds(org, user.id, 'activity:create')
    const statuses = statusesOf(activity, isAdmitted ? 200 : 403, isBad)
    const reply = await user.post('/api/activities', { ...body, ...(org && { orgId: org.id }), status: 'ACTIVE' })
    if (!answered(`create ${user.username}`, reply, ...statuses)) return
    const { id, uuid, inviteCode, updatedAt } = reply.data
    const created = { ...activity, id, uuid, updatedAt }
    learnCode(created, inviteCode, true)
    activities.push(created)
    checkView(created, reply.data, user, false)
  },
  async edit(user, activity) {
    const { status, visibility } = activity
    const after = { ...activity }
    const { body, isBad } = someFields(after, false)
    if (Object.keys(body).length === 0) return
    const isFinal = status === 'ENDED' || status === 'CANCELLED'
    const losesPasses = !after.hasPass && activity.hasPass && activity.passes.some((pass) => isLive(pass, now()))
    const statuses = statusesOf(
      activity,
      admission(activity, user.id, 'activity:update'),
      isBad || isFinal || losesPasses,
    )
    const reply = await user.put(pathOf(activity), body)
    if (!answered(`edit ${user.username} ${activity.id} ${JSON.stringify(body)}`, reply, ...statuses))
      return verify(activity)
    const { name, startTime, endTime, hasCheckIn, hasPass, position, checkIn } = after
    const fields = { name, startTime, endTime, visibility: after.visibility, hasCheckIn, hasPass, position, checkIn }
    const changed = Object.entries({ ...fields, registration: after.registration }).filter(
      ([key, value]) => !Bun.deepEquals(value, activity[key as keyof Activity]),
    )
    Object.assign(activity, Object.fromEntries(changed))
    learnCode(activity, reply.data.inviteCode, visibility !== after.visibility)
    moveUp(activity, now())
    checkView(activity, reply.data, user, changed.length > 0)
  },
  async setStatus(user, activity) {
    const over = living().filter(({ status }) => status === 'ENDED' || status === 'CANCELLED')
    if (over.length > 0 && chance(40)) {
      activity = pick(over)
      user = someone(activity)
    }
    const to = activity.status === 'DRAFT' && chance(80) ? 'ACTIVE' : pick(STATUSES)
    if (activity.status === 'ACTIVE' && to !== 'ACTIVE' && !chance(isOver(activity) ? 50 : 10)) return
    const isBad = !mayBecome(activity.status, to)
    const statuses = statusesOf(activity, admission(activity, user.id, 'activity:publish'), isBad)
    const reply = await user.patch(pathOf(activity, '/status'), { status: to })
    const isDone = answered(`setStatus ${user.username} ${activity.id} ${to}`, reply, ...statuses)
    const isChanged = isDone && activity.status !== to
    if (isChanged && to !== 'ACTIVE') activity.endedAt = reply.data.updatedAt
    if (isDone) activity.status = to
    await verify(activity, isChanged)
  },
  async resetCode(user, activity) {
    const isBad = activity.visibility !== 'INVITE_ONLY'
    const statuses = statusesOf(activity, admission(activity, user.id, 'activity:update'), isBad)
    const reply = await user.patch(pathOf(activity, '/invite-code'))
    const isDone = answered(`resetCode ${user.username} ${activity.id}`, reply, ...statuses)
    if (isDone) learnCode(activity, reply.data.inviteCode, true)
    await verify(activity, isDone)
  },
  async delete(user, activity) {
    if (!chance(isOver(activity) ? 80 : 15)) return
    const statuses = statusesOf(activity, admission(activity, user.id, 'activity:delete'), activity.status === 'ACTIVE')
    const reply = await user.delete(pathOf(activity))
    if (answered(`delete ${user.username} ${activity.id}`, reply, ...statuses)) activity.isDeleted = true
    await verify(activity)
  },
  async look(user, activity) {
    const { code, isRight } = someCode(activity)
    const status = sight(activity, user.id, isRight)
    const reply = await user.get(pathOf(activity), code === undefined ? {} : { code })
    if (answered(`look ${user.username} ${activity.id} ${code}`, reply, status))
      checkView(activity, reply.data, user, false)
    const codes = await user.get(pathOf(activity, '/qr-code'), code === undefined ? {} : { code })
    if (!answered('qrCodes', codes, status)) return
    checkCodes(activity, user, codes.data)
  },
  async checkIn(_, activity) {
    const user = pick(people)
    const { code: inviteCode, isRight } = someCode(activity)
    const meters = chance(85) ? pick([0, 300, 990, 1030, 5000]) : undefined
    const accuracy = chance(40) ? pick([5, 45, 500]) : undefined
    const { shortCode: right } = activity.checkIn
    const shortCode = chance(70) && right !== null ? pick([right, right.toUpperCase()]) : pick([undefined, 'wrong1'])
    const hasScanned = activity.checkInContent !== undefined && chance(30)
    const body = {
      ...(meters !== undefined && { latitude: LAKE[0] + meters * DEGREES, longitude: LAKE[1] }),
      ...(accuracy !== undefined && { accuracy }),
      ...(shortCode !== undefined && { shortCode }),
      ...(inviteCode !== undefined && { inviteCode }),
      ...(hasScanned && { code: activity.checkInContent }),
    }
    const attempt = {
      hasScanned,
      ...(meters !== undefined && { meters }),
      ...(accuracy !== undefined && { accuracy }),
      ...(shortCode !== undefined && { shortCode }),
    }
    const method = checkInMethod(activity, user.id, attempt, now())
    const statuses = statusesOf(activity, sight(activity, user.id, isRight), method === undefined)
    const reply = await user.post(pathOf(activity, '/check-in'), body)
    if (!answered(`checkIn ${user.username} ${activity.id} ${JSON.stringify(body)}`, reply, ...statuses)) return
    const sequence = activity.checkIns.filter(({ userId }) => userId === user.id).length + 1
    const record = { userId: user.id, sequence, method: method! }
    const distance = activity.checkIn.radiusMeters === null ? null : meters!
    expect(
      { ...reply.data, distance: Math.abs((reply.data.distance ?? -99) - (distance ?? -99)) <= 1 },
      context(),
    ).toMatchObject({ ...record, activityId: activity.id, distance: true })
    activity.checkIns.push(record)
  },
  async register(_, activity) {
    const user = pick(people)
    const { code, isRight } = someCode(activity)
    const { registrations, registration } = activity
    const own = registrations.find(({ userId }) => userId === user.id)
    const isIn = own !== undefined && own.status !== 'CANCELLED'
    const isFull = registration !== null && !isIn && !hasPlace(activity) && !registration.waitlist
    // A registered user may ask again at any time.
    const isBad = !isIn && (registration === null || isFull || !isRegistrationOpen(activity, now()))
    const statuses = statusesOf(activity, sight(activity, user.id, isRight), isBad)
    const reply = await user.post(pathOf(activity, '/registration'), code === undefined ? {} : { inviteCode: code })
    if (!answered(`register ${user.username} ${activity.id}`, reply, ...statuses)) return
    const queue = trace.length
    const entry = own ?? { userId: user.id, status: 'CANCELLED' as const, queue }
    if (own === undefined) registrations.push(entry)
    if (entry.status === 'CANCELLED')
      Object.assign(entry, { queue, status: hasPlace(activity) ? 'CONFIRMED' : 'WAITING' })
    expect(reply.data, context()).toMatchObject(registrationView(activity, entry))
  },
  async unregister(_, activity) {
    const withWaiting = living().filter(({ registrations }) => registrations.some(({ status }) => status === 'WAITING'))
    if (withWaiting.length > 0 && chance(60)) activity = pick(withWaiting)
    const own = pick(activity.registrations)
    if (own === undefined || !chance(60)) return
    const user = byId(own.userId)
    const { isDeleted, status } = activity
    const isBad = own.status !== 'CANCELLED' && status !== 'ACTIVE'
    const reply = await user.delete(pathOf(activity, '/registration'))
    const statuses = statusesOf(activity, isDeleted ? 404 : 200, isBad)
    if (!answered(`unregister ${user.username} ${activity.id}`, reply, ...statuses)) return
    if (own.status !== 'CANCELLED') {
      own.status = 'CANCELLED'
      moveUp(activity, now())
    }
    expect(reply.data, context()).toMatchObject(registrationView(activity, own))
  },
  async changeMembers() {
    if (!chance(40) || club.isDisabled) return
    const user = pick(people.filter((each) => each !== alice && each !== eve))
    const role = pick<Role | undefined>(['ADMIN', 'MEMBER', 'GUEST', 'GATE', undefined])
    trace.push(`changeMembers ${user.username} ${role}`)
    if (role === undefined) {
      if (!club.roles.delete(user.id)) return
      ok(await leave(user, club))
      // Registrations for activities that are over stay.
      const left = living().filter(({ visibility, status }) => visibility === 'RESTRICTED' && status === 'ACTIVE')
      for (const activity of left) {
        const own = activity.registrations.find(({ userId }) => userId === user.id)
        if (own === undefined || own.status === 'CANCELLED') continue
        own.status = 'CANCELLED'
        moveUp(activity, now())
      }
    } else {
      if (!club.roles.has(user.id)) await addMembers(alice, club, user)
      await setRole(alice, club, user, role)
      club.roles.set(user.id, role)
    }
  },
  async disable() {
    if (!inProcess || !chance(club.isDisabled ? 100 : 15)) return
    club.isDisabled = !club.isDisabled
    trace.push(`disable ${club.isDisabled}`)
    const status = club.isDisabled ? 'DISABLED' : 'ACTIVE'
    await server.ctx.db.write('test.disable', (tx) => setOrgStatus(server.ctx, tx, club.id, status))
  },
  async runJobs() {
    if (!inProcess || !chance(30)) return
    trace.push('runJobs')
    for (const { run } of activitiesDomain.jobs) await run(server.ctx)
    for (const activity of living()) moveUp(activity, now())
  },
  async wait() {
    const minutes = random(100)
    trace.push(`wait ${minutes}`)
    await advance(minutes * MINUTE)
  },
}

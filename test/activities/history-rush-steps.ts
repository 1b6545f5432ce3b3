/** Steps of a random history in which several requests arrive at once: the outcome must be one of those of any order. */

import { expect } from 'bun:test'

import { race, type Reply } from '../harness/index.ts'
import {
  admission,
  checkInMethod,
  hasPlace,
  isRegistrationOpen,
  passStatus,
  refusal,
  sight,
  spend,
} from './history-model.ts'
import {
  answered,
  context,
  LAKE,
  now,
  pathOf,
  people,
  pick,
  random,
  registrationView,
  someone,
  statusesOf,
  type Step,
  trace,
} from './history-world.ts'

const HOW_MANY = [2, 3, 5]
const sorted = (texts: (string | null)[]) => texts.map(String).toSorted()

/** Whether all requests were admitted. Otherwise each must have been refused. */
function allAnswered(name: string, replies: Reply[], statuses: number[]): boolean {
  return replies.map((reply) => answered(name, reply, ...statuses)).every(Boolean)
}

export const rushSteps: Record<string, Step> = {
  async redeemAtOnce(_, activity) {
    const pass = pick(activity.passes.filter((each) => passStatus(each, now()) === 'ISSUED'))
    if (pass === undefined) return
    const user = someone(activity, 'pass:verify')
    const body = { content: pass.content, redeem: true }
    const replies = await race(pick(HOW_MANY), () => user.post(pathOf(activity, '/pass/verify'), body))
    const statuses = statusesOf(activity, admission(activity, user.id, 'pass:verify'), false)
    if (!allAnswered(`redeemAtOnce ${user.username} ${activity.id} ${pass.id}`, replies, statuses)) return
    const reasons = replies.map(() => {
      const reason = refusal(pass, activity, 'ENTRY', now())
      if (reason === null) spend(pass, 'ENTRY')
      const result = reason === null ? 'ACCEPTED' : 'REFUSED'
      activity.uses.push({ pass, nonce: null, direction: 'ENTRY', result, reason })
      return reason
    })
    expect(sorted(replies.map(({ data }) => data.reason)), context()).toEqual(sorted(reasons))
  },
  async checkInAtOnce(_, activity) {
    const user = pick(people)
    const { shortCode } = activity.checkIn
    const hasCode = activity.inviteCode !== null
    const body = {
      latitude: LAKE[0],
      longitude: LAKE[1],
      ...(shortCode !== null && { shortCode }),
      ...(hasCode && { inviteCode: activity.inviteCode }),
    }
    const replies = await race(pick(HOW_MANY), () => user.post(pathOf(activity, '/check-in'), body))
    const attempt = { meters: 0, hasScanned: false, ...(shortCode !== null && { shortCode }) }
    const expected = replies.map(() => {
      const method = checkInMethod(activity, user.id, attempt, now())
      const [status] = statusesOf(activity, sight(activity, user.id, hasCode), method === undefined)
      const sequence = activity.checkIns.filter(({ userId }) => userId === user.id).length + 1
      if (status === 200) activity.checkIns.push({ userId: user.id, sequence, method: method! })
      return status === 200 ? `200 ${sequence} ${method}` : '4'
    })
    trace.push(`checkInAtOnce ${user.username} ${activity.id} ${expected.join()}`)
    const outcomes = replies.map(({ status, data }) =>
      status === 200 ? `200 ${data.sequence} ${data.method}` : `${status}`.slice(0, 1),
    )
    expect(sorted(outcomes), context()).toEqual(sorted(expected))
  },
  async registerAtOnce(_, activity) {
    const { registrations, registration, inviteCode } = activity
    const isIn = (userId: number) => registrations.some((each) => each.userId === userId && each.status !== 'CANCELLED')
    const users = people.filter((user) => !isIn(user.id) && sight(activity, user.id, inviteCode !== null) === 200)
    if (users.length < 2 || registration === null || !isRegistrationOpen(activity, now())) return
    const body = inviteCode === null ? {} : { inviteCode }
    const replies = await Promise.all(users.map((user) => user.post(pathOf(activity, '/registration'), body)))
    const statuses = statusesOf(activity, 200, false)
    if (!statuses.includes(200)) return void allAnswered(`registerAtOnce ${activity.id}`, replies, statuses)
    // Registers them in the order that the positions tell.
    const waitsAt = (reply: Reply): number =>
      reply.status === 200 ? (reply.data.position ?? 0) : Number.MAX_SAFE_INTEGER
    const inOrder = users
      .map((user, i) => ({ user, reply: replies[i]! }))
      .toSorted((a, b) => waitsAt(a.reply) - waitsAt(b.reply))
    for (const { user, reply } of inOrder) {
      const isRefused = !hasPlace(activity) && !registration.waitlist
      const name = `registerAtOnce ${user.username} ${activity.id}`
      if (!answered(name, reply, isRefused ? 400 : 200)) continue
      const known = registrations.find(({ userId }) => userId === user.id)
      const entry = known ?? { userId: user.id, status: 'CANCELLED' as const, queue: 0 }
      if (known === undefined) registrations.push(entry)
      Object.assign(entry, { queue: trace.length, status: hasPlace(activity) ? 'CONFIRMED' : 'WAITING' })
      expect(reply.data, context()).toMatchObject(registrationView(activity, entry))
    }
  },
  /** The same nonce at once: one of the tries counts. */
  async repeatAtOnce(_, activity) {
    const pass = pick(activity.passes)
    if (pass === undefined) return
    const user = someone(activity, 'pass:verify')
    const nonce = `repeated-${random(1e9)}`
    const body = { passUuid: pass.uuid, redeem: true, nonce }
    const replies = await race(pick(HOW_MANY), () => user.post(pathOf(activity, '/pass/verify'), body))
    const statuses = statusesOf(activity, admission(activity, user.id, 'pass:verify'), false)
    if (!allAnswered(`repeatAtOnce ${user.username} ${activity.id} ${pass.id}`, replies, statuses)) return
    const reason = refusal(pass, activity, 'ENTRY', now())
    if (reason === null) spend(pass, 'ENTRY')
    const result = reason === null ? 'ACCEPTED' : 'REFUSED'
    activity.uses.push({ pass, nonce, direction: 'ENTRY', result, reason })
    expect(new Set(replies.map(({ data }) => `${data.use.id} ${data.reason}`)).size, context()).toBe(1)
    expect(replies[0]!.data.reason, context()).toBe(reason)
  },
}

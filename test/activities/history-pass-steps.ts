/** Steps of a random history: passes, and gates with and without a connection. */

import { expect } from 'bun:test'

import type { Direction } from '#db/schema/passes.ts'
import { MINUTE } from '#platform/clock.ts'

import { type Person } from '../harness/index.ts'
import { type Activity, admission, isLatest, isLive, type Pass, refusal, spend } from './history-model.ts'
import {
  answered,
  chance,
  context,
  now,
  passes,
  passView,
  pathOf,
  people,
  pick,
  random,
  server,
  someHour,
  someone,
  statusesOf,
  type Step,
} from './history-world.ts'

export const passSteps: Record<string, Step> = {
  async issue(user, activity) {
    if (passes().length > 300 && chance(80)) return
    const users = people.filter(() => chance(25))
    const guests = Array.from({ length: random(3) }, (_, i) => `Guest ${i}`)
    const holders = [...users.map(({ id }) => ({ userId: id })), ...guests.map((name) => ({ name }))]
    if (chance(5) && users.length > 0) holders.push({ userId: users[0]!.id })
    if (chance(5)) holders.push({ userId: 999_999_999 })
    if (holders.length === 0) return
    const validFrom = chance(25) ? someHour(-2, 3) : null
    const validTo = chance(50) || activity.endTime <= now() ? someHour(3, 20) : null
    const maxUses = chance(70) ? random(4) : null
    const body = {
      holders,
      ...(validFrom !== null && { validFrom }),
      ...(validTo !== null && { validTo }),
      ...(maxUses !== null && { maxUses }),
    }
    const isFinal = activity.status === 'ENDED' || activity.status === 'CANCELLED'
    const ids = holders.flatMap((holder) => ('userId' in holder ? [holder.userId] : []))
    const hasLive = (id: number) => activity.passes.some((pass) => pass.holderId === id && isLive(pass, now()))
    const isBad =
      !activity.hasPass ||
      isFinal ||
      new Set(ids).size < ids.length ||
      ids.some((id) => id === 999_999_999 || hasLive(id)) ||
      (validFrom !== null && (validTo ?? activity.endTime) < validFrom)
    const statuses = statusesOf(activity, admission(activity, user.id, 'pass:issue'), isBad)
    const reply = await user.post(pathOf(activity, '/pass/issue'), body)
    if (!answered(`issue ${user.username} ${activity.id} ${JSON.stringify(body)}`, reply, ...statuses)) return
    const { items } = reply.data
    // Expired passes of these users stop following the activity, and get a code with their end.
    for (const pass of activity.passes) {
      if (pass.ownEnd !== null || pass.revokedAt !== null || now() <= pass.validTo || !ids.includes(pass.holderId ?? 0))
        continue
      pass.ownEnd = activity.endTime
      pass.content = (await user.get(`/api/passes/${pass.id}`)).data.qrContent
    }
    for (const [i, holder] of holders.entries()) {
      const holderId = 'userId' in holder ? holder.userId : null
      const { id, uuid, qrContent, holderName } = items[i]
      const pass: Pass = {
        id,
        uuid,
        content: qrContent,
        activity,
        holderId,
        holderName: 'name' in holder ? holder.name : holderName,
        validFrom,
        ownEnd: validTo,
        get validTo() {
          return this.ownEnd ?? activity.endTime
        },
        maxUses: maxUses ?? 1,
        used: 0,
        isInside: false,
        revokedAt: null,
      }
      activity.passes.push(pass)
      expect(items[i], context()).toMatchObject(passView(pass))
    }
    expect(items.length, context()).toBe(holders.length)
  },
  async verifyPass(_, activity) {
    const pass = pick(chance(80) && activity.passes.length > 0 ? activity.passes : passes())
    if (pass === undefined) return
    const isForged = chance(10)
    const content = isForged ? forge(pass.content) : pass.content
    const body = isForged || chance(60) ? { content } : { passUuid: pass.uuid }
    const reply = await server.request('POST', pathOf(activity, '/pass/verify'), { body })
    const isStrange = isForged || pass.activity !== activity
    // Only people with a pass of it know of a draft.
    const isHidden = activity.isDeleted || (activity.status === 'DRAFT' && isStrange)
    if (!answered(`verifyPass ${activity.id} ${JSON.stringify(body)}`, reply, isHidden ? 404 : 200)) return
    const direction = 'ENTRY'
    if (isForged) {
      const { reason } = reply.data
      expect(['FORGED', 'MALFORMED'], context()).toContain(reason)
      activity.uses.push({ pass: undefined, nonce: null, direction, result: 'REFUSED', reason })
      return
    }
    const reason = refusal(pass, activity, direction, now())
    expect([reply.data.valid, reply.data.reason], context()).toEqual([reason === null, reason])
    if (reason !== null) activity.uses.push({ pass, nonce: null, direction, result: 'REFUSED', reason })
    if (isStrange) return void expect(reply.data.pass, context()).toBeNull()
    const { uuid, holderName, status, validFrom, validTo } = passView(pass)
    const masked = `${[...holderName][0]}**`
    expect(reply.data.pass, context()).toEqual({ uuid, holderName: masked, status, validFrom, validTo })
  },
  async redeem(_, activity) {
    const user = someone(activity, 'pass:verify')
    const used = chance(60) ? activity.passes.filter((each) => each.used > 0) : []
    const candidates = used.length > 0 ? used : activity.passes
    const pass = pick(chance(90) && candidates.length > 0 ? candidates : passes())
    if (pass === undefined) return
    const direction: Direction = chance(pass.isInside ? 50 : 10) ? 'EXIT' : 'ENTRY'
    const earlier = activity.uses.filter((use) => use.nonce !== null)
    const again = earlier.length > 0 && chance(20) ? pick(earlier) : undefined
    const nonce = again?.nonce ?? (chance(70) ? `nonce-${random(60)}`.padEnd(8, 'x') : null)
    const shown = (chance(80) ? again?.pass : undefined) ?? pass
    const body = {
      ...(chance(50) ? { content: shown.content } : { passUuid: shown.uuid }),
      redeem: true,
      direction,
      ...(nonce !== null && { nonce }),
    }
    await redeemOne(user, activity, shown, body, direction, nonce)
  },
  async undo(_, activity) {
    const use = pick(activity.uses.filter(({ record }) => record !== undefined).slice(-5))
    if (use === undefined) return
    const user = someone(activity, 'pass:verify')
    const isBad = use.result === 'REFUSED' || (!use.isUndone && !isLatest(use, activity))
    const statuses = statusesOf(activity, admission(activity, user.id, 'pass:verify'), isBad)
    const { id, before } = use.record!
    const reply = await user.post(pathOf(activity, `/pass/records/${id}/undo`), {})
    if (!answered(`undo ${user.username} ${activity.id} ${id}`, reply, ...statuses)) return
    expect(reply.data, context()).toMatchObject({ id, result: 'ACCEPTED', direction: use.direction, nonce: use.nonce })
    expect(reply.data.undoneAt, context()).toBeNumber()
    if (!use.isUndone) Object.assign(use.pass!, before)
    use.isUndone = true
  },
  async revoke(user, activity) {
    const pass = pick(activity.passes)
    if (pass === undefined || !chance(40)) return
    user = someone(activity, 'pass:revoke')
    const admitted = admission(activity, user.id, 'pass:revoke')
    const status = admitted === 200 || activity.isDeleted ? admitted : pass.holderId === user.id ? 403 : 404
    const reply = await user.put(`/api/passes/${pass.id}/revoke`, { reason: 'lost' })
    if (!answered(`revoke ${user.username} ${pass.id}`, reply, ...statusesOf(activity, status, false))) return
    pass.revokedAt = reply.data.revokedAt
    expect(reply.data, context()).toMatchObject(passView(pass))
  },
  async redeemOffline(_, activity) {
    const user = someone(activity, 'pass:verify')
    const known = activity.uses.filter((use) => use.nonce !== null && use.pass !== undefined)
    const shown = (): { pass: Pass; nonce: string } | undefined => {
      const again = known.length > 0 && chance(20) ? pick(known) : undefined
      const pass = pick(chance(95) ? activity.passes : passes())
      if (again !== undefined && chance(90)) return { pass: again.pass!, nonce: again.nonce! }
      return pass && { pass, nonce: again?.nonce ?? `offline-${random(60)}` }
    }
    const items = Array.from({ length: 1 + random(5) }, shown).filter((each) => each !== undefined)
    if (items.length === 0) return
    // Each is later than the uses before, on the clock of the server too.
    await Bun.sleep(items.length + 2)
    const present = now()
    const uploads = items.map(({ pass, nonce }, i) => {
      const isFirst = pass.used === 0 && items.findIndex((each) => each.pass === pass) === i
      const usedAt = isFirst && chance(50) ? present - random(180) * MINUTE : present - items.length + i
      const direction: Direction = chance(25) ? 'EXIT' : 'ENTRY'
      return { pass, nonce, usedAt, direction, code: chance(50) ? { content: pass.content } : { passUuid: pass.uuid } }
    })
    const nonces = new Map(activity.uses.map((use) => [use.nonce, use.pass]))
    let isBad = false
    for (const { nonce, pass } of uploads) {
      isBad ||= nonces.has(nonce) && nonces.get(nonce) !== pass
      nonces.set(nonce, pass)
    }
    const statuses = statusesOf(activity, admission(activity, user.id, 'pass:verify'), isBad)
    const body = { items: uploads.map(({ nonce, usedAt, direction, code }) => ({ ...code, nonce, usedAt, direction })) }
    const reply = await user.post(pathOf(activity, '/pass/redemptions'), body)
    if (!answered(`redeemOffline ${user.username} ${activity.id} ${JSON.stringify(body)}`, reply, ...statuses)) return
    const expected = uploads.map((each) => redeemLater(activity, each))
    const outcomes = reply.data.items.map(
      ({ result, reason }: { result: string; reason: string | null }) => `${result} ${reason}`,
    )
    expect(outcomes, context()).toEqual(expected)
  },
}

/** The outcome of an uploaded redemption, and its effect on the model. */
function redeemLater(
  activity: Activity,
  { pass, nonce, usedAt, direction }: { pass: Pass; nonce: string; usedAt: number; direction: Direction },
): string {
  const earlier = activity.uses.find((use) => use.nonce === nonce)
  if (earlier !== undefined) return `DUPLICATE ${earlier.reason}`
  // The gate could not know of a later revocation or of the end of the activity.
  const isActive = activity.status === 'ACTIVE' || (activity.endedAt !== null && usedAt < activity.endedAt)
  const isRevokedLater = pass.revokedAt !== null && pass.revokedAt > usedAt
  const reason = refusal(isRevokedLater ? { ...pass, revokedAt: null } : pass, activity, direction, usedAt, isActive)
  if (reason === null) spend(pass, direction)
  activity.uses.push({ pass, nonce, direction, result: reason === null ? 'ACCEPTED' : 'REFUSED', reason })
  if (reason === null) return 'ACCEPTED null'
  return reason === 'USED' && direction === 'ENTRY' ? 'DOUBLE_USE USED' : `REFUSED ${reason}`
}

/** One redemption, and its effect on the model. */
async function redeemOne(
  user: Person,
  activity: Activity,
  pass: Pass,
  body: object,
  direction: Direction,
  nonce: string | null,
): Promise<void> {
  const earlier = nonce === null ? undefined : activity.uses.find((use) => use.nonce === nonce)
  const statuses = statusesOf(
    activity,
    admission(activity, user.id, 'pass:verify'),
    earlier !== undefined && earlier.pass !== pass,
  )
  const reply = await user.post(pathOf(activity, '/pass/verify'), body)
  if (!answered(`redeem ${user.username} ${activity.id} ${JSON.stringify(body)}`, reply, ...statuses)) return
  const { valid, reason, use } = reply.data
  if (earlier !== undefined) {
    expect([valid, reason, use.nonce], context()).toEqual([earlier.result === 'ACCEPTED', earlier.reason, nonce])
    expect(reply.data.undone, context()).toBe(earlier.isUndone === true)
    return
  }
  const expected = refusal(pass, activity, direction, now())
  expect([valid, reason], context()).toEqual([expected === null, expected])
  const record = { id: use.id, before: { used: pass.used, isInside: pass.isInside } }
  if (expected === null) spend(pass, direction)
  const result = expected === null ? 'ACCEPTED' : 'REFUSED'
  activity.uses.push({ pass, nonce, direction, result, reason: expected, record })
  expect(use, context()).toMatchObject({
    result,
    reason: expected,
    direction,
    nonce,
    offline: false,
    verifierUserId: user.id,
  })
  if (pass.activity === activity) expect(reply.data.pass, context()).toMatchObject(passView(pass))
}

/** A token with one other character, which is either malformed or signs something else. */
function forge(content: string): string {
  const at = content.length - 1 - random(120)
  return `${content.slice(0, at)}${content[at] === 'A' ? 'B' : 'A'}${content.slice(at + 1)}`
}

/** Check-ins and redemptions of one activity that reach several processes at the same time. */

import { describe, expect, test } from 'bun:test'

import { SQL } from 'bun'

import { openActivity } from '../activities/check-in-helpers.ts'
import { issueOne, revoke } from '../activities/gate-helpers.ts'
import { setStatus } from '../activities/helpers.ts'
import { guests, issued } from '../activities/pass-helpers.ts'
import { ok, type Person, race, type Reply, type TestServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

/** Counts that an activity keeps, beside those of its rows. */
const COUNTS = `SELECT check_ins::int AS "checkIns", (SELECT count(*)::int FROM check_ins WHERE activity_id = activities.id) AS "checkInRows",
    (SELECT sum(count)::int FROM check_in_users WHERE activity_id = activities.id) AS "ofUsers",
    (SELECT sum(count)::int FROM check_in_slots WHERE activity_id = activities.id) AS "ofSlots",
    checked_in_users::int AS users, (SELECT count(DISTINCT user_id)::int FROM check_ins WHERE activity_id = activities.id) AS "userRows",
    pass_uses::int AS uses, (SELECT sum(used_count)::int FROM passes WHERE activity_id = activities.id) AS "ofPasses",
    (SELECT count(*)::int FROM pass_uses WHERE activity_id = activities.id AND result = 'ACCEPTED' AND direction = 'ENTRY') AS "useRows"
  FROM activity_counters INNER JOIN activities ON activities.id = activity_id WHERE activities.id = `

const checkIn = (at: TestServer, person: Person, id: number, headers = {}) =>
  sendTo(at, person, 'POST', `/api/activities/${id}/check-in`, { body: {}, headers })

const redeem = (at: TestServer, gate: Person, id: number, content: string, nonce?: string) =>
  sendTo(at, gate, 'POST', `/api/activities/${id}/pass/verify`, { body: { content, redeem: true, nonce } })

/** How many of the answers are valid, and how many have each reason. */
const verdicts = (replies: readonly Reply[]) =>
  Object.fromEntries(
    Map.groupBy(replies, (reply) => ok(reply).data.reason ?? 'valid')
      .entries()
      .map(([verdict, all]) => [verdict, all.length]),
  )

describe.if(onPostgres)('at three processes at once', () => {
  test('the last uses of a pass are accepted once, and a nonce counts once', async () => {
    await withServers(3, async ({ servers }) => {
      const [first] = servers
      const ann = await first!.person()
      const { id } = await openActivity(first!, ann, { hasPass: true })
      const limited = await issueOne(ann, id, { maxUses: 7 })
      const replies = await race(60, (i) => redeem(servers[i % 3]!, ann, id, limited.qrContent!, `nonce-of-try-${i}`))
      expect(verdicts(replies)).toEqual({ valid: 7, USED: 53 })
      const any = await issueOne(ann, id, { maxUses: 0 })
      const same = await race(30, (i) => redeem(servers[i % 3]!, ann, id, any.qrContent!, 'nonce-of-all'))
      expect(verdicts(same)).toEqual({ valid: 30 })
      expect(new Set(same.map(({ data }) => data.use.id)).size).toBe(1)
      for (const server of servers)
        expect(ok(await sendTo(server, ann, 'GET', `/api/activities/${id}`)).data.stats.passUses).toBe(8)
    })
  })

  test('users check in as often as the activity allows, with numbers in order, and a key of a request counts once', async () => {
    await withServers(3, async ({ servers }) => {
      const [first] = servers
      const people = await Promise.all(Array.from({ length: 4 }, () => first!.person()))
      const { id } = await openActivity(first!, people[0]!, { checkInConfig: { maxPerUser: 3 } })
      const replies = await race(60, (i) => checkIn(servers[i % 3]!, people[i % 4]!, id))
      expect(replies.filter(({ status }) => status === 400)).toHaveLength(48)
      const taken = replies.flatMap(({ status, data }) => (status === 200 ? [`${data.userId} ${data.sequence}`] : []))
      expect(taken.toSorted()).toEqual(people.flatMap((one) => [1, 2, 3].map((n) => `${one.id} ${n}`)).toSorted())
      const late = await first!.person()
      const key = { 'idempotency-key': 'the-same-arrival' }
      const same = await race(15, (i) => checkIn(servers[i % 3]!, late, id, key))
      // 409: the first one is still running.
      expect(new Set(same.map(({ status }) => status)).difference(new Set([200, 409])).size).toBe(0)
      const { id: recordId } = ok(await checkIn(first!, late, id, key)).data
      for (const { status, data } of same) if (status === 200) expect(data.id).toBe(recordId)
      const path = `/api/activities/${id}/check-in/records`
      expect(ok(await sendTo(first!, late, 'GET', path)).data.total).toBe(1)
    })
  })

  test('check-ins and redemptions leave counts that equal their rows, and none is accepted after the answer to a revocation or the end', async () => {
    await withServers(3, async ({ servers, config }) => {
      const [first, second] = servers
      const people = await Promise.all(Array.from({ length: 6 }, () => first!.person()))
      const host = people[0]!
      const { id } = await openActivity(first!, host, { hasPass: true, checkInConfig: { maxPerUser: 0 } })
      const [lost, ...passes] = await issued(host, id, { holders: guests(5), maxUses: 0 })
      const step = (i: number) => {
        const server = servers[i % 3]!
        if (i % 3 === 0) return checkIn(server, people[i % 6]!, id)
        if (i % 5 === 0) return redeem(server, host, id, lost!.qrContent!)
        return redeem(server, host, id, passes[i % 4]!.qrContent!)
      }
      const running = race(90, step)
      await revoke(host, lost!.id)
      const late = await race(9, (i) => redeem(servers[i % 3]!, host, id, lost!.qrContent!))
      expect(verdicts(late)).toEqual({ REVOKED: 9 })
      for (const reply of await running) ok(reply)
      const more = race(90, step)
      await setStatus(host, id, 'ENDED')
      const after = await race(9, (i) => redeem(second!, host, id, passes[i % 4]!.qrContent!))
      expect(verdicts(after)).toEqual({ ACTIVITY_NOT_ACTIVE: 9 })
      for (const reply of await race(9, (i) => checkIn(servers[i % 3]!, people[i % 6]!, id)))
        expect(reply.message).toBe('This activity has ended')
      await more
      await using sql = new SQL({ url: config.databaseUrl!, max: 1 })
      const [counts] = await sql.unsafe(COUNTS + id)
      const { checkIns, users, uses } = counts
      expect(counts).toEqual({
        checkIns,
        checkInRows: checkIns,
        ofUsers: checkIns,
        ofSlots: checkIns,
        users,
        userRows: users,
        uses,
        ofPasses: uses,
        useRows: uses,
      })
      expect(checkIns).toBeGreaterThan(29)
      expect(uses).toBeGreaterThan(29)
    })
  })
})

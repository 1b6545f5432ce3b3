/** Scans that reach several processes at the same time. */

import { describe, expect, test } from 'bun:test'

import { SQL } from 'bun'

import { setSetting } from '#domains/settings/index.ts'

import { ok, race } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('at three processes at once', () => {
  test('scans are recorded as far as the budget goes, and count once for each session and code', async () => {
    await withServers(
      3,
      async ({ servers, config }) => {
        const [first] = servers
        const people = await Promise.all(Array.from({ length: 4 }, () => first!.person()))
        await first!.ctx.db.write('test.budget', (tx) => setSetting(tx, 'budget.pushedRecordsPerUser', 9))
        const codes: { readonly id: number; readonly publicUrl: string }[] = []
        for (const name of ['one', 'two', 'three']) {
          const body = { name, content: name, isPublic: true }
          codes.push(ok(await sendTo(first!, people[0]!, 'POST', '/api/qr-codes', { body })).data)
        }
        const scan = (i: number) => {
          const body = { content: codes[i % 3]!.publicUrl }
          return sendTo(servers[Math.floor(i / 4) % 3]!, people[i % 4]!, 'POST', '/api/scan-records', { body })
        }
        // The first scan of a user makes the rows that the others then change together.
        for (let i = 0; i < 4; i++) ok(await scan(i))
        const replies = await race(96, (i) => scan(i))
        expect(replies.filter(({ status }) => status === 200)).toHaveLength(4 * 8)
        for (const { status } of replies) expect([200, 429]).toContain(status)
        const path = '/api/scan-records'
        for (const person of people) expect(ok(await sendTo(servers[2]!, person, 'GET', path)).data.total).toBe(9)
        await using sql = new SQL({ url: config.databaseUrl!, max: 1 })
        const rows =
          await sql.unsafe(`SELECT scan_count::int AS kept, (SELECT sum(scans)::int FROM qr_code_scans WHERE qr_code_id = id) AS "ofDays",
            (SELECT count(DISTINCT user_id)::int FROM scan_records WHERE qr_code_id = qr_codes.id) AS sessions FROM qr_codes ORDER BY id`)
        for (const { kept, ofDays, sessions } of rows) expect([kept, ofDays]).toEqual([sessions, sessions])
      },
      { rateLimit: true },
    )
  })

  test('a code that is deleted permanently while it is scanned is in no record', async () => {
    await withServers(3, async ({ servers, config }) => {
      const [first, second] = servers
      const people = await Promise.all(Array.from({ length: 4 }, () => first!.person()))
      for (const [i, person] of people.entries())
        ok(await sendTo(servers[i % 3]!, person, 'POST', '/api/scan-records', { body: { content: 'the first' } }))
      for (let round = 0; round < 8; round++) {
        const body = { name: 'code', content: `round ${round}`, isPublic: true }
        const { id, publicUrl } = ok(await sendTo(first!, people[0]!, 'POST', '/api/qr-codes', { body })).data
        const content = { content: publicUrl }
        const scanning = race(24, (i) =>
          sendTo(servers[i % 3]!, people[i % 4]!, 'POST', '/api/scan-records', { body: content }),
        )
        ok(await sendTo(second!, people[0]!, 'DELETE', `/api/qr-codes/${id}`))
        ok(await sendTo(first!, people[0]!, 'DELETE', `/api/qr-codes/trash/${id}`))
        for (const reply of await scanning) ok(reply)
      }
      await using sql = new SQL({ url: config.databaseUrl!, max: 1 })
      expect(await sql.unsafe('SELECT id, qr_code_id FROM scan_records WHERE qr_code_id IS NOT NULL')).toEqual([])
      const [all] = await sql.unsafe('SELECT count(*)::int AS n FROM scan_records')
      expect(all.n).toBe(4 + 8 * 24)
    })
  })
})

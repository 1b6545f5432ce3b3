/** Scans of short links that several processes count at the same time. */

import { describe, expect, test } from 'bun:test'

import { SQL } from 'bun'

import { countScan, flushScans } from '#domains/qr-codes/codes/scan-counter.ts'

import { ok } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const DEVICES = ['ANDROID', 'IOS', 'WINDOWS'] as const

describe.if(onPostgres)('at three processes at once', () => {
  test('each visitor of a day is counted once, and each scan once in every breakdown', async () => {
    await withServers(3, async ({ servers, config }) => {
      const [first] = servers
      const person = await first!.person()
      const ids: number[] = []
      for (const name of ['one', 'two']) {
        const body = { name, content: 'https://example.org' }
        ids.push(ok(await sendTo(first!, person, 'POST', '/api/qr-codes', { body })).data.id)
      }
      for (let round = 0; round < 5; round++) {
        for (const [s, { ctx }] of servers.entries())
          for (let i = 0; i < 40; i++) {
            const visit = {
              isRobot: false,
              isOptedOut: false,
              ip: `203.0.113.${i % 20}`,
              userAgent: '',
              device: DEVICES[s]!,
              language: `${'abcdefghij'[round]}${'abcdefghij'[i % 10]}`,
              country: null,
              referrer: `${s}-${round}-${i}.example`,
              rule: null,
            }
            // Odd addresses visit with the same device at every process.
            countScan(ctx, ids[0]!, { ...visit, device: i % 2 === 0 ? visit.device : 'MACOS' })
            countScan(ctx, ids[1]!, { ...visit, isRobot: true })
          }
        await Promise.all(servers.map(({ ctx }) => flushScans(ctx)))
      }
      const read = async (id: number) => ok(await sendTo(servers[2]!, person, 'GET', `/api/qr-codes/${id}/stats`)).data
      const [people, robots] = [await read(ids[0]!), await read(ids[1]!)]
      const scans = 5 * 3 * 40
      expect([people.total, people.robots, robots.total, robots.robots]).toEqual([scans, 0, 0, scans])
      // Ten odd addresses with one device each, and ten even ones with three.
      expect(people.visitors).toBe(10 + 10 * 3)
      for (const name of ['byDay', 'byHour', 'byDevice', 'byLanguage', 'byCountry', 'byReferrer', 'byRule'])
        expect([name, people[name].reduce((n: number, row: { count: number }) => n + row.count, 0)]).toEqual([
          name,
          scans,
        ])
      expect(people.byReferrer).toHaveLength(50)
      await using sql = new SQL({ url: config.databaseUrl!, max: 1 })
      expect(await sql.unsafe('SELECT count(*)::int AS n FROM qr_scan_salts')).toEqual([{ n: 1 }])
    })
  })
})

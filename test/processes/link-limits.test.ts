/** Limits of short links while several processes lead scans. */

import { describe, expect, test } from 'bun:test'

import { ok, race } from '../harness/index.ts'
import { createLink, pathOf, scan } from '../qr-codes/link-helpers.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('with two processes', () => {
  test('a link gives its target to exactly 100 of 200 scans at once, and a rule to exactly 30', async () => {
    await withServers(2, async ({ servers }) => {
      const [first, second] = servers
      const person = await first!.person()
      const code = await createLink(person)
      const first30 = { target: 'https://example.com/first', firstScans: 30 }
      const path = `/api/qr-codes/${code.id}/link`
      ok(await sendTo(first!, person, 'PUT', path, { body: { maxScans: 100, rules: [first30] } }))
      const replies = await race(200, (i) => scan(i % 2 === 0 ? first! : second!, pathOf(code)))
      expect(replies.filter(({ status }) => status === 302)).toHaveLength(100)
      expect(replies.filter(({ status }) => status === 410)).toHaveLength(100)
      expect(replies.filter(({ headers }) => headers.get('location') === first30.target)).toHaveLength(30)
      expect(ok(await sendTo(second!, person, 'GET', path)).data.scansLeft).toBe(0)
    })
  })
})

/** Series of activities that several processes add at once. */

import { describe, expect, test } from 'bun:test'

import { openActivity } from '../activities/check-in-helpers.ts'
import { ok, race, type TestServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('with two processes', () => {
  test('series at both at once add as many activities as the quota allows, each series whole', async () => {
    await withServers(2, async ({ servers }) => {
      const [first] = servers as [TestServer, TestServer]
      const owner = await first.person()
      const admin = await first.admin()
      const { id } = await openActivity(first, owner)
      ok(await sendTo(first, admin, 'PUT', '/api/admin/settings', { body: { values: { 'quota.activities': 22 } } }))
      const body = { every: 'DAY', count: 5 }
      const replies = await race(12, (i) =>
        sendTo(servers[i % 2]!, owner, 'POST', `/api/activities/${id}/series`, { body }),
      )
      expect(replies.filter(({ status }) => status === 200).length).toBe(4)
      for (const { status, code } of replies.filter((reply) => reply.status !== 200))
        expect([status, code]).toEqual([429, 4022])
      for (const server of servers)
        expect(ok(await sendTo(server, owner, 'GET', '/api/activities')).data.total).toBe(21)
    })
  })
})

/** The operation log of several processes is one chain. */

import { describe, expect, test } from 'bun:test'

import { withStoredLog } from '#db/stored-log.ts'
import { signaturesOf, verifyLog } from '#domains/operation-log/index.ts'

import { ok, race } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('with three processes', () => {
  test('fifty changes of administrators at the same time make one chain without gaps', async () => {
    await withServers(3, async ({ servers, config }) => {
      const admin = await servers[0]!.admin()
      const replies = await race(50, (i) =>
        sendTo(servers[i % 3]!, admin, 'POST', '/api/rbac/roles', {
          body: { domain: 'APP', code: `CHAIN_${i}`, name: 'x' },
        }),
      )
      for (const reply of replies) ok(reply)
      const { ctx, dataDir } = servers[0]!
      const report = await withStoredLog({ dataDir, databaseUrl: config.databaseUrl! }, (log) =>
        verifyLog(log, signaturesOf(ctx.seal)),
      )
      expect(report).toMatchObject({ rows: 50, head: { id: 50 }, fault: undefined, otherKeyUntil: undefined })
    })
  })
})

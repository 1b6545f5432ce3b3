/** The plans of SQLite for filtered records of passes, on a server of its own: explaining a statement keeps its snapshot open. */

import { describe, expect, test } from 'bun:test'

import type { ReadDb } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import { searchUses } from '#domains/activities/gates/store.ts'

import { inProcess, useServer } from '../harness/index.ts'
import { issueOne, nonce, upload } from './gate-helpers.ts'
import { withPasses } from './pass-helpers.ts'

const USES = 600
const SLICE = 250

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  const { server, alice } = useServer({ people: ['alice'], noAdmin: true })

  test('filtered records are read in slices, in the order of an index of the activity or the pass', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 0 })
    const items = Array.from({ length: USES }, (_, i) => ({ passUuid: pass.uuid, nonce: nonce(), usedAt: 1000 + i }))
    await upload(alice, id, items)

    const runner = (server.ctx.db.read as ReadDb).runner as Runner
    const { rows } = runner
    const statements: (readonly [string, unknown[]])[] = []
    runner.rows = ((sql, params) => {
      statements.push([sql, params])
      return rows.call(runner, sql, params)
    }) as Runner['rows']
    try {
      for (const uses of [{ activityId: id }, { passId: pass.id }])
        for (const filters of [{ result: 'REFUSED' as const }, { isDoubleUse: true, from: 1, to: 2 ** 45 }]) {
          statements.length = 0
          expect(await searchUses(server.ctx.db.read, uses, { page: 1, size: 20, ...filters })).toMatchObject({
            total: 0,
          })
          expect(statements.length).toBeGreaterThan(2 * Math.floor(USES / SLICE))
          for (const [sql, params] of statements)
            for (const line of (await rows.call(runner, `explain query plan ${sql}`, params)) as unknown[][])
              expect(line[3]).toMatch(
                /^(SEARCH pass_uses USING (COVERING )?INDEX pass_uses_(activity|pass) \((activity|pass)_id=\?|(CO-ROUTINE|MATERIALIZE|SCAN) found$)/,
              )
        }
    } finally {
      runner.rows = rows
    }
  })
})

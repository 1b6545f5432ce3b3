/** The plans of SQLite for filtered records of passes, on a server of its own: explaining a statement keeps its snapshot open. */

import { describe, expect, test } from 'bun:test'

import { searchUses } from '#domains/activities/gates/gates.store.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, useServer } from '../harness/index.ts'
import { issueOne, nonce, upload } from './gate-helpers.ts'
import { withPasses } from './pass-helpers.ts'

/** More than the first slice reads (db/search.ts). */
const USES = 600

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  const { server, alice } = useServer({ people: ['alice'], noAdmin: true })

  test('filtered records are read in slices, in the order of an index of the activity or the pass', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 0 })
    const items = Array.from({ length: USES }, (_, i) => ({ passUuid: pass.uuid, nonce: nonce(), usedAt: 1000 + i }))
    await upload(alice, id, items)

    const { read } = server.ctx.db
    for (const uses of [{ activityId: id }, { passId: pass.id }])
      for (const filters of [{ result: 'REFUSED' as const }, { isDoubleUse: true, from: 1, to: 2 ** 45 }]) {
        const plans = await plansOf(read, async () => {
          expect(await searchUses(read, uses, { page: 1, size: 20, ...filters })).toMatchObject({ total: 0 })
        })
        // A slice takes two statements.
        expect(plans.length).toBeGreaterThan(2)
        for (const line of plans.flatMap(({ plan }) => plan))
          expect(line).toMatch(
            /^(SEARCH pass_uses USING (COVERING )?INDEX pass_uses_(activity|pass) \((activity|pass)_id=\?|(CO-ROUTINE|MATERIALIZE|SCAN) found$)/,
          )
      }
  })
})

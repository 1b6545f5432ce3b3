/** The plans of SQLite for filtered records of passes, on a server of its own: explaining a statement keeps its snapshot open. */

import { describe, expect, test } from 'bun:test'

import { searchUses } from '#domains/activities/gates/gates.store.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { issueOne, nonce, upload } from './gate-helpers.ts'
import { withPasses } from './pass-helpers.ts'

/** More than the first slice reads (db/search.ts). */
const USES = 600

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  const { server, alice } = useServer({ people: ['alice'], noAdmin: true })

  test('filtered records are read in slices, in the order of an index of the activity or the pass', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 0 })
    const list = { params: { id }, body: { name: 'Lunch', maxUses: 0 } }
    const listId = ok(await alice.call('checkInLists.create', list)).data.id
    const item = (i: number) => ({ passUuid: pass.uuid, nonce: nonce(), usedAt: 1000 + i })
    await upload(
      alice,
      id,
      Array.from({ length: USES }, (_, i) => item(i)),
    )
    await upload(
      alice,
      id,
      Array.from({ length: USES }, (_, i) => ({ ...item(i), listId })),
    )

    const { read } = server.ctx.db
    for (const uses of [{ activityId: id }, { passId: pass.id }, { listId }])
      for (const filters of [{ result: 'REFUSED' as const }, { isDoubleUse: true, from: 1, to: 2 ** 45 }]) {
        const plans = await plansOf(read, async () => {
          expect(await searchUses(read, uses, { page: 1, size: 20, ...filters })).toMatchObject({ total: 0 })
        })
        // A slice takes two statements.
        expect(plans.length).toBeGreaterThan(2)
        for (const line of plans.flatMap(({ plan }) => plan))
          expect(line).toMatch(
            /^(SEARCH pass_uses USING (COVERING )?INDEX pass_uses_(activity|pass|list) \((activity|pass|list)_id=\?|(CO-ROUTINE|MATERIALIZE|SCAN) found$)/,
          )
      }
  })
})

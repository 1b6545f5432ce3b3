/** The plans of SQLite for filtered records of passes, on a server of its own: explaining a statement keeps its snapshot open. */

import { describe, expect, test } from 'bun:test'

import * as store from '#domains/activities/gate-links/gate-links.store.ts'
import { searchUses } from '#domains/activities/gates/gates.store.ts'
import { sha256 } from '#platform/ids.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { issueOne, nonce, upload } from './gate-helpers.ts'
import { createGate, deviceAt, secretOf } from './gate-link-helpers.ts'
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

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite for gates without an account', () => {
  const { server, alice } = useServer({ people: ['alice'], noAdmin: true })

  test('their requests and their list read rows by indexes only', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id)
    const device = await deviceAt(server, gate)
    const { read } = server.ctx.db
    const plans = await plansOf(read, async () => {
      expect(await store.findByTokenHash(read, sha256(device.token))).toBeDefined()
      expect(await store.findBySecretHash(read, sha256(secretOf(gate)))).toBeDefined()
      expect(await store.devicesOf(read, [gate.id])).toHaveLength(1)
      expect((await store.admittedOf(read, [gate.id])).get(gate.id)).toBe(0)
      expect((await store.gatesPage(read, id, { page: 1, size: 20 })).total).toBe(1)
    })
    expect(plans).toHaveLength(6)
    for (const line of plans.flatMap(({ plan }) => plan)) expect(line).toMatch(/^SEARCH /)
  })
})

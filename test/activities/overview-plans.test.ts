/** The plans of SQLite for the overview, on a server of its own: explaining a statement keeps its snapshot open. */

import { describe, expect, test } from 'bun:test'

import {
  countPending,
  entriesByMinute,
  gatesOf,
  messagesOf,
  passTotals,
} from '#domains/activities/overview/overview.store.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, useServer } from '../harness/index.ts'
import { withPasses } from './pass-helpers.ts'

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  const { server, alice } = useServer({ people: ['alice'], noAdmin: true })

  test('the overview reads rows of one activity by an index, and none of its passes and their uses', async () => {
    const { id } = await withPasses(alice)
    const { read } = server.ctx.db
    const plans = await plansOf(read, async () => {
      await passTotals(read, id)
      await entriesByMinute(read, id, 0, 1)
      await countPending(read, id)
      await messagesOf(read, id)
      await gatesOf(read, id, 2, 1)
    })
    const lines = plans.flatMap(({ plan }) => plan).join('\n')
    expect(lines).not.toMatch(/SCAN (?!one_row|CONSTANT|counted)|\bpasses\b|pass_uses/)
    for (const table of [
      'list_totals',
      'pass_minutes',
      'registrations',
      'activity_messages',
      'activity_gates',
      'gate_devices',
    ])
      expect(lines).toContain(`SEARCH ${table} USING`)
  })
})

/** Compares the facets of participants, which triggers keep, with the rows that they are about. In-process servers only. */

import { expect } from 'bun:test'

import { sql } from 'drizzle-orm'

import { facetOf, registrations } from '#db/schema/activities.ts'
import { listChanges, listTotals } from '#db/schema/list-totals.ts'

import type { TestServer } from '../harness/index.ts'

export async function expectFacets({ ctx }: Pick<TestServer, 'ctx'>): Promise<void> {
  // In one statement, because jobs write meanwhile.
  const wrong = await ctx.db.read.select({ what: sql<string>`what`, id: sql`id`.mapWith(Number) }).from(
    sql`(
        select 'flags' as what, f.id from participant_facts as f join ${registrations} on f.id = ${registrations.id}
          where f.has_pass <> ${registrations.hasPass} or f.came_in <> ${registrations.cameIn}
        union all select list, owner from (
          select 'participants.' || ${facetOf(registrations)} as list, ${registrations.activityId} as owner, 1 as n from ${registrations}
          union all select ${listTotals.list}, ${listTotals.owner}, -${listTotals.n} from ${listTotals} where ${listTotals.list} like 'participants.%'
          union all select ${listChanges.list}, ${listChanges.owner}, -${listChanges.n} from ${listChanges} where ${listChanges.list} like 'participants.%'
        ) as counted group by list, owner having sum(n) <> 0
      ) as wrong`,
  )
  expect(wrong).toEqual([])
}

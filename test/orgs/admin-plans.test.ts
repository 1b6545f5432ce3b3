/** The indexes that answer the console's list of organizations. */

import { expect, test } from 'bun:test'

import { plainPage } from '#domains/admin/admin.store.ts'
import { organizationsList } from '#domains/orgs/admin/orgs.admin.store.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, useServer } from '../harness/index.ts'
import { createOrg } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

test.if(inProcess && !process.env['TEST_DATABASE_URL'])(
  'GET /api/admin/orgs reads a page in the order of an index, and the filters that an index answers with it',
  async () => {
    // Rows of an empty list are not read.
    const { createdAt } = await createOrg(alice)
    const { read } = server.ctx.db
    const planOf = async (filters: Parameters<typeof organizationsList>[0]) => {
      const list = organizationsList(filters)
      expect(list.where).toBeUndefined()
      const plans = await plansOf(read, () => plainPage(read, list, { page: 1, size: 20 }), 'order by')
      return plans.flatMap(({ plan }) => plan)
    }
    const indexes = { createdAt: 'created', name: 'name', memberCount: 'members' } as const
    for (const sort of ['createdAt', 'name', 'memberCount'] as const)
      for (const order of [sort, `-${sort}`] as const)
        expect(await planOf({ sort: order })).toEqual([`SCAN organizations USING INDEX organizations_${indexes[sort]}`])
    expect(await planOf({ from: 1, to: createdAt + 1 })).toEqual([
      'SEARCH organizations USING INDEX organizations_created (created_at>? AND created_at<?)',
    ])
    expect((await planOf({ userId: alice.id, sort: 'name' }))[0]).toBe(
      'SEARCH organizations USING INDEX organizations_owner (owner_id=?)',
    )
  },
)

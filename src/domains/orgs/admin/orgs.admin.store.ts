import { and, eq, or, type SQL } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { organizations } from '#db/schema/orgs.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import { normalizeCode } from '../orgs.rules.ts'
import type { OrgRow } from '../orgs.store.ts'
import type { OrgFilters } from './orgs.admin.model.ts'

const { createdAt, id, name, memberCount } = organizations
const orders = {
  createdAt: [createdAt, id],
  name: [name, createdAt, id],
  memberCount: [memberCount, createdAt, id],
}

/** The organizations of the server, the newest first by default. */
export function organizationsList(query: OrgFilters): AdminList<OrgRow> {
  const { sort = '-createdAt', userId } = query
  const order = sort.replace('-', '') as keyof typeof orders
  const times = within(createdAt, query)
  const isAnswered = order === 'createdAt' || userId !== undefined
  return {
    table: organizations,
    scope: and(
      userId === undefined ? undefined : eq(organizations.ownerId, userId),
      isAnswered && order !== 'createdAt' ? times : undefined,
    ),
    period: order === 'createdAt' ? query : undefined,
    where: and(conditions(query), isAnswered ? undefined : times),
    order: orders[order],
    isReversed: sort.startsWith('-'),
    total: userId === undefined && times === undefined ? 'organizations.all' : undefined,
    select: (db) => db.select().from(organizations).$dynamic(),
  }
}

function conditions({ status, visibility, joinPolicy, keyword }: OrgFilters): SQL | undefined {
  const equals = { status, visibility, joinPolicy }
  return and(
    ...Object.entries(equals).map(([column, value]) =>
      value === undefined ? undefined : eq(organizations[column as keyof typeof equals], value),
    ),
    keyword ? or(contains(name, keyword), contains(organizations.code, normalizeCode(keyword) ?? keyword)) : undefined,
  )
}

import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'

import { organizations } from './schema/orgs.ts'

/**
 * SQL: whether the organization with this id exists. Members, requests and invitations of an organization that was dissolved are deleted some time after it:
 * queries that find them by their user must ask.
 */
export const orgExists = (orgId: SQLWrapper): SQL =>
  sql`exists (select 1 from ${organizations} as present where present.id = ${orgId})`

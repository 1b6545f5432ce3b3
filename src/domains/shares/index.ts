/** Copies of users' own things that belong to an organization. */

import { domain } from '#domains/domain.ts'

import { shareAdminEndpoints } from './admin/shares.admin.endpoints.ts'
import { shareAreas } from './own-data.store.ts'
import { shareEndpoints } from './shares.endpoints.ts'

export const shares = domain({
  name: 'shares',
  endpoints: [...shareEndpoints, ...shareAdminEndpoints],
  dataAreas: shareAreas,
})

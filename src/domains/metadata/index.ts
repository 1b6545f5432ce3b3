/** Metadata: fields that users, organizations and administrators define, templates of fields, and the values of things. */

import { domain } from '#domains/domain.ts'

export const metadata = domain({
  name: 'metadata',
  endpoints: [],
})

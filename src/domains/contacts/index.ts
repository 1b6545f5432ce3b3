/** Contacts of users: requests, remarks and tags, blocking, contact cards, search, and privacy settings. */

import { domain } from '#domains/domain.ts'

import { deleteAllOf, hasContacts } from './store.ts'

export const contacts = domain({
  name: 'contacts',
  on: { 'user.deleting': (_ctx, tx, { userId }) => deleteAllOf(tx, userId) },
  userContent: hasContacts,
})

export { areContacts, isBlocked, mayKnow, messageRefusal, personsByIds, readReceiptsOf, remarksOf } from './service.ts'
export type { Person } from './view.ts'

/** Contacts of users: requests, remarks and tags, blocking, contact cards, search, and privacy settings. */

import { domain } from '#domains/domain.ts'

import { cardEndpoints } from './card/endpoints.ts'
import { resolveCard } from './card/service.ts'
import { jobs } from './jobs.ts'
import { contactEndpoints } from './list/endpoints.ts'
import { privacyEndpoints } from './privacy/endpoints.ts'
import { requestEndpoints } from './requests/endpoints.ts'
import { startPushing } from './requests/service.ts'
import { searchEndpoints } from './search/endpoints.ts'
import { deleteAllOf, hasContacts } from './store.ts'

export const contacts = domain({
  name: 'contacts',
  endpoints: [...requestEndpoints, ...contactEndpoints, ...searchEndpoints, ...cardEndpoints, ...privacyEndpoints],
  jobs,
  on: { 'user.deleting': (_ctx, tx, { userId }) => deleteAllOf(tx, userId) },
  userContent: hasContacts,
  scanTargets: { USER: resolveCard },
  start: startPushing,
})

export {
  areContacts,
  blockedAmong,
  isBlocked,
  mayKnow,
  messageRefusal,
  personsByIds,
  readReceiptsOf,
  remarksOf,
} from './service.ts'
export type { Person } from './view.ts'

/** Contacts of users: requests, remarks and tags, blocking, contact cards, search, and privacy settings. */

import { domain } from '#domains/domain.ts'

import { cardEndpoints } from './card/card.endpoints.ts'
import { resolveCard } from './card/card.service.ts'
import { jobs } from './contacts.jobs.ts'
import { deleteAllOf, deleteRestOf, hasContacts } from './contacts.store.ts'
import { contactEndpoints } from './list/list.endpoints.ts'
import { contactAreas } from './own-data.store.ts'
import { presenceEndpoints } from './presence/presence.endpoints.ts'
import { flushPresence, presenceFrames } from './presence/presence.service.ts'
import { privacyEndpoints } from './privacy/privacy.endpoints.ts'
import { requestEndpoints } from './requests/requests.endpoints.ts'
import { startPushing } from './requests/requests.service.ts'
import { searchEndpoints } from './search/search.endpoints.ts'

export const contacts = domain({
  name: 'contacts',
  endpoints: [
    ...requestEndpoints,
    ...contactEndpoints,
    ...searchEndpoints,
    ...cardEndpoints,
    ...privacyEndpoints,
    ...presenceEndpoints,
  ],
  jobs,
  on: { 'user.deleting': (_ctx, tx, { userId }) => deleteAllOf(tx, userId) },
  dataAreas: contactAreas,
  remains: async (_ctx, tx, owner, limit) => (owner > 0 ? 0 : deleteRestOf(tx, -owner, limit)),
  userContent: hasContacts,
  scanTargets: { USER: resolveCard },
  socketFrames: presenceFrames,
  start: startPushing,
  stop: flushPresence,
})

export {
  areContacts,
  blockedAmong,
  isBlocked,
  mayKnow,
  personsByIds,
  readReceiptsOf,
  remarksOf,
} from './contacts.service.ts'
export { isBlockedSql, messageRefusal, sendsReceipts } from './contacts.store.ts'
export type { Person } from './contacts.view.ts'

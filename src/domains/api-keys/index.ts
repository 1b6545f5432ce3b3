/** API keys: how programs ask in the name of a user, limited to some permission points. */

import { domain } from '#domains/domain.ts'

import { apiKeyAdminEndpoints } from './admin/api-keys.admin.endpoints.ts'
import { apiKeyEndpoints } from './api-keys.endpoints.ts'
import { jobs } from './api-keys.jobs.ts'
import { deleteKeysOf, readKeysAnew, revokeKeysOf } from './api-keys.store.ts'
import { flushUses } from './authentication.service.ts'
import { keyAreas } from './own-data.store.ts'

export const apiKeys = domain({
  name: 'api-keys',
  endpoints: [...apiKeyEndpoints, ...apiKeyAdminEndpoints],
  jobs,
  on: {
    'user.apiKeysEnding': (ctx, tx, { userId, how }) =>
      how === 'revoked' ? revokeKeysOf(tx, userId, ctx.clock.now()) : readKeysAnew(tx),
    'user.deleting': (_ctx, tx, { userId }) => deleteKeysOf(tx, { userId }),
    'member.left': (ctx, tx, { userId, orgId }) => revokeKeysOf(tx, userId, ctx.clock.now(), orgId),
    'org.dissolving': (_ctx, tx, { orgId }) => deleteKeysOf(tx, { orgId }),
  },
  dataAreas: keyAreas,
  stop: flushUses,
})

export { authenticateKey, keyRate } from './authentication.service.ts'

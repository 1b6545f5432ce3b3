/** The server itself: its name and look, and its mail server, as administrators set them in the browser. */

import { domain } from '#domains/domain.ts'

import { identityEndpoints } from './identity/identity.endpoints.ts'
import { followIdentity } from './identity/identity.service.ts'
import { mailEndpoints } from './mail/mail.endpoints.ts'
import { overviewEndpoints } from './overview/overview.endpoints.ts'

export const server = domain({
  name: 'server',
  endpoints: [...identityEndpoints, ...mailEndpoints, ...overviewEndpoints],
  // Not in `start`: commands need the name, too.
  seed: async (ctx) => followIdentity(ctx),
})

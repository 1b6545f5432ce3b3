/** The server itself: its name, look and logo, its address and certificate, its mail server, its setup, its restart, and newer versions. */

import { domain } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { aliasEndpoints } from './aliases/aliases.endpoints.ts'
import { followAliases } from './aliases/aliases.service.ts'
import { flushPrinted, followPrinted } from './aliases/printed.service.ts'
import { certificateEndpoints } from './certificate/certificate.endpoints.ts'
import { checkEndpoints } from './checks/checks.endpoints.ts'
import { identityEndpoints } from './identity/identity.endpoints.ts'
import { followIdentity } from './identity/identity.service.ts'
import { logoEndpoints } from './logo/logo.endpoints.ts'
import { mailEndpoints } from './mail/mail.endpoints.ts'
import { overviewEndpoints } from './overview/overview.endpoints.ts'
import { reachEndpoints } from './reach/reach.endpoints.ts'
import { followReach } from './reach/reach.service.ts'
import { releaseEndpoints } from './releases/releases.endpoints.ts'
import { lookDaily } from './releases/releases.service.ts'
import { restartEndpoints } from './restart/restart.endpoints.ts'
import { setupEndpoints } from './setup/setup.endpoints.ts'

export const server = domain({
  name: 'server',
  endpoints: [
    ...aliasEndpoints,
    ...checkEndpoints,
    ...identityEndpoints,
    ...logoEndpoints,
    ...certificateEndpoints,
    ...mailEndpoints,
    ...overviewEndpoints,
    ...reachEndpoints,
    ...releaseEndpoints,
    ...restartEndpoints,
    ...setupEndpoints,
  ],
  jobs: [{ name: 'server.lookForRelease', every: 10 * MINUTE, run: lookDaily }],
  // Not in `start`: commands need the name, too.
  seed: async (ctx) => {
    followReach(ctx)
    followIdentity(ctx)
    followAliases(ctx)
    followPrinted(ctx)
  },
  stop: flushPrinted,
})

export { certificatesFromBrowser } from './certificate/browser.service.ts'
export { ignoreReach, keepPorts, startConfig } from './reach/reach.service.ts'

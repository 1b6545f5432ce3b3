/** Sign-in with OpenID providers: which ones there are, who users are at them, and the sessions and memberships that follow from it. */

import { domain } from '#domains/domain.ts'
import { HOUR } from '#platform/clock.ts'

import { providerAdminEndpoints } from './admin/providers.admin.endpoints.ts'
import { linkEndpoints } from './links/links.endpoints.ts'
import { endAll } from './links/links.service.ts'
import { deleteSessionsOf, originOf, sessionsOfForeignLinks } from './links/links.store.ts'
import { logoutEndpoints } from './logouts/logouts.endpoints.ts'
import { logoutUrl } from './logouts/logouts.service.ts'
import { jobs } from './oidc.jobs.ts'
import { wasChecked } from './providers/providers.store.ts'
import { forgetOrg } from './roles/roles.service.ts'
import { deleteGiven } from './roles/roles.store.ts'
import { signInEndpoints } from './sign-ins/sign-ins.endpoints.ts'
import { deleteTicketsOf } from './sign-ins/sign-ins.store.ts'

export const oidc = domain({
  name: 'oidc',
  endpoints: [...signInEndpoints, ...linkEndpoints, ...logoutEndpoints, ...providerAdminEndpoints],
  jobs,
  on: {
    'user.deleting': async (_ctx, tx, { userId }) => {
      await deleteTicketsOf(tx, userId)
      await deleteSessionsOf(tx, userId)
    },
    // The operator of a provider must not get into the account of an administrator.
    'platformRole.granted': async (ctx, tx, { userId }) => endAll(ctx, tx, await sessionsOfForeignLinks(tx, userId)),
    'member.left': (_ctx, tx, { orgId, userId }) => deleteGiven(tx, orgId, [userId]),
    'org.membersRemoved': (_ctx, tx, { orgId, userIds }) => deleteGiven(tx, orgId, userIds),
    'org.dissolving': (_ctx, tx, { orgId }) => forgetOrg(tx, orgId),
  },
  logoutUrl,
  sessionOrigin: originOf,
  settingChecks: {
    // Otherwise a mistake in the provider would lock everybody out.
    'security.localSignIn': async (ctx, value) =>
      value === 'ALL' || (await wasChecked(ctx.db.read, ctx.clock.now() - HOUR))
        ? undefined
        : {
            en: 'needs an enabled provider that was checked without a problem within the last hour',
            zh: '须有一个已启用的身份提供方在过去一小时内检查通过',
          },
  },
})

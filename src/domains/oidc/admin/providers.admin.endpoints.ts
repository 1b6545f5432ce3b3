import { endpoint, platform } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

import { checkProvider } from './checks.service.ts'
import {
  ChangedProvider,
  CheckResult,
  DeletedProvider,
  Force,
  NewProvider,
  ProviderChange,
  ProviderList,
  ProviderView,
} from './providers.admin.model.ts'
import { changeProvider, createProvider, listAllProviders, removeProvider } from './providers.admin.service.ts'

const tag = 'Server'
const CONFIRM = 'Code 4031: you must have signed in or confirmed within the last 10 minutes.'
const STRANDS =
  'Users could no longer sign in, and `force` is not set: `details` has a row `stranded` with their number.'

export const providerAdminEndpoints = [
  endpoint({
    id: 'admin.oidcProviders.list',
    method: 'GET',
    path: '/api/admin/oidc/providers',
    summary: 'List the OpenID providers of the server',
    description: 'At most 20, in the order in which they were added.',
    tag,
    access: platform('setting:read'),
    data: ProviderList,
    run: ({ ctx }) => listAllProviders(ctx),
  }),
  endpoint({
    id: 'admin.oidcProviders.create',
    method: 'POST',
    path: '/api/admin/oidc/providers',
    summary: 'Add an OpenID provider',
    description:
      'Nothing is asked of the provider yet: check it afterwards. Addresses of a private network must be named in `TESSERA_PRIVATE_TARGETS`.',
    tag,
    access: platform('setting:update'),
    body: NewProvider,
    data: ProviderView,
    logs: 'OIDC_PROVIDER_CREATE',
    refuses: {
      400: 'The key is taken, the issuer is not public, an organization does not exist, or there are 20 providers.',
      403: CONFIRM,
    },
    run: ({ ctx, actor, body }) => createProvider(ctx, actor, body),
  }),
  endpoint({
    id: 'admin.oidcProviders.update',
    method: 'PUT',
    path: '/api/admin/oidc/providers/:id',
    summary: 'Change an OpenID provider',
    description:
      'If you switch it off, its sessions end. If you change its issuer, accounts of the earlier one no longer open anything.',
    tag,
    access: platform('setting:update'),
    params: ById,
    query: Force,
    body: ProviderChange,
    data: ChangedProvider,
    logs: 'OIDC_PROVIDER_UPDATE',
    refuses: { 400: STRANDS, 403: CONFIRM },
    run: ({ ctx, actor, params, query, body }) => changeProvider(ctx, actor, params.id, body, query.force ?? false),
  }),
  endpoint({
    id: 'admin.oidcProviders.delete',
    method: 'DELETE',
    path: '/api/admin/oidc/providers/:id',
    summary: 'Delete an OpenID provider',
    description: 'Its sessions end. Memberships that it gave stay.',
    tag,
    access: platform('setting:update'),
    params: ById,
    query: Force,
    data: DeletedProvider,
    logs: 'OIDC_PROVIDER_DELETE',
    refuses: { 400: STRANDS, 403: CONFIRM },
    run: ({ ctx, actor, params, query }) => removeProvider(ctx, actor, params.id, query.force ?? false),
  }),
  endpoint({
    id: 'admin.oidcProviders.check',
    method: 'POST',
    path: '/api/admin/oidc/providers/:id/check',
    summary: 'Check an OpenID provider',
    description:
      'Asks the provider for its configuration and keys, and tries the client and the redirect address. Takes 5 seconds at most. The answer is 200 also if there are problems.',
    tag,
    access: platform('setting:update'),
    params: ById,
    data: CheckResult,
    ignoresKey: 'It asks the provider, whose answer is its own.',
    budgets: [{ name: 'oidc.check', counts: { en: 'checks', zh: '检查' }, per: 'user', limit: 30, windowMs: MINUTE }],
    run: ({ ctx, actor, params, caller }) => checkProvider(ctx, actor, params.id, caller.locale),
  }),
]

import { endpoint, open, platform } from '#http/endpoint.ts'

import { serverVersionRow } from '../server.service.ts'
import { IdentityChange, IdentityView, ServerView } from './identity.model.ts'
import { showIdentity, showServer, updateIdentity } from './identity.service.ts'

const tag = 'Server'

export const identityEndpoints = [
  endpoint({
    id: 'server.get',
    method: 'GET',
    path: '/api/server',
    summary: 'Get the name, the address and the look of the server',
    tag,
    access: open,
    data: ServerView,
    run: ({ ctx }) => showServer(ctx),
  }),
  endpoint({
    id: 'server.identity.update',
    method: 'PUT',
    path: '/api/admin/server/identity',
    summary: 'Change the name, the colours and the contact of the server',
    description: 'An empty body brings all defaults back. The logo has operations of its own.',
    tag,
    access: platform('setting:update'),
    row: serverVersionRow(IdentityView, ({ ctx }) => showIdentity(ctx)),
    body: IdentityChange,
    data: IdentityView,
    logs: 'SERVER_UPDATE',
    run: ({ ctx, actor, body }) => updateIdentity(ctx, actor, body),
  }),
]

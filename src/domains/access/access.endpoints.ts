import { endpoint, signedIn } from '#http/endpoint.ts'

import { MyPermissions } from './access.model.ts'
import { myPermissions } from './access.service.ts'

export const accessEndpoints = [
  endpoint({
    id: 'access.myPermissions',
    method: 'GET',
    path: '/api/rbac/my-permissions',
    summary: 'List your permissions',
    description: 'Your permission points in the APP and PLATFORM domains and in your current organization.',
    tag: 'Access control',
    access: signedIn,
    data: MyPermissions,
    run: ({ ctx, actor, caller }) => myPermissions(ctx, actor, caller.locale),
  }),
]

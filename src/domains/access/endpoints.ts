import { endpoint, signedIn } from '#http/endpoint.ts'

import { adminEndpoints } from './admin/endpoints.ts'
import { MyPermissions } from './model.ts'
import { myPermissions } from './service.ts'

export const accessEndpoints = [
  endpoint({
    id: 'access.myPermissions',
    method: 'GET',
    path: '/api/rbac/my-permissions',
    summary: 'What the caller may do',
    description: 'Permission points of the APP and PLATFORM domains and of the current organization.',
    tag: 'Access control',
    access: signedIn,
    data: MyPermissions,
    run: ({ ctx, actor }) => myPermissions(ctx, actor),
  }),
  ...adminEndpoints,
]

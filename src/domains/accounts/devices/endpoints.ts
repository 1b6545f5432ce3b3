import { endpoint, signedIn } from '#http/endpoint.ts'
import { PageOf, PageQuery } from '#http/schema.ts'

import { ByDevice, DeviceView } from './model.ts'
import { listDevices, revokeDevice } from './service.ts'

const tag = 'Sessions'

export const deviceEndpoints = [
  endpoint({
    id: 'devices.list',
    method: 'GET',
    path: '/api/auth/devices',
    summary: 'The devices one is signed in on',
    tag,
    access: signedIn,
    query: PageQuery({}),
    data: PageOf(DeviceView),
    run: ({ ctx, actor, query }) => listDevices(ctx, actor, query),
  }),
  endpoint({
    id: 'devices.revoke',
    method: 'DELETE',
    path: '/api/auth/devices/:deviceId',
    summary: 'Sign one of one’s devices out',
    tag,
    access: signedIn,
    params: ByDevice,
    run: ({ ctx, actor, params, caller }) => revokeDevice(ctx, actor, params.deviceId, caller),
  }),
]

import { app, endpoint, platform } from '#http/endpoint.ts'

import { DevicesQuery, SyncDevicePage, SyncDevices } from './devices.model.ts'
import { listDevices, listDevicesOf } from './devices.service.ts'

const tag = 'Offline use'

export const deviceEndpoints = [
  endpoint({
    id: 'sync.devices',
    method: 'GET',
    path: '/api/sync/devices',
    summary: 'List your devices that work offline',
    description:
      'With their last pull and push, and the conflicts that wait for you. The device that was used last comes first.',
    tag,
    access: app('sync:pull'),
    data: SyncDevices,
    run: async ({ ctx, actor }) => ({ items: await listDevices(ctx, actor.userId) }),
  }),
  endpoint({
    id: 'sync.devicesOf',
    method: 'GET',
    path: '/api/admin/sync/devices',
    summary: 'List the devices of a user that work offline',
    description: 'The device that was used last comes first. A user who does not exist has none.',
    tag,
    access: platform('session:read'),
    query: DevicesQuery,
    data: SyncDevicePage,
    run: ({ ctx, query }) => listDevicesOf(ctx, query.userId, query),
  }),
]

import { eq } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { syncConflicts, syncDevices } from '#db/schema/sync.ts'

export const syncAreas: readonly DataArea[] = [
  tableArea({
    name: 'sync-devices',
    title: { en: 'Devices that synchronize', zh: '同步设备' },
    from: syncDevices,
    columns: {
      id: syncDevices.id,
      lastPullAt: syncDevices.lastPullAt,
      lastPushAt: syncDevices.lastPushAt,
      createdAt: syncDevices.createdAt,
    },
    where: (userId) => eq(syncDevices.userId, userId),
    key: [syncDevices.id],
  }),
  tableArea({
    name: 'sync-conflicts',
    title: { en: 'Conflicts of devices', zh: '同步冲突' },
    from: syncConflicts,
    // The server's state may have been written by somebody else in an organization.
    columns: {
      id: syncConflicts.id,
      entity: syncConflicts.entity,
      serverId: syncConflicts.serverId,
      winner: syncConflicts.winner,
      clientData: syncConflicts.clientData,
      status: syncConflicts.status,
      createdAt: syncConflicts.createdAt,
      resolvedAt: syncConflicts.resolvedAt,
    },
    where: (userId) => eq(syncConflicts.userId, userId),
    key: [syncConflicts.id],
  }),
]

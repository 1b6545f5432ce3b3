import { Id, Model, Nullable, PageOf, PageQuery, Text, Time, Type } from '#http/schema.ts'

export const SyncDevice = Model('SyncDevice', {
  deviceId: Text('b2f1c09e7d5a4e36', { description: 'Device key, as in the list of sessions' }),
  deviceName: Text("Mei's phone"),
  lastPullAt: Nullable(Time),
  lastPushAt: Nullable(Time),
  pendingConflicts: Type.Integer({ minimum: 0, description: 'Conflicts of its pushes that are not resolved' }),
})

export const SyncDevices = Model('SyncDevices', {
  items: Type.Array(SyncDevice, { description: 'Those that were used last, at most 100' }),
})

export const SyncDevicePage = PageOf(SyncDevice)
export const DevicesQuery = PageQuery({ userId: Id })

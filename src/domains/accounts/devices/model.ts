import { Model, Raw, type Static, Time, Type } from '#http/schema.ts'

import { DEVICE_ID_MAX } from '../limits.ts'

export const ByDevice = Type.Object({
  deviceId: Raw(DEVICE_ID_MAX, 1, { description: 'The device’s key, as lists show it, or its raw id' }),
})

export const DeviceView = Model('Device', {
  deviceId: Type.String({ description: 'Opaque key of the device, not the id it signs in with' }),
  deviceName: Type.String(),
  loginType: Type.String({ description: 'How it was signed in', examples: ['login'] }),
  ipAddress: Type.String({ description: 'Where from' }),
  city: Type.String(),
  loginTime: Time,
  lastActiveTime: Time,
  isCurrent: Type.Boolean(),
})
export type DeviceView = Static<typeof DeviceView>

import { Model, Raw, type Static, Text, Time, Type } from '#http/schema.ts'

import { DEVICE_ID_MAX } from '../limits.ts'

export const ByDevice = Type.Object({
  deviceId: Raw(DEVICE_ID_MAX, 1, {
    description: 'The device’s key, as lists show it, or its raw id',
    examples: ['9b1c6e0f2d7a4385a1be'],
  }),
})

export const DeviceView = Model('Device', {
  deviceId: Type.String({
    description: 'Opaque key of the device, not the id it signs in with',
    examples: ['9b1c6e0f2d7a4385a1be'],
  }),
  deviceName: Text("Mei's phone"),
  loginType: Type.String({ description: 'How it was signed in', examples: ['login'] }),
  ipAddress: Type.String({ description: 'Where from', examples: ['203.0.113.7'] }),
  city: Text('Hangzhou'),
  loginTime: Time,
  lastActiveTime: Time,
  isCurrent: Type.Boolean(),
})
export type DeviceView = Static<typeof DeviceView>

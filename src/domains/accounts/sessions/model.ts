import { Enum, Id, Model, type Static, Text, Time, Type } from '#http/schema.ts'

export const SessionView = Model('Session', {
  id: Id,
  deviceId: Type.String({
    description: 'Opaque key of the device, not the id it signs in with',
    examples: ['9b1c6e0f2d7a4385a1be'],
  }),
  deviceName: Text("Mei's phone"),
  isCurrent: Type.Boolean(),
  status: Enum(['ACTIVE', 'EXPIRED', 'REVOKED']),
  expiredAt: Time,
  lastActiveTime: Time,
  createdAt: Time,
})
export type SessionView = Static<typeof SessionView>

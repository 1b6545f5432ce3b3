import { Enum, Id, Model, type Static, Time, Type } from '#http/schema.ts'

export const SessionView = Model('Session', {
  id: Id,
  deviceId: Type.String({ description: 'Opaque key of the device, not the id it signs in with' }),
  deviceName: Type.String(),
  isCurrent: Type.Boolean(),
  status: Enum(['ACTIVE', 'EXPIRED', 'REVOKED']),
  expiredAt: Time,
  lastActiveTime: Time,
  createdAt: Time,
})
export type SessionView = Static<typeof SessionView>

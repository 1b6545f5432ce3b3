import type { LoginRecordView, LoginType } from './model.ts'
import type { LoginRecordRow } from './store.ts'

export const toLoginRecordView = (r: LoginRecordRow): LoginRecordView => ({
  id: r.id,
  userId: r.userId === 0 ? null : r.userId,
  deviceId: r.deviceKey,
  deviceName: r.deviceName,
  ipAddress: r.ipAddress,
  city: r.city,
  // Only `LoginType`s are ever written.
  loginType: r.loginType as LoginType,
  status: r.status,
  failureReason: r.failureReason,
  createdAt: r.createdAt,
})

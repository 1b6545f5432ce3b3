import { LOGIN_TYPES, type LoginRecordView, type LoginType } from './model.ts'
import type { LoginRecordRow } from './store.ts'

const isLoginType = (text: string): text is LoginType => (LOGIN_TYPES as readonly string[]).includes(text)

export const toLoginRecordView = (r: LoginRecordRow): LoginRecordView => ({
  id: r.id,
  userId: r.userId === 0 ? null : r.userId,
  deviceId: r.deviceKey,
  deviceName: r.deviceName,
  ipAddress: r.ipAddress,
  city: r.city,
  loginType: isLoginType(r.loginType) ? r.loginType : 'login',
  status: r.status,
  failureReason: r.failureReason,
  createdAt: r.createdAt,
})

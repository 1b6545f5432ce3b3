/** The one door: whatever proved who somebody is, this opens their session. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'

import type { Device } from '../credentials.ts'
import { accountDisabled, wrongCredentials } from '../errors.ts'
import type { LoginType } from '../login-records/model.ts'
import { recordLogin } from '../login-records/record.ts'
import { recordedDevices } from '../login-records/store.ts'
import { tell } from '../notices/tell.ts'
import { type Grant, openSession } from '../sessions/open.ts'
import { userById } from '../users/store.ts'

export interface SignIn {
  readonly userId: number
  readonly device: Device
  readonly loginType: LoginType
  readonly ip: string
  readonly locale: Locale
  /** The hash that the password was found to fit: if it is not the user's any more, the password is yesterday's. */
  readonly passwordHash?: string
}

/**
 * Inside a write: records the login and opens a session, if the account is still what it was when it was checked. Somebody who was
 * here before hears of a device that was not. @throws AppError 403 for a disabled account, 401 when the password was changed meanwhile.
 */
export async function signIn(ctx: AppContext, tx: Tx, entry: SignIn): Promise<Grant> {
  const { userId, device, loginType, ip, locale } = entry
  const user = await userById(tx, userId)
  if (user?.status !== 'ACTIVE') throw accountDisabled()
  if (entry.passwordHash !== undefined && entry.passwordHash !== user.passwordHash) throw wrongCredentials()
  const devices = await recordedDevices(tx, userId)
  const event = { userId, device, loginType, ip }
  await recordLogin(ctx, tx, event)
  const grant = await openSession(ctx, tx, event)
  if (devices.length > 0 && !devices.includes(device.key))
    await tell(ctx, tx, { userId, kind: 'NEW_DEVICE', about: {}, deviceName: device.name, ip, locale })
  return grant
}

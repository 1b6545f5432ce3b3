import type { AppContext } from '#context'
import { getSetting } from '#domains/settings/index.ts'
import type { Caller } from '#http/endpoint.ts'

import { deviceOf } from '../credentials.ts'
import { registrationClosed } from '../errors.ts'
import { makeNickname } from '../nicknames/service.ts'
import { createUser } from '../users/create.ts'
import { insertIdentity, userByIdentity } from '../users/store.ts'
import type { DeviceLogin, LoginResponse } from './model.ts'
import { loginResponse } from './respond.ts'
import { signIn } from './sign-in.ts'

/** Signs in the user whose DEVICE identity this is, or makes one. */
export async function deviceLogin(ctx: AppContext, body: DeviceLogin, caller: Caller): Promise<LoginResponse> {
  const device = deviceOf(caller, body)
  const mayRegister = await getSetting(ctx, 'registration.enabled')
  const nickname = await makeNickname(ctx, caller.locale)
  const { ip, locale } = caller
  const { grant, isNewUser } = await ctx.db.write('accounts.deviceLogin', async (tx) => {
    let user = await userByIdentity(tx, 'DEVICE', device.key)
    const isNewUser = user === undefined
    if (user === undefined) {
      if (!mayRegister) throw registrationClosed()
      user = (await createUser(ctx, tx, { username: null, passwordHash: null, nickname }))!
      const identity = { userId: user.id, provider: 'DEVICE', credential: device.key, verified: true } as const
      // Writes are serial: nobody can have bound the device since it was looked up.
      if (!(await insertIdentity(tx, identity))) throw new Error('a device was bound within a write')
    }
    const loginType = isNewUser ? 'device_auto_register' : 'device_login'
    return { grant: await signIn(ctx, tx, { userId: user.id, device, loginType, ip, locale }), isNewUser }
  })
  return loginResponse(ctx, grant, { isNewUser, madeDeviceId: device.made })
}

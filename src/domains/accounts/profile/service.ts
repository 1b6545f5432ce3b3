import type { AppContext } from '#context'
import { isUniqueViolation } from '#db/errors.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { askingDevice, badUsername, isUsername } from '../credentials.ts'
import { passwordAlreadySet, usernameAlreadySet, usernameTaken } from '../errors.ts'
import { recordLogin } from '../login-records/record.ts'
import { tell } from '../notices/tell.ts'
import { passwordProblem } from '../passwords/policy.ts'
import { policyOf } from '../passwords/service.ts'
import type { UserView } from '../users/model.ts'
import { identitiesOf, setPasswordOnce, setUsernameOnce, updateProfile, userById } from '../users/store.ts'
import { toUserView } from '../users/view.ts'
import type { ProfileChange } from './model.ts'

async function userOf(ctx: AppContext, actor: Actor) {
  const user = await userById(ctx.db.read, actor.userId)
  if (user === undefined) throw notFound()
  return user
}

export async function userInfo(ctx: AppContext, actor: Actor): Promise<UserView> {
  return toUserView(await userOf(ctx, actor), await identitiesOf(ctx.db.read, actor.userId))
}

/** Nickname and signature: null leaves them, an empty text clears them (spec §2.1). */
export async function changeProfile(ctx: AppContext, actor: Actor, change: ProfileChange): Promise<UserView> {
  const { nickname, signature, avatarUrl } = change
  await ctx.db.write('accounts.changeProfile', (tx) =>
    updateProfile(tx, actor.userId, {
      ...(typeof nickname === 'string' && { nickname }),
      ...(typeof signature === 'string' && { signature: signature || null }),
      ...(avatarUrl !== undefined && { avatarUrl: avatarUrl || null }),
    }),
  )
  return userInfo(ctx, actor)
}

/** Sets the username, once. */
export async function setUsername(ctx: AppContext, actor: Actor, given: string, caller: Caller): Promise<UserView> {
  const username = given.trim()
  if ((await userOf(ctx, actor)).username !== null) throw usernameAlreadySet()
  if (!isUsername(username)) throw badUsername()
  try {
    await ctx.db.write('accounts.setUsername', async (tx) => {
      if (!(await setUsernameOnce(tx, actor.userId, username))) throw usernameAlreadySet()
      const device = askingDevice(actor, caller)
      await recordLogin(ctx, tx, { userId: actor.userId, loginType: 'username_set', device, ip: caller.ip })
      const { ip, locale } = caller
      const about = { username }
      const deviceName = device.name
      await tell(ctx, tx, { userId: actor.userId, kind: 'USERNAME_CHANGED', about, deviceName, ip, locale })
    })
  } catch (error) {
    if (isUniqueViolation(error, 'users_username_key')) throw usernameTaken()
    throw error
  }
  return userInfo(ctx, actor)
}

/** Sets the password, once. Nobody is signed out. */
export async function setPassword(ctx: AppContext, actor: Actor, password: string, caller: Caller): Promise<void> {
  const user = await userOf(ctx, actor)
  if (user.passwordHash !== null) throw passwordAlreadySet()
  const problem = passwordProblem(password, await policyOf(ctx, actor.userId), user.username)
  if (problem) throw problem
  const passwordHash = await ctx.passwords.hash(password)
  await ctx.db.write('accounts.setPassword', async (tx) => {
    if (!(await setPasswordOnce(tx, actor.userId, passwordHash))) throw passwordAlreadySet()
    const device = askingDevice(actor, caller)
    await recordLogin(ctx, tx, { userId: actor.userId, loginType: 'password_set', device, ip: caller.ip })
    const { ip, locale } = caller
    await tell(ctx, tx, { userId: actor.userId, kind: 'PASSWORD_SET', about: {}, deviceName: device.name, ip, locale })
  })
}

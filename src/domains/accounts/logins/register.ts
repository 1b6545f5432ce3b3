import type { AppContext } from '#context'
import { getSetting } from '#domains/settings/index.ts'
import type { Caller } from '#http/endpoint.ts'

import { badEmail, badUsername, deviceOf, isUsername, normalizeEmail } from '../credentials.ts'
import { emailUnusable, nameOrEmailNeeded, registrationClosed, usernameTaken } from '../errors.ts'
import { makeNickname } from '../nicknames/service.ts'
import { passwordProblem } from '../passwords/policy.ts'
import { policyOfEverybody } from '../passwords/service.ts'
import { createUser } from '../users/create.ts'
import { insertIdentity, userByIdentity, userByUsername } from '../users/store.ts'
import type { LoginResponse, Registration } from './model.ts'
import { loginResponse } from './respond.ts'
import { signIn } from './sign-in.ts'

/** Makes an account and signs it in. The e-mail is bound but not verified: it signs in together with the password. */
export async function register(ctx: AppContext, body: Registration, caller: Caller): Promise<LoginResponse> {
  if (!(await getSetting(ctx, 'registration.enabled'))) throw registrationClosed()
  const { username, email } = namesOf(body)
  const problem = passwordProblem(body.password, await policyOfEverybody(ctx), username)
  if (problem) throw problem
  const device = deviceOf(caller, body)
  // Only to spare the hash: the unique indexes decide.
  if (username !== null && (await userByUsername(ctx.db.read, username))) throw usernameTaken()
  if (email !== null && (await userByIdentity(ctx.db.read, 'EMAIL', email))) throw emailUnusable()
  const passwordHash = await ctx.passwords.hash(body.password)

  const nickname = body.nickname || (await makeNickname(ctx, caller.locale))

  const grant = await ctx.db.write('accounts.register', async (tx) => {
    const user = await createUser(ctx, tx, { username, passwordHash, nickname })
    if (user === undefined) throw usernameTaken()
    if (email !== null) {
      const bound = await insertIdentity(tx, { userId: user.id, provider: 'EMAIL', credential: email, verified: false })
      if (!bound) throw emailUnusable()
    }
    const { ip, locale } = caller
    return signIn(ctx, tx, { userId: user.id, device, loginType: 'register', ip, locale })
  })
  return loginResponse(ctx, grant, { isNewUser: true, madeDeviceId: device.made })
}

/** Empty counts as absent: forms send both fields. */
function namesOf(body: Registration): { username: string | null; email: string | null } {
  const username = body.username || null
  if (username !== null && !isUsername(username)) throw badUsername()
  let email: string | null = null
  if (body.email) {
    email = normalizeEmail(body.email) ?? null
    if (email === null) throw badEmail()
  }
  if (username === null && email === null) throw nameOrEmailNeeded()
  return { username, email }
}

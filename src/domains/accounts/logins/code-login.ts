/** Signing in by a code that was sent to a phone or an e-mail, or by what a carrier says about the phone. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { resolveOneClickToken } from '#domains/delivery/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Caller } from '#http/endpoint.ts'

import { checkCode, consumeCode } from '../codes/service.ts'
import { emailOf, phoneOf } from '../codes/targets.ts'
import { type Device, deviceOf } from '../credentials.ts'
import { notRegistered, registrationClosed } from '../errors.ts'
import { openedByCode } from '../identities/claims.ts'
import type { LoginType } from '../login-records/model.ts'
import { makeNickname } from '../nicknames/service.ts'
import { dropClaimersPassword } from '../passwords/replace.ts'
import { createUser } from '../users/create.ts'
import { insertIdentity, userByIdentity, verifyIdentity } from '../users/store.ts'
import type { EmailLogin, LoginResponse, OneClickLogin, PhoneLogin } from './model.ts'
import { loginResponse } from './respond.ts'
import { signIn } from './sign-in.ts'

const NOBODY_YET = 0

/** Phone and code; a number that nobody has makes an account. */
export async function phoneLogin(ctx: AppContext, body: PhoneLogin, caller: Caller): Promise<LoginResponse> {
  const device = deviceOf(caller, body)
  const phone = await phoneOf(body.phone)
  const key = { purpose: 'LOGIN', credential: phone, userId: NOBODY_YET } as const
  const proof = await checkCode(ctx, key, body.code)
  return enterByPhone(ctx, { phone, device, loginType: 'phone', caller }, (tx) => consumeCode(tx, proof))
}

/** The carrier says whose phone asks; a number that nobody has makes an account. */
export async function oneClickLogin(ctx: AppContext, body: OneClickLogin, caller: Caller): Promise<LoginResponse> {
  const device = deviceOf(caller, body)
  const phone = await resolveOneClickToken(ctx, body.token)
  return enterByPhone(ctx, { phone, device, loginType: 'one_click_login', caller }, async () => {})
}

interface PhoneEntry {
  readonly phone: string
  readonly device: Device
  readonly loginType: LoginType
  readonly caller: Caller
}

async function enterByPhone(
  ctx: AppContext,
  { phone, device, loginType, caller }: PhoneEntry,
  useProof: (tx: Tx) => Promise<void>,
): Promise<LoginResponse> {
  const { ip, locale } = caller
  const mayRegister = await getSetting(ctx, 'registration.enabled')
  const nickname = await makeNickname(ctx, locale)
  const { grant, isNewUser } = await ctx.db.write('accounts.enterByPhone', async (tx) => {
    await useProof(tx)
    let user = await userByIdentity(tx, 'PHONE', phone)
    const isNewUser = user === undefined
    if (user === undefined) {
      if (!mayRegister) throw registrationClosed()
      user = (await createUser(ctx, tx, { username: null, passwordHash: null, nickname }))!
      const identity = { userId: user.id, provider: 'PHONE', credential: phone, verified: true } as const
      // Writes are serial: nobody can have bound the number since it was looked up.
      if (!(await insertIdentity(tx, identity))) throw new Error('a phone was bound within a write')
    }
    return { grant: await signIn(ctx, tx, { userId: user.id, device, loginType, ip, locale }), isNewUser }
  })
  return loginResponse(ctx, grant, { isNewUser, madeDeviceId: device.made })
}

/**
 * E-mail and code. An address that nobody has is told so, now that it is known to be the caller's own. The first code for an
 * address that was only claimed at registration confirms it, and ends the password of whoever claimed it.
 */
export async function emailLogin(ctx: AppContext, body: EmailLogin, caller: Caller): Promise<LoginResponse> {
  const device = deviceOf(caller, body)
  const email = emailOf(body.email)
  const proof = await checkCode(ctx, { purpose: 'LOGIN', credential: email, userId: NOBODY_YET }, body.code)
  const grant = await ctx.db.write('accounts.emailLogin', async (tx) => {
    await consumeCode(tx, proof)
    const owner = await openedByCode(tx, 'EMAIL', email)
    if (owner === undefined) throw notRegistered()
    const { user, identity } = owner
    const { ip, locale } = caller
    if (!identity.verified) {
      await verifyIdentity(tx, user.id, identity.id)
      await dropClaimersPassword(ctx, tx, user.id, { device, ip, locale })
    }
    return signIn(ctx, tx, { userId: user.id, device, loginType: 'email', ip, locale })
  })
  return loginResponse(ctx, grant, { madeDeviceId: device.made })
}

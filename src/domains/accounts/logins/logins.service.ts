/** The ways to sign in. Each proves who the caller is and ends in `signIn`, in the write that opens the session. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Db, Tx } from '#db/store.ts'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import { resolveOneClickToken } from '#domains/delivery/index.ts'
import { contributions } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import { type BudgetUse, budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Caller } from '#http/endpoint.ts'
import type { AppError } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import {
  accountDisabled,
  addressIsNew,
  badUsername,
  credentialTaken,
  emailUnusable,
  invitationOver,
  nameOrEmailNeeded,
  notAnAdministrator,
  registrationClosed,
  usernameTaken,
  weakAdministratorPassword,
  wrongCredentials,
} from '../accounts.errors.ts'
import { ANONYMOUS_USER_ID, NEW_ACCOUNTS } from '../accounts.model.ts'
import { type Account, emailOf, isUsername, parseAccount, phoneOf } from '../accounts.rules.ts'
import { checkCode, consumeCode } from '../codes/codes.service.ts'
import { insertProved, proveIdentity, removeClaimantsPassword } from '../credentials/credentials.service.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { loginEvent } from '../login-records/login-records.rules.ts'
import { recordLogin } from '../login-records/login-records.service.ts'
import { generateNickname } from '../nicknames/nicknames.service.ts'
import { guarded, lockOf } from '../passwords/failure-lock.ts'
import { isStrong, passwordProblem } from '../passwords/passwords.rules.ts'
import { basePolicy, hashPassword } from '../passwords/passwords.service.ts'
import { ratePassword, rehashPassword } from '../passwords/passwords.store.ts'
import type { GivenFactor } from '../second-factor/second-factor.model.ts'
import { proveFactor, proveFactorAlone } from '../second-factor/second-factor.service.ts'
import type { LoginResponse } from '../sessions/sessions.model.ts'
import { loginResponse, signIn } from '../sessions/sessions.service.ts'
import { createUser } from '../users/users.service.ts'
import {
  findByAccount,
  type Holder,
  holderForCodeSignIn,
  insertIdentity,
  userByUsername,
  userForPasswordSignIn,
  type UserRow,
} from '../users/users.store.ts'
import type {
  DeviceSignIn,
  EmailLogin,
  OneClickLogin,
  PasswordLogin,
  PhoneLogin,
  PhonePasswordLogin,
  Registration,
} from './logins.model.ts'

/**
 * Creates an account and signs it in. Without a code the e-mail is a claim: it works as a name for the password only. A code proves
 * it, which ends the claim of an account that typed the address before.
 */
export async function register(ctx: AppContext, body: Registration, caller: Caller): Promise<LoginResponse> {
  const invitation = await invitationOf(ctx, body)
  // Empty counts as absent, because forms send both fields.
  const username = body.username || null
  if (username !== null && !isUsername(username)) throw badUsername()
  const email = body.email ? emailOf(body.email) : (invitation?.email ?? null)
  const isInvited = invitation !== undefined && email === invitation.email
  if (username === null && email === null) throw nameOrEmailNeeded()
  const problem = passwordProblem(body.password, await basePolicy(ctx), username)
  if (problem) throw problem
  const event = loginEvent('register', caller, body)
  // These checks only save the hashing: the unique indexes decide.
  if (username !== null && (await userByUsername(ctx.db.read, username))) throw usernameTaken()
  const proof =
    email !== null && body.code && !isInvited
      ? await checkCode(ctx, { purpose: 'LOGIN', credential: email, userId: ANONYMOUS_USER_ID }, body.code)
      : undefined
  if (email !== null && proof === undefined && !isInvited && (await userForPasswordSignIn(ctx.db.read, 'EMAIL', email)))
    throw emailUnusable()
  const password = await hashPassword(ctx, body.password, username)
  const nickname = body.nickname || (await generateNickname(ctx, caller.locale))
  const uses = await usesOf(ctx, NEW_ACCOUNTS, { actor: undefined, caller })
  const grant = await ctx.db.write('accounts.register', async (tx) => {
    await countNewAccount(ctx, tx, uses)
    const user = await createUser(tx, { username, password, nickname })
    if (user === undefined) throw usernameTaken()
    if (email !== null) {
      const identity = { userId: user.id, provider: 'EMAIL', credential: email } as const
      if (proof !== undefined || isInvited) {
        if (proof !== undefined) await consumeCode(ctx, tx, proof)
        if (!(await insertProved(ctx, tx, identity, caller.locale))) throw credentialTaken('EMAIL')
      } else if (!(await insertIdentity(tx, { ...identity, verified: false }))) throw emailUnusable()
    }
    await invitation?.accept(tx, user.id)
    return signIn(ctx, tx, user.id, event, { factor: undefined })
  })
  return loginResponse(ctx, grant, caller, true)
}

/** The invitation by mail that the caller has. @throws AppError 403 if the caller may not register, 400 for a token without an open invitation */
async function invitationOf(ctx: AppContext, { invitationToken }: Registration) {
  const find = contributions(ctx, 'mailInvitations')[0]
  const found = invitationToken ? await find?.(ctx, invitationToken) : undefined
  const mayRegister =
    (await getSetting(ctx, 'registration.enabled')) ||
    (found !== undefined && (await getSetting(ctx, 'registration.byInvitation')))
  if (!mayRegister) throw registrationClosed()
  if (invitationToken && found === undefined) throw invitationOver()
  return found
}

/** @throws AppError 429 if the caller's address has created too many accounts. */
async function countNewAccount(ctx: AppContext, tx: Tx, uses: readonly BudgetUse[]): Promise<void> {
  const refusal = await spend(tx, uses, ctx.clock.now())
  if (refusal) throw budgetUsedUp(refusal)
}

/** Signs in with username or e-mail and password. */
export const login = (ctx: AppContext, body: PasswordLogin, caller: Caller): Promise<LoginResponse> =>
  loginByPassword(ctx, accountIn(body), body, loginEvent('login', caller, body), caller)

export async function phonePasswordLogin(
  ctx: AppContext,
  body: PhonePasswordLogin,
  caller: Caller,
): Promise<LoginResponse> {
  const event = loginEvent('phone', caller, body)
  return loginByPassword(ctx, { kind: 'phone', key: await phoneOf(body.phone) }, body, event, caller)
}

/** Signs in to the console: only users with a PLATFORM role (spec §5.8). */
export const adminLogin = (ctx: AppContext, body: PasswordLogin, caller: Caller): Promise<LoginResponse> =>
  loginByPassword(ctx, accountIn(body), body, loginEvent('admin_login', caller, body), caller)

function accountIn(body: PasswordLogin): Account {
  const typed = body.account || body.username || body.email
  if (!typed) throw invalid('body.account', 'is required', '不能为空')
  return parseAccount(typed)
}

async function loginByPassword(
  ctx: AppContext,
  account: Account,
  { password, ...given }: Pick<PasswordLogin, 'password'> & GivenFactor,
  event: LoginEvent,
  caller: Caller,
): Promise<LoginResponse> {
  const lock = lockOf(await findByAccount(ctx.db.read, account), account.key)
  const grant = await guarded(
    ctx,
    lock,
    async () => {
      const proven = await verifyPassword(ctx, account, password, event)
      return proven && { ...proven, factor: await proveFactor(ctx, proven.user.id, given, event) }
    },
    async ({ user, passwordHash, factor }, forget) => {
      const isStrongEnough = isStrong(password, user.username)
      await refuseUnlessAllowed(ctx, user, event, isStrongEnough)
      const checkedHash = await renewHash(ctx, user.id, passwordHash, password)
      return ctx.db.write('accounts.login', async (tx) => {
        await forget(tx)
        if (user.passwordIsStrong !== isStrongEnough)
          await ratePassword(tx, user.id, { hash: checkedHash, isStrong: isStrongEnough })
        return signIn(ctx, tx, user.id, event, { factor, checkedHash })
      })
    },
  )
  if (grant === undefined) throw wrongCredentials()
  return loginResponse(ctx, grant, caller)
}

/**
 * The user whose password this is, and the stored hash that it matched. Undefined, and a recorded failure, for a wrong password and
 * for an unknown account: both take the same time, because an unknown account is checked against a decoy hash.
 */
async function verifyPassword(
  ctx: AppContext,
  account: Account,
  password: string,
  event: LoginEvent,
): Promise<{ user: UserRow; passwordHash: string } | undefined> {
  // Looked up again, because the password may have been changed while this attempt waited for its turn.
  const user = await findByAccount(ctx.db.read, account)
  const passwordHash = user?.passwordHash ?? null
  const matches = await ctx.passwords.verify(password, passwordHash)
  if (matches && user && passwordHash !== null) return { user, passwordHash }
  await recordFailure(ctx, user, event, user === undefined ? 'unknown account' : 'wrong password')
  return undefined
}

/**
 * @throws AppError 403 for a disabled account, at the console for a user without a PLATFORM role, and everywhere for an administrator
 * with a weak password: the forgotten-password code and the command line are still open to them.
 */
async function refuseUnlessAllowed(
  ctx: AppContext,
  user: UserRow,
  event: LoginEvent,
  isStrongEnough: boolean,
): Promise<void> {
  const refuse = async (reason: string, refusal: AppError) => {
    await recordFailure(ctx, user, event, reason)
    throw refusal
  }
  if (user.status !== 'ACTIVE') await refuse('account disabled', accountDisabled())
  const isAdministrator = await holdsAnyPlatformRole(ctx, user.id)
  if (event.loginType === 'admin_login' && !isAdministrator) await refuse('not an administrator', notAnAdministrator())
  if (isAdministrator && !isStrongEnough) await refuse('weak password', weakAdministratorPassword())
}

const recordFailure = (ctx: AppContext, user: UserRow | undefined, event: LoginEvent, reason: string): Promise<void> =>
  ctx.db.write('accounts.recordFailure', (tx) => recordLogin(ctx, tx, user?.id ?? ANONYMOUS_USER_ID, event, reason))

/** Hashes the password again if the stored hash has outdated parameters: only now is the password known. Returns the stored hash. */
async function renewHash(ctx: AppContext, userId: number, before: string, password: string): Promise<string> {
  if (!ctx.passwords.outdated(before)) return before
  const after = await ctx.passwords.hash(password)
  return (await ctx.db.write('accounts.renewHash', (tx) => rehashPassword(tx, userId, before, after))) ? after : before
}

/** Signs in with a code sent to the phone; creates an account for an unknown number. */
export async function phoneLogin(ctx: AppContext, body: PhoneLogin, caller: Caller): Promise<LoginResponse> {
  const event = loginEvent('phone', caller, body)
  const phone = await phoneOf(body.phone)
  const proof = await checkCode(ctx, { purpose: 'LOGIN', credential: phone, userId: ANONYMOUS_USER_ID }, body.code)
  return loginOrRegister(ctx, 'PHONE', phone, body, event, caller, (tx) => consumeCode(ctx, tx, proof))
}

/** Signs in with the number that the carrier reports for the phone; creates an account for an unknown number. */
export async function oneClickLogin(ctx: AppContext, body: OneClickLogin, caller: Caller): Promise<LoginResponse> {
  const event = loginEvent('one_click_login', caller, body)
  const phone = await resolveOneClickToken(ctx, body.token)
  return loginOrRegister(ctx, 'PHONE', phone, body, event, caller)
}

/** Signs in the user with this DEVICE identity; creates an account for an unknown device. */
export async function deviceLogin(ctx: AppContext, body: DeviceSignIn, caller: Caller): Promise<LoginResponse> {
  const event = loginEvent('device_login', caller, body)
  return loginOrRegister(ctx, 'DEVICE', event.device.key, body, event, caller)
}

/**
 * The user whom the credential signs in. An administrator may have created the account with this phone, which was a claim until now. If
 * that account cannot be used, the phone is treated as an unknown one.
 */
async function findHolder(db: Db | Tx, provider: 'PHONE' | 'DEVICE', credential: string): Promise<Holder | undefined> {
  const holder = await holderForCodeSignIn(db, provider, credential)
  return holder?.identity.verified || holder?.user.status === 'ACTIVE' ? holder : undefined
}

/** Inside a write: a claim is verified, and its account belongs to the person who proved it from now on. */
async function proveClaim(ctx: AppContext, tx: Tx, { user, identity }: Holder, event: LoginEvent): Promise<void> {
  if (identity.verified) return
  await proveIdentity(ctx, tx, identity)
  await removeClaimantsPassword(ctx, tx, user.id, identity.provider, event)
}

async function loginOrRegister(
  ctx: AppContext,
  provider: 'PHONE' | 'DEVICE',
  credential: string,
  given: GivenFactor,
  event: LoginEvent,
  caller: Caller,
  useProof: (tx: Tx) => Promise<void> = async () => {},
): Promise<LoginResponse> {
  const holder = await findHolder(ctx.db.read, provider, credential)
  const factor = await proveFactorAlone(ctx, holder?.user.id, given, event)
  const mayRegister = await getSetting(ctx, 'registration.enabled')
  const nickname = await generateNickname(ctx, event.locale)
  const uses = await usesOf(ctx, NEW_ACCOUNTS, { actor: undefined, caller: event })
  const { grant, isNewUser } = await ctx.db.write('accounts.loginOrRegister', async (tx) => {
    await useProof(tx)
    const known = await findHolder(tx, provider, credential)
    if (known !== undefined) {
      await proveClaim(ctx, tx, known, event)
      return { grant: await signIn(ctx, tx, known.user.id, event, { factor }), isNewUser: false }
    }
    if (!mayRegister) throw registrationClosed()
    await countNewAccount(ctx, tx, uses)
    const user = (await createUser(tx, { username: null, password: null, nickname }))!
    // Writes are serial, so no other one can have proved the credential since it was looked up.
    if (!(await insertProved(ctx, tx, { userId: user.id, provider, credential }, event.locale)))
      throw new Error('a credential was bound within a write')
    const loginType = provider === 'DEVICE' ? 'device_auto_register' : event.loginType
    return { grant: await signIn(ctx, tx, user.id, { ...event, loginType }, { factor: undefined }), isNewUser: true }
  })
  return loginResponse(ctx, grant, caller, isNewUser)
}

/**
 * Signs in with a code sent to the e-mail. Only a caller with the right code learns that an address is not registered. The first
 * code for an unverified address verifies it and removes the password: it may be another person's (see `isMereClaim`). A mere claim
 * opens nothing. The refusal does not use up the code, so the caller can register with it.
 */
export async function emailLogin(ctx: AppContext, body: EmailLogin, caller: Caller): Promise<LoginResponse> {
  const event = loginEvent('email', caller, body)
  const email = emailOf(body.email)
  const proof = await checkCode(ctx, { purpose: 'LOGIN', credential: email, userId: ANONYMOUS_USER_ID }, body.code)
  const holder = await holderForCodeSignIn(ctx.db.read, 'EMAIL', email)
  const factor = await proveFactorAlone(ctx, holder?.user.id, body, event)
  const grant = await ctx.db.write('accounts.emailLogin', async (tx) => {
    await consumeCode(ctx, tx, proof)
    const owner = await holderForCodeSignIn(tx, 'EMAIL', email)
    if (owner === undefined) throw addressIsNew()
    await proveClaim(ctx, tx, owner, event)
    return signIn(ctx, tx, owner.user.id, event, { factor })
  })
  return loginResponse(ctx, grant, caller)
}

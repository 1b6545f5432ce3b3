import type { AppContext } from '#context'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'

import { phoneOf } from '../codes/targets.ts'
import { type Account, type Device, deviceOf, parseAccount } from '../credentials.ts'
import { accountDisabled, notAnAdministrator, wrongCredentials } from '../errors.ts'
import type { LoginType } from '../login-records/model.ts'
import { NOBODY, recordLogin } from '../login-records/record.ts'
import { guarded, lockOf } from '../passwords/guard.ts'
import { rehashPassword, userByIdentity, userByUsername, type UserRow } from '../users/store.ts'
import type { LoginResponse, PasswordLogin, PhonePasswordLogin } from './model.ts'
import { loginResponse } from './respond.ts'
import { signIn } from './sign-in.ts'

/** One attempt, for records. */
interface Attempt {
  readonly device: Device
  readonly loginType: LoginType
  readonly ip: string
  readonly locale: Locale
}

/** A user, and the hash that the password was found to fit. */
interface Known {
  readonly user: UserRow
  readonly passwordHash: string
}

/** Signs in with username or e-mail and password. */
export async function login(ctx: AppContext, body: PasswordLogin, caller: Caller): Promise<LoginResponse> {
  const attempt = attemptOf(body, caller, 'login')
  return enter(ctx, await personBehind(ctx, accountIn(body), body.password, attempt), attempt)
}

/** The same with a phone number. */
export async function phonePasswordLogin(
  ctx: AppContext,
  body: PhonePasswordLogin,
  caller: Caller,
): Promise<LoginResponse> {
  const attempt = attemptOf(body, caller, 'phone')
  const account = { kind: 'phone', key: await phoneOf(body.phone) } as const
  return enter(ctx, await personBehind(ctx, account, body.password, attempt), attempt)
}

/** The same for the console: only for who holds a role in the PLATFORM domain (spec §5.8). */
export async function adminLogin(ctx: AppContext, body: PasswordLogin, caller: Caller): Promise<LoginResponse> {
  const attempt = attemptOf(body, caller, 'admin_login')
  const known = await personBehind(ctx, accountIn(body), body.password, attempt)
  if (!(await holdsAnyPlatformRole(ctx, known.user.id))) {
    await recordFailure(ctx, attempt, known.user, 'not an administrator')
    throw notAnAdministrator()
  }
  return enter(ctx, known, attempt)
}

const attemptOf = (body: PasswordLogin | PhonePasswordLogin, caller: Caller, loginType: LoginType): Attempt => ({
  device: deviceOf(caller, body),
  loginType,
  ip: caller.ip,
  locale: caller.locale,
})

function accountIn(body: PasswordLogin): Account {
  const typed = body.account || body.username || body.email
  if (!typed) throw invalid('body.account', 'is required', '不能为空')
  return parseAccount(typed)
}

/** The user whose password this is. Unknown accounts and wrong passwords take the same time and get the same answer. */
async function personBehind(ctx: AppContext, account: Account, password: string, attempt: Attempt): Promise<Known> {
  const lock = lockOf(await findByAccount(ctx, account), account.key)
  const user = await guarded(ctx, lock, async () => {
    // Looked up again: the password may have been changed while this waited for its turn.
    const found = await findByAccount(ctx, account)
    if (await ctx.passwords.verify(password, found?.passwordHash ?? null)) return found
    await recordFailure(ctx, attempt, found, found === undefined ? 'unknown account' : 'wrong password')
    return undefined
  })
  const before = user?.passwordHash
  if (user === undefined || !before) throw wrongCredentials()
  if (user.status !== 'ACTIVE') {
    await recordFailure(ctx, attempt, user, 'account disabled')
    throw accountDisabled()
  }
  return { user, passwordHash: await renewHash(ctx, user.id, before, password) }
}

const findByAccount = (ctx: AppContext, { kind, key }: Account): Promise<UserRow | undefined> =>
  kind === 'username'
    ? userByUsername(ctx.db.read, key)
    : userByIdentity(ctx.db.read, kind === 'email' ? 'EMAIL' : 'PHONE', key)

async function recordFailure(ctx: AppContext, attempt: Attempt, user: UserRow | undefined, failureReason: string) {
  const { device, loginType, ip } = attempt
  await ctx.db.write('accounts.recordFailure', (tx) =>
    recordLogin(ctx, tx, { device, loginType, ip, userId: user?.id ?? NOBODY, failureReason }),
  )
}

/** Only now is the password known: a hash with yesterday's parameters is made anew. Gives the hash that is stored then. */
async function renewHash(ctx: AppContext, userId: number, before: string, password: string): Promise<string> {
  if (!ctx.passwords.outdated(before)) return before
  const after = await ctx.passwords.hash(password)
  return (await ctx.db.write('accounts.renewHash', (tx) => rehashPassword(tx, userId, before, after))) ? after : before
}

async function enter(ctx: AppContext, { user, passwordHash }: Known, attempt: Attempt): Promise<LoginResponse> {
  const grant = await ctx.db.write('accounts.enter', (tx) =>
    signIn(ctx, tx, { ...attempt, userId: user.id, passwordHash }),
  )
  return loginResponse(ctx, grant, { madeDeviceId: attempt.device.made })
}

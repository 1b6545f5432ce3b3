import type { AppContext } from '../../../context.ts'
import type { Caller } from '../../../http/endpoint.ts'
import { invalid } from '../../../http/validate.ts'
import { holdsAnyPlatformRole } from '../../access/index.ts'
import { type Account, type Device, deviceOf, parseAccount } from '../credentials.ts'
import { accountDisabled, notAnAdministrator, wrongCredentials } from '../errors.ts'
import type { LoginType } from '../login-records/model.ts'
import { NOBODY, recordLogin } from '../login-records/record.ts'
import { guarded } from '../passwords/guard.ts'
import { openSession } from '../sessions/open.ts'
import { rehashPassword, userByIdentity, userByUsername, type UserRow } from '../users/store.ts'
import type { LoginResponse, PasswordLogin } from './model.ts'
import { loginResponse } from './respond.ts'

/** One attempt, for records. */
interface Attempt {
  readonly device: Device
  readonly loginType: LoginType
  readonly ip: string
}

/** Signs in with username or e-mail and password. */
export async function login(ctx: AppContext, body: PasswordLogin, caller: Caller): Promise<LoginResponse> {
  const attempt = attemptOf(body, caller, 'login')
  return enter(ctx, await personBehind(ctx, body, attempt), attempt)
}

/** The same for the console: only for who holds a role in the PLATFORM domain (spec §5.8). */
export async function adminLogin(ctx: AppContext, body: PasswordLogin, caller: Caller): Promise<LoginResponse> {
  const attempt = attemptOf(body, caller, 'admin_login')
  const user = await personBehind(ctx, body, attempt)
  if (!(await holdsAnyPlatformRole(ctx, user.id))) {
    await recordFailure(ctx, attempt, user, 'not an administrator')
    throw notAnAdministrator()
  }
  return enter(ctx, user, attempt)
}

const attemptOf = (body: PasswordLogin, caller: Caller, loginType: LoginType): Attempt => ({
  device: deviceOf(caller, body),
  loginType,
  ip: caller.ip,
})

/** The user whose password this is. Unknown accounts and wrong passwords take the same time and get the same answer. */
async function personBehind(ctx: AppContext, body: PasswordLogin, attempt: Attempt): Promise<UserRow> {
  const typed = body.account || body.username || body.email
  if (!typed) throw invalid('body.account', 'is required', '不能为空')
  const account = parseAccount(typed)
  const user = await guarded(ctx, account.key, async () => {
    const found = await findByAccount(ctx, account)
    if (await ctx.passwords.verify(body.password, found?.passwordHash ?? null)) return found
    await recordFailure(ctx, attempt, found, found === undefined ? 'unknown account' : 'wrong password')
    return undefined
  })
  if (user === undefined) throw wrongCredentials()
  if (user.status !== 'ACTIVE') {
    await recordFailure(ctx, attempt, user, 'account disabled')
    throw accountDisabled()
  }
  await renewHash(ctx, user, body.password)
  return user
}

const findByAccount = (ctx: AppContext, { kind, key }: Account): Promise<UserRow | undefined> =>
  kind === 'email' ? userByIdentity(ctx.db.read, 'EMAIL', key) : userByUsername(ctx.db.read, key)

async function recordFailure(ctx: AppContext, attempt: Attempt, user: UserRow | undefined, failureReason: string) {
  await ctx.db.write((tx) => recordLogin(ctx, tx, { ...attempt, userId: user?.id ?? NOBODY, failureReason }))
}

/** Only now is the password known: a hash with yesterday's parameters is made anew. */
async function renewHash(ctx: AppContext, user: UserRow, password: string): Promise<void> {
  const before = user.passwordHash
  if (before === null || !ctx.passwords.outdated(before)) return
  const after = await ctx.passwords.hash(password)
  await ctx.db.write((tx) => rehashPassword(tx, user.id, before, after))
}

async function enter(ctx: AppContext, user: UserRow, attempt: Attempt): Promise<LoginResponse> {
  const grant = await ctx.db.write(async (tx) => {
    await recordLogin(ctx, tx, { ...attempt, userId: user.id })
    return openSession(ctx, tx, { ...attempt, userId: user.id })
  })
  return loginResponse(ctx, grant, { madeDeviceId: attempt.device.made })
}

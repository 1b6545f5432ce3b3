/** The refusals of the accounts domain. */

import type { ContactProvider } from '#db/schema/accounts.ts'
import { AppError, badRequest, forbidden, limited, unauthorized } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'

/** Why browsers offer no passkeys at the public URL: without https, and without a name. */
export const NO_PASSKEYS = ['NEEDS_HTTPS', 'NEEDS_NAME'] as const
export type NoPasskeys = (typeof NO_PASSKEYS)[number]

/** An unknown account and a wrong password get the same answer. */
export const wrongCredentials = () => unauthorized('Wrong username or password', '账号或密码错误')
export const accountDisabled = () => forbidden('This account is disabled', '该账号已被禁用')
export const notAnAdministrator = () => forbidden('This account may not use the console', '该账号无权登录管理后台')
export const weakAdministratorPassword = () =>
  forbidden(
    'Administrators need a password of at least 10 characters that is not common: choose a stronger one with a forgotten-password code, or ask the operator to set one',
    '管理员密码至少 10 个字符且不能过于常见：请通过“忘记密码”设置更强的密码，或请运维人员重置',
  )
/** Business code of the 403 that asks for the second factor. */
export const TOTP_NEEDED = 4032
const FACTORS = {
  TOTP: { en: 'A code of the authenticator app, as “totp”', zh: '身份验证器的验证码，在 totp 字段提交' },
  RECOVERY_CODE: { en: 'A recovery code, as “totp”', zh: '恢复码，在 totp 字段提交' },
  PASSKEY: {
    en: 'A passkey, as “passkey”: get a challenge with POST /api/auth/passkey-login/options',
    zh: '通行密钥，在 passkey 字段提交；先通过 POST /api/auth/passkey-login/options 获取挑战',
  },
} as const satisfies Record<string, Localized>
export type FactorWay = keyof typeof FACTORS

/** Answered only after the first factor was right. Its details name the ways that this user has. */
export const factorNeeded = (ways: readonly FactorWay[]) =>
  new AppError(
    403,
    TOTP_NEEDED,
    ways.includes('PASSKEY')
      ? {
          en: 'This account uses two-factor sign-in: send one of the ways that “details” names',
          zh: '该账号已启用两步验证，请提交 details 中列出的任一验证方式',
        }
      : {
          en: 'This account uses two-factor sign-in: send a code of the authenticator app, or a recovery code, as “totp”',
          zh: '该账号已启用两步验证，请在 totp 字段提交身份验证器的验证码或恢复码',
        },
    { details: ways.map((way) => ({ path: way, text: FACTORS[way] })) },
  )
/** Business code 4033, because a wrong verification code of the same request is a 400, too. A 401 would sign a signed-in caller out. */
export const wrongTotp = () =>
  new AppError(400, 4033, {
    en: 'The two-factor code is wrong or has been used',
    zh: '两步验证的验证码不正确或已被使用',
  })
/** The same code for a passkey as second factor. */
export const wrongPasskeyFactor = () =>
  new AppError(400, 4033, { en: 'The passkey was not accepted', zh: '通行密钥未通过验证' })
export const passkeyCopied = () =>
  new AppError(400, 4033, {
    en: 'There may be a copy of this passkey, so it no longer opens the account: remove it and add a new one',
    zh: '该通行密钥可能已被复制，已停用，请移除并添加新的通行密钥',
  })
/** The same for an unknown passkey, another origin, a used challenge, and everything else that does not fit. */
export const passkeyRefused = () =>
  badRequest('The passkey was not accepted: ask for a new challenge', '通行密钥未通过验证，请重新获取挑战')
export const passkeysUnavailable = (reason: NoPasskeys) =>
  reason === 'NEEDS_HTTPS'
    ? badRequest('Passkeys need a server with https', '通行密钥要求服务器使用 https')
    : badRequest(
        'Passkeys need a server with a name, not only an address',
        '通行密钥要求服务器使用域名，不能只用 IP 地址',
      )
export const passkeyExists = () => badRequest('This passkey is registered already', '该通行密钥已注册')
export const passkeyNotKept = () =>
  badRequest(
    'This security key cannot keep passkeys, so no sign-in could find it: use another one',
    '该安全密钥无法保存通行密钥，登录时将无法使用，请换一个',
  )
export const tooManyPasskeys = (max: number) =>
  badRequest(`You can have at most ${max} passkeys: remove one first`, `最多可有 ${max} 个通行密钥，请先移除一个`)
export const noPasskeys = () => badRequest('Add a passkey first', '请先添加通行密钥')
export const lastPasskey = () =>
  badRequest(
    'Your sign-in requires a passkey, and this is the last one: add another one first, or stop requiring them',
    '登录要求使用通行密钥，而这是最后一个：请先添加其他通行密钥，或关闭该要求',
  )
export const passkeySuspect = () =>
  badRequest('There may be a copy of this passkey, so it can only be removed', '该通行密钥可能已被复制，只能移除')
export const totpRequired = () =>
  new AppError(403, 4034, {
    en: 'Administrators need two-factor sign-in here: switch yours on first',
    zh: '管理员须先启用两步验证',
  })
export const totpEnabled = () => badRequest('Two-factor sign-in is already on', '已启用两步验证')
export const totpNotEnabled = () => badRequest('Two-factor sign-in is off', '未启用两步验证')
export const enrolmentExpired = () =>
  badRequest(
    'There is no secret to confirm, or it has expired: request a new one',
    '没有待确认的密钥或密钥已过期，请重新获取',
  )
/** Answered only after everything else was right. */
export const localSignInOff = () =>
  new AppError(403, 4036, {
    en: 'This way to sign in is switched off here: sign in with your organization’s provider',
    zh: '此登录方式已关闭，请通过您组织的身份提供方登录',
  })
export const registrationClosed = () => forbidden('Registration is closed', '注册已关闭')

const CONFIRMATIONS = {
  PASSWORD: {
    en: 'Send your password to POST /api/auth/confirm',
    zh: '通过 POST /api/auth/confirm 提交密码',
  },
  PHONE_CODE: {
    en: 'Request a code for your phone with POST /api/auth/password/change-code and send it to POST /api/auth/confirm',
    zh: '通过 POST /api/auth/password/change-code 获取手机验证码，再提交到 POST /api/auth/confirm',
  },
  EMAIL_CODE: {
    en: 'Request a code for your e-mail with POST /api/auth/password/change-code and send it to POST /api/auth/confirm',
    zh: '通过 POST /api/auth/password/change-code 获取邮箱验证码，再提交到 POST /api/auth/confirm',
  },
  PASSKEY: {
    en: 'Get a challenge with POST /api/auth/passkey-login/options and send the answer of your passkey to POST /api/auth/confirm',
    zh: '通过 POST /api/auth/passkey-login/options 获取挑战，再将通行密钥的应答提交到 POST /api/auth/confirm',
  },
  SIGN_IN: { en: 'Sign in again', zh: '重新登录' },
} as const satisfies Record<string, Localized>

/** 403 with business code 4031. Its details name the ways to confirm. */
export const confirmFirst = (ways: readonly Exclude<keyof typeof CONFIRMATIONS, 'SIGN_IN'>[]) =>
  new AppError(
    403,
    4031,
    { en: 'Confirm first that you are the owner of this account', zh: '请先确认你是此账号的所有者' },
    { details: [...ways, 'SIGN_IN' as const].map((way) => ({ path: way, text: CONFIRMATIONS[way] })) },
  )
/** A 400, although a secret was wrong: a 401 would sign the caller out. */
export const wrongPassword = () => invalid('body.password', 'is wrong', '不正确')

/** `seconds` until the lock ends. */
export const locked = (seconds: number) =>
  limited('Too many failed attempts, try again later', '失败次数过多，请稍后再试', seconds)

export const sessionEnded = () => unauthorized('Your session has ended, sign in again', '会话已失效，请重新登录')
/** Its details tell a program that the device is the problem: refreshing the token would not help. */
export const wrongDevice = () =>
  unauthorized('X-Device-Id is missing or does not belong to this session', '缺少设备标识或设备标识与会话不符', {
    details: [
      {
        path: 'header.X-Device-Id',
        text: { en: 'is missing or does not belong to this session', zh: '缺失或与会话不符' },
      },
    ],
  })
export const deviceNotProven = () =>
  forbidden(
    'This session belongs to another device: send the device id of that device',
    '该会话属于其他设备，请提供该设备的设备标识',
  )
export const deviceOfPage = () =>
  invalid('body.deviceId', 'cannot be chosen by a page: leave it out', '不能由网页指定，请勿提交')
export const badRefreshToken = () =>
  unauthorized('The refresh token is not valid, sign in again', '刷新令牌无效，请重新登录')

/** `seconds` until the next code may be requested. */
export const tooManyCodes = (seconds: number) =>
  limited('Too many codes were sent, try again later', '验证码发送过于频繁，请稍后再试', seconds)
/** A wrong, a used, an expired and a too often tried code get the same answer. */
export const wrongCode = () => badRequest('The code is wrong or has expired', '验证码错误或已失效')

export const badUsername = (path = 'body.username') =>
  invalid(
    path,
    'must be 3 to 32 letters, digits and, between them, single _ . or -, and start with a letter',
    '须为 3 到 32 位字母、数字或其间单个的 _ . -，且以字母开头',
  )
export const badEmail = (path = 'body.email') => invalid(path, 'is not an e-mail address', '不是有效的邮箱地址')
export const badPhone = (path = 'body.phone') =>
  invalid(path, 'is not a phone number: 11 digits, or + and the country code', '不是有效的手机号')
export const notRegistered = () => badRequest('This account is not registered', '该账号未注册')
/** Business code 4035: the code was right, so that an app can go on to `register` with it. Callers without the right code never get it. */
export const addressIsNew = () => new AppError(400, 4035, { en: 'This account is not registered', zh: '该账号未注册' })
export const notBound = (provider: ContactProvider) =>
  provider === 'PHONE'
    ? badRequest('No phone number is bound', '未绑定手机号')
    : badRequest('No e-mail is bound', '未绑定邮箱')
export const notVerified = (provider: ContactProvider) =>
  provider === 'PHONE'
    ? badRequest('The phone number is not verified: bind it again', '手机号未验证，请重新绑定')
    : badRequest('The e-mail is not verified: bind it again', '邮箱未验证，请重新绑定')
export const credentialTaken = (provider: ContactProvider) =>
  provider === 'PHONE'
    ? invalid('body.phone', 'belongs to another account', '已被其他账号绑定')
    : invalid('body.email', 'belongs to another account', '已被其他账号绑定')

export const noPasswordSet = () =>
  badRequest('No password is set: verify with a code', '尚未设置密码，请使用验证码验证')
/** A 400, although a secret was wrong: a 401 would sign the caller out. */
export const wrongOldPassword = () => invalid('body.oldPassword', 'is wrong', '不正确')

export const linkTargetUnknown = () =>
  badRequest('No account uses this phone number or e-mail', '没有账号使用该手机号或邮箱')
export const linkToSelf = () => badRequest('This is your own account', '不能关联自己的账号')
export const alreadyLinked = () => badRequest('This account is already linked', '该账号已关联')
/** To an administrator, about two other users. */
export const pairLinked = () =>
  badRequest('These accounts are already linked, or a link is already proposed', '这两个账号已关联，或已有待接受的关联')
export const linkRefused = () => badRequest('Wrong username or password', '账号或密码错误')

export const administratorCannotDelete = () =>
  badRequest(
    'An administrator’s account cannot be deleted: give up the administrator role first',
    '管理员账号不能注销，请先解除管理员角色',
  )

export const usernameTaken = (path = 'body.username') => invalid(path, 'is taken', '已被使用')
export const emailUnusable = () =>
  invalid('body.email', 'cannot be used without a code that was sent to it', '需使用发送到该邮箱的验证码确认后才能使用')
export const invitationOver = () =>
  invalid('body.invitationToken', 'is not one of an open invitation', '不是有效邀请的令牌')
export const nameOrEmailNeeded = () => badRequest('Enter a username or an e-mail', '请填写用户名或邮箱')
export const usernameAlreadySet = () =>
  badRequest('The username is already set and cannot be changed', '用户名已设置，无法修改')
/** Business code 4038. */
export const initialPassword = () =>
  new AppError(403, 4038, {
    en: 'Change the password that you were given first',
    zh: '请先修改初始密码',
  })
export const resetCodesOff = () =>
  forbidden('Administrators make no reset codes on this server', '此服务器不允许管理员生成重置码')
export const ownResetCode = () => forbidden('You cannot make a reset code for yourself', '不能为自己生成重置码')
export const resetCodeOfAdministrator = () =>
  forbidden(
    'The operator makes reset codes for administrators, on the command line',
    '管理员的重置码由运维人员在命令行中生成',
  )
export const resetCodeOfInactive = () =>
  badRequest('Only an active user can use a reset code', '只有状态正常的用户可使用重置码')
export const canResetAlone = () =>
  badRequest(
    'This user has a confirmed e-mail or phone, and sets a new password with a code that is sent there',
    '该用户已验证邮箱或手机号，可通过发送到那里的验证码自行设置新密码',
  )

export const passwordAlreadySet = () => badRequest('A password is already set', '已设置过密码')

export const onlyWayToSignIn = () =>
  badRequest(
    'This is the only way to sign in to the account: bind an e-mail or phone, or set a username and password first',
    '这是登录此账号的唯一方式，请先绑定邮箱或手机号，或设置用户名和密码',
  )

export const undoLinkInvalid = () => forbidden('This link has been used or has expired', '此链接已使用或已过期')
export const undoImpossible = () =>
  badRequest('This e-mail is bound to another account by now', '此邮箱现已绑定到其他账号')
export const setupLinkInvalid = () =>
  forbidden('This setup link has been used or has expired', '设置链接已使用或已过期')

export const userDeleted = () => badRequest('This account is deleted', '该账号已注销')
export const userDisabled = () =>
  badRequest('A disabled user cannot become an administrator', '已禁用的用户不能成为管理员')
export const ownAccount = () => badRequest('Delete your own account in its settings', '请在自己的账号设置中注销账号')
export const accountOfAdministrator = () =>
  forbidden(
    'The account of an administrator cannot be deleted: revoke the role first',
    '不能删除管理员的账号，请先撤销其角色',
  )
export const userNotDisabled = () => badRequest('Disable the user first', '请先禁用该用户')
export const ownStatus = () => badRequest('You cannot change your own status', '不能修改自己的状态')
export const initialAdministratorStaysActive = () =>
  badRequest('The first administrator cannot be disabled', '不能禁用初始管理员')

export const notMember = () => forbidden('You are not a member of this organization', '你不是该组织的成员')

export const nicknameWordExists = () => badRequest('The list has this word already', '该词已存在')
export const tooManyNicknameWords = (max: number) =>
  badRequest(`A list can have at most ${max} words of one language`, `每种语言最多 ${max} 个词`)

export const linkOfAdministrator = () =>
  forbidden('Accounts of administrators cannot be linked in this way', '管理员账号不能以此方式关联')
/** Answered only to somebody who has proved that the account is theirs, and to administrators. */
export const linkIntoSecondFactor = () =>
  new AppError(403, TOTP_NEEDED, {
    en: 'An account with two-factor sign-in cannot be linked: sign in to it with a code instead',
    zh: '已启用两步验证的账号无法关联，请使用验证码登录该账号',
  })
export const linkOfCaller = () => forbidden('You cannot propose a link of your own account', '不能为自己的账号提议关联')

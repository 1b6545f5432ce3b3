/** What a caller is told when an account rule says no. */
import { badRequest, forbidden, limited, unauthorized } from '../../http/errors.ts'
import { invalid } from '../../http/validate.ts'

/** Unknown account and wrong password get the same answer. */
export const wrongCredentials = () => unauthorized('Wrong account or password', '账号或密码错误')
export const accountDisabled = () => forbidden('This account is disabled', '该账号已被禁用')
export const notAnAdministrator = () => forbidden('This account may not use the console', '该账号无权登录管理后台')
export const registrationClosed = () => forbidden('Registration is closed', '注册已关闭')

export const locked = (seconds: number) =>
  limited('Too many failed attempts, try again later', '失败次数过多，请稍后再试', seconds)

/** One object each: they are answered on the path of every request. */
export const sessionEnded = unauthorized('Your session has ended, sign in again', '会话已失效，请重新登录')
export const wrongDevice = unauthorized(
  'X-Device-Id is missing or not the one of this session',
  '缺少设备标识或设备标识与会话不符',
)

export const badRefreshToken = () =>
  unauthorized('The refresh token is not valid, sign in again', '刷新令牌无效，请重新登录')

export const usernameTaken = (path = 'body.username') => invalid(path, 'is taken', '已被使用')
export const emailUnusable = () => invalid('body.email', 'cannot be used', '无法使用')
export const nameOrEmailNeeded = () => badRequest('Give a username or an e-mail', '请填写用户名或邮箱')
export const usernameAlreadySet = () =>
  badRequest('The username is set and cannot be changed', '用户名已设置，无法修改')
export const passwordAlreadySet = () => badRequest('A password is already set', '已设置过密码')

export const lastWayIn = () =>
  badRequest(
    'This device is the only way into the account: bind an e-mail or phone, or set a username and password first',
    '该设备是登录此账号的唯一方式，请先绑定邮箱或手机号，或设置用户名和密码',
  )

export const setupLinkInvalid = () =>
  forbidden('This setup link has been used or has expired', '设置链接已使用或已过期')

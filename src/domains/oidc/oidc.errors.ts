import { badRequest } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

export const badRedirect = (path: string) =>
  invalid(
    path,
    'must be a path of this server’s web application such as /console/, or one of the addresses that administrators have allowed',
    '须为本服务器网页应用的路径（例如 /console/），或管理员允许的地址之一',
  )
export const challengeNeeded = (path: string) =>
  invalid(
    path,
    'is required for an address of an app: the S256 hash of a random verifier',
    '返回应用时必填：随机校验码的 S256 值',
  )
/** An unknown, a used and an expired ticket, and one of another browser or app get the same answer. */
export const ticketInvalid = () =>
  badRequest('This sign-in has been used or has expired: start again', '此次登录已使用或已过期，请重新开始')
export const keyTaken = () => invalid('body.key', 'is used by another provider', '已被其他身份提供方使用')
export const tooManyProviders = (max: number) =>
  badRequest(`A server can have at most ${max} providers`, `最多可添加 ${max} 个身份提供方`)
export const issuerNotPublic = () =>
  invalid(
    'body.issuer',
    'must be an https address of the public internet; addresses of a private network must be named in TESSERA_PRIVATE_TARGETS',
    '须为公网的 https 地址；内网地址须在 TESSERA_PRIVATE_TARGETS 中列出',
  )
export const unknownOrg = (line: number) =>
  invalid(`body.roleMap.${line}.orgId`, 'is not an organization', '组织不存在')
export const wouldStrand = (count: number) =>
  badRequest(
    'Some users could no longer sign in: repeat the request with ?force=true if that is intended',
    '部分用户将无法登录：如确需如此，请加上 ?force=true 重试',
    { details: [{ path: 'stranded', text: { en: String(count), zh: String(count) } }] },
  )
export const lastWayIn = () =>
  badRequest(
    'This is your only way to sign in: set a password or bind an e-mail or phone first',
    '这是您唯一的登录方式，请先设置密码，或绑定邮箱或手机号',
  )
export const badLogoutToken = () => badRequest('The logout token is not valid', '登出令牌无效')

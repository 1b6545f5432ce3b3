/** What a caller is told when one-click sign-in does not work. */

import { badRequest, unavailable } from '#http/errors.ts'

/** The gateway refused the token: expired, used, or made up. */
export const oneClickTokenRefused = (reason: string) =>
  badRequest(
    'One-click sign-in failed: the token is not valid or has expired. Try again or use a code',
    '一键登录失败：令牌无效或已过期，请重试或使用验证码登录',
    { log: { reason } },
  )

export const oneClickNotConfigured = () =>
  badRequest('One-click sign-in is not set up on this server', '服务器未开通一键登录')

/** The gateway does not answer, or does not accept us. */
export const oneClickUnavailable = () =>
  unavailable('One-click sign-in does not work at the moment, use a code', '一键登录暂不可用，请使用验证码登录', {
    retryAfter: 30,
  })

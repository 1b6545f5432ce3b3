/** The business settings about passwords and how users prove who they are. */

import { Type } from '@sinclair/typebox'

import { integer, protection } from './kinds.model.ts'

export const protections = {
  'password.minLength': protection(
    integer(6, 64),
    6,
    ['Length of passwords', 'Minimum length of a new password. Administrators have a higher minimum.'],
    ['密码长度', '新密码的最小长度。管理员的最小长度更高。'],
  ),
  'password.refuseCommon': protection(
    Type.Boolean(),
    true,
    ['Common passwords', 'Whether common passwords are refused.'],
    ['常见密码', '是否拒绝常见密码。'],
  ),
  'security.stepUp': protection(
    Type.Boolean(),
    false,
    [
      'Confirmation of identity',
      'Whether every user has to confirm who they are before they change a bound phone or e-mail, set a password or delete the account. Administrators always have to.',
    ],
    ['身份确认', '用户在更换绑定的手机或邮箱、设置密码或注销账号之前是否须确认身份。管理员始终须确认。'],
  ),
  'security.requireTotp': protection(
    Type.Boolean(),
    false,
    [
      'Two-factor sign-in',
      'Whether administrators can administer the server only with a second factor: codes of an app, or required passkeys. Switch yours on first.',
    ],
    ['两步验证', '管理员是否必须启用两步验证才能使用管理后台。请先启用自己的两步验证。'],
  ),
  'security.trustedDevices': protection(
    Type.Boolean(),
    true,
    [
      'Trusted devices',
      'Whether users can spare a device the second factor for 30 days. Administrators never can. Switched off, it holds for devices that are trusted already, too.',
    ],
    [
      '受信任的设备',
      '用户是否可以让某台设备在 30 天内免除第二重验证。管理员始终不能。关闭后，已受信任的设备也须重新验证。',
    ],
  ),
}

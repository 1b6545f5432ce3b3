/** The business settings about passwords and how users prove who they are. */

import { Type } from '@sinclair/typebox'

import { Enum } from '#http/schema.ts'

import { integer, protection } from './kinds.model.ts'

/** An address with a scheme and without a fragment. A browser runs those of the three schemes, or shows them as a page of its own. */
const APP_ADDRESS = String.raw`^(?!(?:javascript|data|vbscript|blob|file|about):)[a-z][a-z0-9+.\-]*:[^\s#<>"]+$`

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
  'security.localSignIn': protection(
    Enum(['ALL', 'ADMINS']),
    'ALL',
    [
      'Sign-in without a provider',
      'Who can sign in by other ways than an OpenID provider: `ALL` everyone, `ADMINS` administrators of the server only. `ADMINS` needs an enabled provider whose check has succeeded within the last hour.',
    ],
    [
      '不经身份提供方登录',
      '谁可以不通过 OpenID 身份提供方登录：`ALL` 所有人，`ADMINS` 仅服务器管理员。设为 `ADMINS` 之前，须有一个已启用的身份提供方在过去一小时内检查通过。',
    ],
  ),
  'oidc.redirects': protection(
    Type.Array(Type.String({ minLength: 1, maxLength: 500, pattern: APP_ADDRESS }), {
      maxItems: 50,
      uniqueItems: true,
    }),
    [],
    [
      'Addresses of apps after a sign-in',
      'Addresses to which a sign-in by an OpenID provider may return besides pages of this server, such as `com.example.app:/signed-in`. They are compared exactly, and need PKCE.',
    ],
    [
      '应用登录返回地址',
      '通过 OpenID 身份提供方登录后，除本服务器页面外还可返回的地址，例如 `com.example.app:/signed-in`。须完全一致，且须使用 PKCE。',
    ],
  ),
}

/** The business settings about the ways in which people get an account, and get back into it. */

import { Type } from '@sinclair/typebox'

import { protection, setting } from './kinds.model.ts'

export const people = {
  'registration.byInvitation': setting(
    Type.Boolean(),
    false,
    ['Registration by invitation', 'Whether people with an invitation by mail can register while registration is off.'],
    ['受邀注册', '关闭注册时，收到邮件邀请的人是否仍可注册。'],
  ),
  'password.changeInitial': protection(
    Type.Boolean(),
    false,
    [
      'Change initial passwords',
      'Whether users must change a password that an administrator chose or the server made before they can do anything else.',
    ],
    ['修改初始密码', '由管理员设置或服务器生成的密码，用户是否须先修改才能进行其他操作。'],
  ),
  'security.adminResetCodes': protection(
    Type.Boolean(),
    false,
    [
      'Reset codes by administrators',
      'Whether administrators can make reset codes for users without a confirmed e-mail or phone. The user is notified.',
    ],
    ['管理员重置码', '管理员是否可为未验证邮箱和手机号的用户生成重置码。系统会通知该用户。'],
  ),
}

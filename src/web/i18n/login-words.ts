/** Words for the events and failures of login records. */

import type { LoginType } from '../api/types.ts'
import { texts } from './words.ts'

const en: Record<LoginType, string> = {
  register: 'Registered',
  login: 'Signed in with password',
  admin_login: 'Signed in as administrator',
  device_login: 'Signed in with device',
  device_auto_register: 'Account made for a device',
  register_device: 'Device added',
  remove_device: 'Device removed',
  logout: 'Signed out',
  logout_unbind_device: 'Signed out and removed the device',
  session_switch: 'Changed to another session',
  username_set: 'Username set',
  password_set: 'Password set',
  password_change: 'Password changed',
  phone: 'Signed in by phone',
  email: 'Signed in by e-mail',
  one_click_login: 'Signed in by phone in one tap',
  account_switch: 'Switched account',
  account_delete: 'Account deleted',
  phone_bind: 'Phone added',
  email_bind: 'E-mail added',
  phone_unbind: 'Phone removed',
  email_unbind: 'E-mail removed',
  account_link: 'Accounts linked',
  account_unlink: 'Link of accounts removed',
  email_restore: 'Change of e-mail undone',
  totp_enable: 'Two-factor sign-in switched on',
  totp_disable: 'Two-factor sign-in switched off',
  recovery_codes: 'New recovery codes',
  token_refresh: 'Session renewed',
  password: 'Password, reported by an app',
  device: 'Device, reported by an app',
  qrcode: 'QR code, reported by an app',
  oauth: 'Other provider, reported by an app',
}
const zh: Record<LoginType, string> = {
  register: '注册',
  login: '密码登录',
  admin_login: '管理员登录',
  device_login: '设备登录',
  device_auto_register: '设备自动注册',
  register_device: '添加设备',
  remove_device: '移除设备',
  logout: '退出登录',
  logout_unbind_device: '退出并解绑设备',
  session_switch: '切换会话',
  username_set: '设置用户名',
  password_set: '设置密码',
  password_change: '修改密码',
  phone: '手机号登录',
  email: '邮箱登录',
  one_click_login: '手机号一键登录',
  account_switch: '切换账号',
  account_delete: '注销账号',
  phone_bind: '绑定手机号',
  email_bind: '绑定邮箱',
  phone_unbind: '解绑手机号',
  email_unbind: '解绑邮箱',
  account_link: '关联账号',
  account_unlink: '取消关联账号',
  email_restore: '撤销邮箱更改',
  totp_enable: '开启两步验证',
  totp_disable: '关闭两步验证',
  recovery_codes: '更换恢复码',
  token_refresh: '续期会话',
  password: '密码（应用上报）',
  device: '设备（应用上报）',
  qrcode: '二维码（应用上报）',
  oauth: '第三方登录（应用上报）',
}

export const loginWords = texts({ en, zh })

const reasons = texts({
  en: {
    'unknown account': 'There is no such account',
    'wrong password': 'Wrong password',
    'wrong second factor': 'Wrong two-factor code',
    'account disabled': 'The account is disabled',
    'not an administrator': 'Not an administrator',
    'weak password': 'The password is too weak for an administrator',
  },
  zh: {
    'unknown account': '账号不存在',
    'wrong password': '密码错误',
    'wrong second factor': '两步验证码错误',
    'account disabled': '账号已停用',
    'not an administrator': '不是管理员',
    'weak password': '密码强度不足，不能用于管理员',
  },
})
/** By the reasons that the server writes; those that apps report are shown as they are. */
export const failureWords: {
  readonly en: Readonly<Record<string, string>>
  readonly zh: Readonly<Record<string, string>>
} = reasons

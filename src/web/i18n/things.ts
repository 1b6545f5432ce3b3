/**
 * The noun for each kind of thing. The menu, tables, the log, permissions and enums all take it from here, so that a thing has the same
 * name everywhere.
 */

import type { Localized } from './locale.ts'

export interface Thing {
  readonly one: Localized
  readonly many: Localized
}

const noun = (one: string, many: string, zh: string): Thing => ({ one: { en: one, zh }, many: { en: many, zh } })

export const things = {
  accountLink: noun('Account link', 'Account links', '账号关联'),
  activity: noun('Activity', 'Activities', '活动'),
  apiKey: noun('API key', 'API keys', 'API 密钥'),
  agreement: noun('Agreement', 'Agreements', '协议'),
  album: noun('Album', 'Albums', '相册'),
  appVersion: noun('App version', 'App versions', '应用版本'),
  asset: noun('Asset', 'Assets', '资产'),
  supply: noun('Supply', 'Supplies', '物料'),
  assetCategory: noun('Asset category', 'Asset categories', '资产分类'),
  backup: noun('Backup', 'Backups', '备份'),
  chat: noun('Chat', 'Chats', '聊天'),
  checkIn: noun('Check-in', 'Check-ins', '签到'),
  codeDesign: noun('Design', 'Designs', '外观'),
  contact: noun('Contact', 'Contacts', '联系人'),
  contactCard: noun('Contact card', 'Contact cards', '名片'),
  device: noun('Device', 'Devices', '设备'),
  field: noun('Field', 'Fields', '字段'),
  fieldValue: noun('Field value', 'Field values', '字段值'),
  file: noun('File', 'Files', '文件'),
  folder: noun('Folder', 'Folders', '文件夹'),
  foundReport: noun('Found', 'Found', '拾获留言'),
  group: noun('Group', 'Groups', '群聊'),
  invitation: noun('Invitation', 'Invitations', '邀请'),
  joinRequest: noun('Join request', 'Join requests', '加入申请'),
  loan: noun('Loan', 'Loans', '借用'),
  location: noun('Location', 'Locations', '位置'),
  loginRecord: noun('Login record', 'Login records', '登录记录'),
  member: noun('Member', 'Members', '成员'),
  message: noun('Message', 'Messages', '消息'),
  nicknameWord: noun('Nickname word', 'Nickname words', '昵称词'),
  notification: noun('Notification', 'Notifications', '通知'),
  objectType: noun('Object type', 'Object types', '对象类型'),
  organization: noun('Organization', 'Organizations', '组织'),
  pass: noun('Pass', 'Passes', '通行证'),
  passTemplate: noun('Pass template', 'Pass templates', '通行证模板'),
  permissionPoint: noun('Permission point', 'Permission points', '权限点'),
  photo: noun('Photo', 'Photos', '照片'),
  qrCode: noun('QR code', 'QR codes', '二维码'),
  registration: noun('Registration', 'Registrations', '报名'),
  reservation: noun('Reservation', 'Reservations', '预约'),
  role: noun('Role', 'Roles', '角色'),
  scanRecord: noun('Scan record', 'Scan records', '扫码记录'),
  session: noun('Session', 'Sessions', '会话'),
  setting: noun('Setting', 'Settings', '设置'),
  sharedCopy: noun('Shared copy', 'Shared copies', '共享副本'),
  stockTaking: noun('Stock-taking', 'Stock-takings', '盘点'),
  template: noun('Template', 'Templates', '模板'),
  user: noun('User', 'Users', '用户'),
  voiceMessage: noun('Voice message', 'Voice messages', '语音'),
  webhook: noun('Webhook', 'Webhooks', 'Webhook'),
} as const satisfies Record<string, Thing>

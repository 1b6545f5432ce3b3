/** The business settings that limit what one user, one address or the server may use in a day, against abuse. */

import { setting, size } from './kinds.model.ts'

export const budgets = {
  'budget.accountsPerAddress': setting(
    size,
    20,
    ['New accounts', 'Accounts that one IP address may create a day; 0 = unlimited.'],
    ['新建账号数', '每个 IP 地址每天可创建的账号数；0 表示不限。'],
  ),
  'budget.contactsPerUser': setting(
    size,
    50,
    ['Look-ups of a user', 'E-mail addresses and phone numbers that a user may look up a day; 0 = unlimited.'],
    ['用户查询数', '每个用户每天可查询的邮箱和手机号数量；0 表示不限。'],
  ),
  'budget.contactsPerAddress': setting(
    size,
    200,
    [
      'Look-ups of an IP address',
      'E-mail addresses and phone numbers that all users at an IP address may look up a day; 0 = unlimited.',
    ],
    ['IP 地址查询数', '同一 IP 地址的所有用户每天可查询的邮箱和手机号数量；0 表示不限。'],
  ),
  'budget.invitationsPerUser': setting(
    size,
    200,
    ['Invitations', 'Invitations and join links that a user may send a day; 0 = unlimited.'],
    ['邀请数', '每个用户每天可发送的邀请和加入链接数；0 表示不限。'],
  ),
  'budget.pushedRecordsPerUser': setting(
    size,
    100_000,
    [
      'Scans and pushed records',
      'Scans that a user may record and records that their devices may push a day; 0 = unlimited.',
    ],
    ['扫码与推送记录数', '每个用户每天可记录的扫码与其设备可推送的记录总数；0 表示不限。'],
  ),
  'budget.smsPerDay': setting(
    size,
    1000,
    ['SMS', 'SMS that the server sends a day; 0 = unlimited.'],
    ['短信数', '服务器每天发送的短信数；0 表示不限。'],
  ),
  'budget.eventMailsPerOwner': setting(
    size,
    5000,
    [
      'Mails to participants',
      'Mails that a user or an organization may send to participants of their activities a day; 0 = unlimited.',
    ],
    ['参与者邮件数', '每个用户或组织每天可向其活动参与者发送的邮件数；0 表示不限。'],
  ),
  'budget.guestsPerAddress': setting(
    size,
    1000,
    [
      'Guest forms of an IP address',
      'Forms that guests without an account may send from one IP address a day, or from one IPv6 /48; 0 = unlimited.',
    ],
    ['每个 IP 地址的访客报名数', '同一 IP 地址（IPv6 为 /48 网段）每天可提交的无账号访客报名表数量；0 表示不限。'],
  ),
  'budget.guestMailsPerRecipient': setting(
    size,
    3,
    [
      'Confirmation mails to a guest',
      'Links that one mailbox may get a day from forms for guests, for all activities; 0 = unlimited.',
    ],
    ['每个访客邮箱的确认邮件数', '每个邮箱每天可收到的访客报名链接邮件总数（所有活动合计）；0 表示不限。'],
  ),
  'budget.guestMailsPerOwner': setting(
    size,
    5000,
    [
      'Confirmation mails to guests',
      'Links that forms for guests may send a day for all activities of a user or an organization; 0 = unlimited.',
    ],
    ['访客确认邮件数', '每个用户或组织的所有活动每天可向访客发送的报名链接邮件数；0 表示不限。'],
  ),
  'budget.eventMailsPerDay': setting(
    size,
    20_000,
    [
      'Mails to participants in all',
      'Mails that the server sends to participants of all activities a day; 0 = unlimited.',
    ],
    ['参与者邮件总数', '服务器每天向所有活动的参与者发送的邮件数；0 表示不限。'],
  ),
  'budget.assetMailsPerDay': setting(
    size,
    20_000,
    ['Mails about assets', 'Mails about assets that the server sends to all users a day; 0 = unlimited.'],
    ['资产邮件数', '服务器每天向所有用户发送的资产邮件数；0 表示不限。'],
  ),
  'budget.invitationMailsPerDay': setting(
    size,
    2000,
    [
      'Invitations to organizations by mail',
      'Mails a day that invite people to organizations or to their new accounts; others wait up to three days; 0 = unlimited.',
    ],
    ['组织邀请邮件数', '服务器每天发送的组织邀请和新账号邮件数，其余最多等待三天；0 表示不限。'],
  ),
  'budget.invitationMailsPerOwner': setting(
    size,
    1000,
    [
      'Invitations by mail',
      'Invitations to activities that an organization may mail a day; 0 = unlimited. Users may mail at most 50 a day, and none without a proved address.',
    ],
    [
      '邀请邮件数',
      '每个组织每天可通过邮件发送的活动邀请数；0 表示不限。个人每天最多 50 封，未验证邮箱的用户不能发送。',
    ],
  ),
}

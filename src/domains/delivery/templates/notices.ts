/** E-mails about account changes, so that users notice changes made by someone else. */

import type { Locale, Localized } from '#lib/localized.ts'
import { plainName } from '#lib/text.ts'
import { serverZone } from '#platform/clock.ts'

import type { EventContext, NoticeData, NoticeKind } from '../delivery.model.ts'
import { isOwnName, type Letter, letter, type Sender } from './layout.ts'

interface Notice<K extends NoticeKind> {
  readonly subject: Localized
  /** `name`: of the server. */
  readonly lead: (name: string) => Localized
  /** A fact shown before time, device, place and IP address. */
  readonly fact?: (data: NoticeData[K]) => readonly [name: Localized, value: string]
}

const PASSKEY: Localized = { en: 'Passkey', zh: '通行密钥' }
const CONTACT: Localized = { en: 'Contact', zh: '联系方式' }

const NOTICES: { readonly [K in NoticeKind]: Notice<K> } = {
  PASSWORD_SET: {
    subject: { en: 'A password was set', zh: '你的账号已设置密码' },
    lead: (name) => ({
      en: `A password was set for your ${name} account. It can be used to sign in.`,
      zh: `你的 ${name} 账号已设置密码，可用于登录。`,
    }),
  },
  PASSWORD_CHANGED: {
    subject: { en: 'Your password was changed', zh: '你的密码已修改' },
    lead: (name) => ({
      en: `The password of your ${name} account was changed. All devices have been signed out.`,
      zh: `你的 ${name} 账号密码已修改，所有已登录的设备均已退出。`,
    }),
  },
  USERNAME_CHANGED: {
    subject: { en: 'Your username was set', zh: '你的用户名已设置' },
    lead: (name) => ({ en: `A username was set for your ${name} account.`, zh: `你的 ${name} 账号已设置用户名。` }),
    fact: ({ username }) => [{ en: 'Username', zh: '用户名' }, plainName(username)],
  },
  IDENTITY_BOUND: {
    subject: { en: 'A way to sign in was added', zh: '你的账号新增了登录方式' },
    lead: (name) => ({
      en: `A phone number or e-mail address was added to your ${name} account. It can be used to sign in.`,
      zh: `你的 ${name} 账号绑定了新的手机号或邮箱，可用于登录。`,
    }),
    fact: ({ identity }) => [CONTACT, masked(identity)],
  },
  IDENTITY_UNBOUND: {
    subject: { en: 'A way to sign in was removed', zh: '你的账号移除了登录方式' },
    lead: (name) => ({
      en: `A phone number or e-mail address was removed from your ${name} account. It can no longer be used to sign in.`,
      zh: `你的 ${name} 账号解绑了一个手机号或邮箱，不能再用于登录。`,
    }),
    fact: ({ identity }) => [CONTACT, masked(identity)],
  },
  TOTP_ENABLED: {
    subject: { en: 'Two-factor sign-in is on', zh: '你的账号已启用两步验证' },
    lead: (name) => ({
      en: `Signing in to your ${name} account now takes a code of an authenticator app. All other devices have been signed out.`,
      zh: `登录你的 ${name} 账号现在需要身份验证器的验证码，其他设备均已退出。`,
    }),
  },
  TOTP_DISABLED: {
    subject: { en: 'Two-factor sign-in is off', zh: '你的账号已关闭两步验证' },
    lead: (name) => ({
      en: `Signing in to your ${name} account no longer takes a code of an authenticator app.`,
      zh: `登录你的 ${name} 账号不再需要身份验证器的验证码。`,
    }),
  },
  RECOVERY_CODES_REPLACED: {
    subject: { en: 'Your recovery codes were replaced', zh: '你的恢复码已更换' },
    lead: (name) => ({
      en: `New recovery codes were made for your ${name} account. The earlier ones no longer work.`,
      zh: `你的 ${name} 账号已生成新的恢复码，原有恢复码已失效。`,
    }),
  },
  RECOVERY_CODE_USED: {
    subject: { en: 'A recovery code was used', zh: '你的恢复码已被使用' },
    lead: (name) => ({
      en: `A recovery code of your ${name} account was used in place of the authenticator app.`,
      zh: `你的 ${name} 账号使用了一个恢复码代替身份验证器。`,
    }),
    fact: ({ left }) => [{ en: 'Recovery codes left', zh: '剩余恢复码' }, String(left)],
  },
  TOTP_GUESSED: {
    subject: { en: 'Someone is guessing your two-factor codes', zh: '有人在猜测你的两步验证码' },
    lead: (name) => ({
      en: `Someone who can get past the password of your ${name} account has entered wrong codes. Codes are refused for a while. If it was not you, reset your password.`,
      zh: `有人已通过你的 ${name} 账号的密码验证，并多次输入错误的验证码。验证码暂时无法使用。如非本人操作，请重置密码。`,
    }),
    fact: ({ wrong }) => [{ en: 'Wrong codes', zh: '错误次数' }, String(wrong)],
  },
  PASSKEY_ADDED: {
    subject: { en: 'A passkey was added', zh: '你的账号新增了通行密钥' },
    lead: (name) => ({
      en: `A passkey was added to your ${name} account. It can be used to sign in.`,
      zh: `你的 ${name} 账号新增了一个通行密钥，可用于登录。`,
    }),
    fact: ({ passkey }) => [PASSKEY, plainName(passkey)],
  },
  PASSKEY_RENAMED: {
    subject: { en: 'A passkey was renamed', zh: '你的通行密钥已重命名' },
    lead: (name) => ({
      en: `A passkey of your ${name} account got another name.`,
      zh: `你的 ${name} 账号的一个通行密钥已重命名。`,
    }),
    fact: ({ passkey }) => [PASSKEY, plainName(passkey)],
  },
  PASSKEY_REMOVED: {
    subject: { en: 'A passkey was removed', zh: '你的账号移除了通行密钥' },
    lead: (name) => ({
      en: `A passkey was removed from your ${name} account. It can no longer be used to sign in.`,
      zh: `你的 ${name} 账号移除了一个通行密钥，不能再用于登录。`,
    }),
    fact: ({ passkey }) => [PASSKEY, plainName(passkey)],
  },
  PASSKEY_SUSPECT: {
    subject: { en: 'A passkey may have been copied', zh: '你的通行密钥可能已被复制' },
    lead: (name) => ({
      en: `A passkey of your ${name} account was refused, as there may be a copy of it. It no longer opens the account: remove it and add a new one.`,
      zh: `你的 ${name} 账号的一个通行密钥可能已被复制，因此被拒绝并停用。请将其移除并添加新的通行密钥。`,
    }),
    fact: ({ passkey }) => [PASSKEY, plainName(passkey)],
  },
  PASSKEYS_REQUIRED: {
    subject: { en: 'Your passkeys are a second factor now', zh: '通行密钥已成为你的第二重验证' },
    lead: (name) => ({
      en: `Signing in to your ${name} account now takes a passkey. All other devices have been signed out.`,
      zh: `登录你的 ${name} 账号现在需要通行密钥，其他设备均已退出。`,
    }),
  },
  PASSKEYS_OPTIONAL: {
    subject: { en: 'Your passkeys are no longer required', zh: '登录不再要求通行密钥' },
    lead: (name) => ({
      en: `Signing in to your ${name} account no longer takes a passkey.`,
      zh: `登录你的 ${name} 账号不再需要通行密钥。`,
    }),
  },
  TRUST_ENDED: {
    subject: { en: 'Devices are no longer trusted', zh: '设备信任已撤销' },
    lead: (name) => ({
      en: `Devices that were spared the second factor of your ${name} account need it again.`,
      zh: `你的 ${name} 账号中免除第二重验证的设备，现在须重新验证。`,
    }),
  },
  EMAIL_RESTORED: {
    subject: { en: 'Your e-mail was bound again', zh: '你的邮箱已恢复绑定' },
    lead: (name) => ({
      en: `This address was bound to your ${name} account again. All devices have been signed out, and the password was removed: choose a new one with “Forgot password”.`,
      zh: `此邮箱已重新绑定到你的 ${name} 账号。所有设备均已退出，密码已移除，请通过“忘记密码”设置新密码。`,
    }),
  },
  NEW_DEVICE: {
    subject: { en: 'New sign-in to your account', zh: '你的账号在新设备上登录' },
    lead: (name) => ({
      en: `Someone signed in to your ${name} account on a new device.`,
      zh: `你的 ${name} 账号在一台新设备上登录。`,
    }),
  },
  ACCOUNT_LINKED: {
    subject: { en: 'Another account was linked to yours', zh: '有账号与你的账号关联' },
    lead: (name) => ({
      en: `Another ${name} account was linked to yours. The user of that account can switch to your account.`,
      zh: `另一个 ${name} 账号与你的账号建立了关联，其使用者可以切换到你的账号。`,
    }),
    fact: ({ account }) => [{ en: 'Account', zh: '账号' }, plainName(account)],
  },
  ACCOUNT_UNLINKED: {
    subject: { en: 'An account link was removed', zh: '账号关联已解除' },
    lead: (name) => ({
      en: `The link between your ${name} account and another one was removed. The sessions that it opened have ended.`,
      zh: `你的 ${name} 账号与另一个账号的关联已解除，通过该关联打开的会话已结束。`,
    }),
    fact: ({ account }) => [{ en: 'Account', zh: '账号' }, plainName(account)],
  },
  API_KEY_CREATED: {
    subject: { en: 'An API key was made', zh: '你的账号新建了 API 密钥' },
    lead: (name) => ({
      en: `An API key was made for your ${name} account: a program can now act in your name with the permissions of the key.`,
      zh: `你的 ${name} 账号新建了 API 密钥，程序可用它以你的身份在密钥的权限内操作。`,
    }),
    fact: ({ key }) => [{ en: 'API key', zh: 'API 密钥' }, key],
  },
  API_KEY_REVOKED: {
    subject: { en: 'An API key was ended', zh: '你的 API 密钥已被终止' },
    lead: (name) => ({
      en: `An administrator has ended an API key of your ${name} account. Programs that use it are refused from now on.`,
      zh: `管理员终止了你的 ${name} 账号的一个 API 密钥，使用它的程序将被拒绝。`,
    }),
    fact: ({ key }) => [{ en: 'API key', zh: 'API 密钥' }, key],
  },
  API_KEY_EXPIRING: {
    subject: { en: 'An API key expires in a week', zh: '你的 API 密钥将在一周内到期' },
    lead: (name) => ({
      en: `An API key of your ${name} account expires within 7 days. Make another one and put it into the program that uses it.`,
      zh: `你的 ${name} 账号的一个 API 密钥将在 7 天内到期。请新建密钥并更新使用它的程序。`,
    }),
    fact: ({ key }) => [{ en: 'API key', zh: 'API 密钥' }, key],
  },
  ACCOUNT_DELETED: {
    subject: { en: 'Your account was deleted', zh: '你的账号已注销' },
    lead: (name) => ({
      en: `Your ${name} account and all its data were deleted.`,
      zh: `你的 ${name} 账号及其全部数据已删除。`,
    }),
  },
  DATA_EXPORTED: {
    subject: { en: 'Your data is being exported', zh: '你的数据正在导出' },
    lead: (name) => ({
      en: `Someone who is signed in to your ${name} account exports all its data. The file can be downloaded in the account for 48 hours.`,
      zh: `有人在已登录的设备上导出你的 ${name} 账号的全部数据，文件可在账号中下载，保留 48 小时。`,
    }),
  },
  DATA_EXPORTED_BY_ADMINISTRATOR: {
    subject: { en: 'An administrator exports the data of your account', zh: '管理员正在导出你的账号数据' },
    lead: (name) => ({
      en: `An administrator of ${name} exports data of your account. The export has no messages, files, scan records and contacts, only their numbers.`,
      zh: `${name} 的管理员正在导出你的账号数据。导出内容不含消息、文件、扫码记录和联系人，仅含其数量。`,
    }),
  },
  FOUND: {
    subject: { en: 'Someone wrote about a thing of yours', zh: '有人就你的物品给你留言' },
    lead: (name) => ({
      en: `Someone who may have found a thing of yours wrote to you on ${name}.`,
      zh: `可能有人捡到了你的物品，并在 ${name} 给你留言。`,
    }),
    fact: ({ title }) => [{ en: 'Thing', zh: '物品' }, plainName(title)],
  },
  MORE_EVENTS: {
    subject: { en: 'More changes to your account', zh: '你的账号还有更多变动' },
    lead: (name) => ({
      en: `There were more events in your ${name} account today. No further e-mails are sent about them: open the app to see all of them.`,
      zh: `你的 ${name} 账号今天还有更多变动，不再逐一发送邮件，请在应用中查看全部通知。`,
    }),
  },
}

const ADVICE: Localized = {
  en: 'If this was not you, change your password immediately, end all sessions you do not recognize, and inform an administrator.',
  zh: '如果这不是你本人的操作，请立即修改密码、结束陌生的会话，并联系管理员。',
}
const ADVICE_DELETED: Localized = {
  en: 'If this was not you, inform an administrator immediately.',
  zh: '如果这不是你本人的操作，请立即联系管理员。',
}

const ADVICE_EXPORTED: Localized = {
  en: 'If you did not ask for this, ask an administrator for the reason.',
  zh: '如果你并未要求导出，请向管理员询问原因。',
}

const ADVICE_FOUND: Localized = {
  en: 'Read and answer the message here. The finder does not learn your address or name unless you write it.',
  zh: '请在以下页面查看并回复留言。除非你主动填写，对方不会得知你的联系方式和姓名。',
}

const UNDO: Localized = {
  en: 'This address can no longer be used to sign in. If this was not you, open this link within 72 hours: it binds the address again and signs out everyone.',
  zh: '此邮箱不能再用于登录。如果这不是你本人的操作，请在 72 小时内打开以下链接，恢复绑定此邮箱并退出所有设备。',
}

/** In place of the usual advice. */
const OTHER_ADVICE: { readonly [K in NoticeKind]?: Localized } = {
  FOUND: ADVICE_FOUND,
  ACCOUNT_DELETED: ADVICE_DELETED,
  DATA_EXPORTED_BY_ADMINISTRATOR: ADVICE_EXPORTED,
}

export function noticeLetter<K extends NoticeKind>(
  kind: K,
  data: NoticeData[K],
  locale: Locale,
  sender: Sender,
): Letter {
  const { subject, lead, fact } = NOTICES[kind]
  const own = fact?.(data)
  const advice = OTHER_ADVICE[kind] ?? ADVICE
  const path = 'path' in data ? data.path : undefined
  const undoPath = 'undoPath' in data ? data.undoPath : undefined
  return letter(
    {
      subject: isOwnName(sender) ? `[${sender.shortName}] ${subject[locale]}` : subject[locale],
      lead: lead(sender.name)[locale],
      facts: [...(own ? [[own[0][locale], own[1]] as const] : []), ...circumstances(data, locale)],
      advice: [undoPath === undefined ? advice[locale] : UNDO[locale]],
      ...((undoPath ?? path) !== undefined && { link: sender.publicUrl + (undoPath ?? path) }),
    },
    locale,
    sender,
  )
}

function circumstances({ at, device, ip, city }: EventContext, locale: Locale): (readonly [string, string])[] {
  const zh = locale === 'zh'
  const facts: [string, string | undefined][] = [
    [zh ? '时间' : 'Time', moment(at)],
    [zh ? '设备' : 'Device', device && plainName(device)],
    [zh ? '地点' : 'Place', city && plainName(city)],
    [zh ? 'IP 地址' : 'IP address', ip],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}

/** `2026-11-21 16:05 (UTC+08:00)`, in the server's time zone. */
export function moment(at: number, zone = serverZone()): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const time = local.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ')
  return `${time} (UTC${local.offset})`
}

/** Enough of an e-mail address or phone number for its owner to recognize it. */
function masked(identity: string): string {
  const at = identity.lastIndexOf('@')
  return at > 0 ? `${identity.slice(0, 1)}***${identity.slice(at)}` : `${identity.slice(0, 3)}***${identity.slice(-2)}`
}

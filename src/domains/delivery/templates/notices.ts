/** What people are told when something about their account changed: so that they notice when it was not them. */

import { zoneOffset } from '#lib/days.ts'
import type { Locale, Localized } from '#lib/localized.ts'

import type { Happening, NoticeData, NoticeKind } from '../model.ts'
import { type Letter, letter, PRODUCT } from './layout.ts'

interface Notice<K extends NoticeKind> {
  readonly subject: Localized
  readonly lead: Localized
  /** What it is about, beside time, device and place. */
  readonly about?: (data: NoticeData[K]) => readonly [name: Localized, value: string]
}

const CONTACT: Localized = { en: 'Contact', zh: '联系方式' }

const NOTICES: { readonly [K in NoticeKind]: Notice<K> } = {
  PASSWORD_SET: {
    subject: { en: 'A password was set', zh: '您的账号已设置密码' },
    lead: {
      en: `Your ${PRODUCT} account has a password now. It can be used to sign in.`,
      zh: `您的 ${PRODUCT} 账号已设置密码，可用于登录。`,
    },
  },
  PASSWORD_CHANGED: {
    subject: { en: 'Your password was changed', zh: '您的密码已修改' },
    lead: {
      en: `The password of your ${PRODUCT} account was changed. Everybody who was signed in has been signed out.`,
      zh: `您的 ${PRODUCT} 账号密码已修改，所有已登录的设备均已退出。`,
    },
  },
  USERNAME_CHANGED: {
    subject: { en: 'Your username was set', zh: '您的用户名已设置' },
    lead: { en: `Your ${PRODUCT} account has a username now.`, zh: `您的 ${PRODUCT} 账号已设置用户名。` },
    about: ({ username }) => [{ en: 'Username', zh: '用户名' }, plain(username)],
  },
  IDENTITY_BOUND: {
    subject: { en: 'A way to sign in was added', zh: '您的账号新增了登录方式' },
    lead: {
      en: `A phone number or e-mail address was added to your ${PRODUCT} account. It can be used to sign in.`,
      zh: `您的 ${PRODUCT} 账号绑定了新的手机号或邮箱，可用于登录。`,
    },
    about: ({ identity }) => [CONTACT, hint(identity)],
  },
  IDENTITY_UNBOUND: {
    subject: { en: 'A way to sign in was removed', zh: '您的账号移除了登录方式' },
    lead: {
      en: `A phone number or e-mail address was removed from your ${PRODUCT} account. It cannot be used to sign in any more.`,
      zh: `您的 ${PRODUCT} 账号解绑了一个手机号或邮箱，不能再用于登录。`,
    },
    about: ({ identity }) => [CONTACT, hint(identity)],
  },
  NEW_DEVICE: {
    subject: { en: 'New sign-in to your account', zh: '您的账号在新设备上登录' },
    lead: {
      en: `Somebody signed in to your ${PRODUCT} account on a device that was not used before.`,
      zh: `您的 ${PRODUCT} 账号在一台新设备上登录。`,
    },
  },
  ACCOUNT_LINKED: {
    subject: { en: 'Another account was linked with yours', zh: '有账号与您的账号关联' },
    lead: {
      en: `Another ${PRODUCT} account was linked with yours. Whoever uses it can switch to your account.`,
      zh: `另一个 ${PRODUCT} 账号与您的账号建立了关联，其使用者可以切换到您的账号。`,
    },
    about: ({ account }) => [{ en: 'Account', zh: '账号' }, plain(account)],
  },
  ACCOUNT_DELETED: {
    subject: { en: 'Your account was deleted', zh: '您的账号已注销' },
    lead: {
      en: `Your ${PRODUCT} account and everything in it was deleted.`,
      zh: `您的 ${PRODUCT} 账号及其全部数据已删除。`,
    },
  },
}

const NOT_YOU: Localized = {
  en: 'If this was not you, change your password at once, end the sessions you do not know, and tell an administrator.',
  zh: '如果这不是您本人的操作，请立即修改密码、结束陌生的会话，并联系管理员。',
}
const NOT_YOU_AND_GONE: Localized = {
  en: 'If this was not you, tell an administrator at once.',
  zh: '如果这不是您本人的操作，请立即联系管理员。',
}

export function noticeLetter<K extends NoticeKind>(
  kind: K,
  data: NoticeData[K],
  locale: Locale,
  publicUrl: string,
): Letter {
  const { subject, lead, about } = NOTICES[kind]
  const own = about?.(data)
  const notYou = kind === 'ACCOUNT_DELETED' ? NOT_YOU_AND_GONE : NOT_YOU
  return letter(
    {
      subject: subject[locale],
      lead: lead[locale],
      facts: [...(own ? [[own[0][locale], own[1]] as const] : []), ...circumstances(data, locale)],
      advice: [notYou[locale]],
    },
    locale,
    publicUrl,
  )
}

function circumstances({ at, device, ip, city }: Happening, locale: Locale): (readonly [string, string])[] {
  const zh = locale === 'zh'
  const facts: [string, string | undefined][] = [
    [zh ? '时间' : 'Time', moment(at)],
    [zh ? '设备' : 'Device', device && plain(device)],
    [zh ? '地点' : 'Place', city && plain(city)],
    [zh ? 'IP 地址' : 'IP address', ip],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}

/** `2026-11-21 16:05 (UTC+08:00)`, in the server's time zone. */
export function moment(at: number, zone = Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  const offset = zoneOffset(zone)?.(at) ?? 0
  const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 16)
  const local = new Date(at + offset).toISOString().slice(0, 16).replace('T', ' ')
  return `${local} (UTC${offset < 0 ? '-' : '+'}${clock(Math.abs(offset))})`
}

/** Enough of an e-mail address or phone number for whoever knows it. */
function hint(identity: string): string {
  const at = identity.lastIndexOf('@')
  return at > 0 ? `${identity.slice(0, 1)}***${identity.slice(at)}` : `${identity.slice(0, 3)}***${identity.slice(-2)}`
}

const MAX_SHOWN = 60
// oxlint-disable-next-line no-control-regex -- these are what is taken out
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/**
 * A name that somebody else may have chosen, such as that of a stranger's device: short, on one line, and without an address
 * that a mail program would make a link of.
 */
export const plain = (name: string): string =>
  name
    .replace(CONTROL, ' ')
    .slice(0, MAX_SHOWN)
    .toWellFormed()
    .replace(/:\/\//g, ' ')
    // A word joiner after the stop: invisible, and no domain name any more.
    .replace(/\.(?=\p{L})/gu, '.\u2060')

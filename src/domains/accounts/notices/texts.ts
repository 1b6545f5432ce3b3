import type { NoticeKind } from '#domains/delivery/index.ts'
import type { Locale, Localized } from '#lib/localized.ts'
/** What people read in the app when something happened to their account. */

export const TITLES: Readonly<Record<NoticeKind, Localized>> = {
  PASSWORD_SET: { en: 'A password was set', zh: '您的账号已设置密码' },
  PASSWORD_CHANGED: { en: 'Your password was changed', zh: '您的密码已修改' },
  USERNAME_CHANGED: { en: 'Your username was set', zh: '您的用户名已设置' },
  IDENTITY_BOUND: { en: 'A way to sign in was added', zh: '您的账号新增了登录方式' },
  IDENTITY_UNBOUND: { en: 'A way to sign in was removed', zh: '您的账号移除了登录方式' },
  NEW_DEVICE: { en: 'Sign-in on a new device', zh: '您的账号在新设备上登录' },
  ACCOUNT_LINKED: { en: 'Another account was linked with yours', zh: '有账号与您的账号关联' },
  ACCOUNT_DELETED: { en: 'Your account was deleted', zh: '您的账号已注销' },
}

const ADVICE: Localized = {
  en: 'If this was not you, change your password and look at your devices.',
  zh: '如非本人操作，请立即修改密码并检查登录设备。',
}

/**
 * One line on what happened, where from, and what to do. The device's name is not in it: whoever signs in chooses it, and what looks
 * like a link would become one. The app has it in the notification's `data`.
 */
export function bodyOf(place: readonly string[], line: Localized | undefined): Localized {
  const from = place.filter((part) => part !== '')
  const of = (locale: Locale, where: string, comma: string) =>
    [line?.[locale] ?? '', from.length === 0 ? '' : where + from.join(comma), ADVICE[locale]]
      .filter((part) => part !== '')
      .join('\n\n')
  return { en: of('en', 'From: ', ', '), zh: of('zh', '位置：', '，') }
}

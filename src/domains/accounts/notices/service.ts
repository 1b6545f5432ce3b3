/** Notifies people of changes to their account, in the app and by e-mail, so that they notice changes they did not make. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { cityOf, type NoticeData, type NoticeKind, sendNotice } from '#domains/delivery/index.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Locale, Localized } from '#lib/localized.ts'

import type { LoginEvent } from '../login-records/model.ts'
import { provedEmails } from '../users/rules.ts'
import { identitiesOf } from '../users/store.ts'

interface Notice<K extends ShownKind> {
  readonly kind: K
  /** The facts of this kind, besides time and place. */
  readonly about: Omit<NoticeData[K], 'at' | 'device' | 'ip' | 'city'>
  /** Plain text that the notification in the app begins with. */
  readonly line?: Localized
  /** Further data for the app to act on. */
  readonly data?: Readonly<Record<string, unknown>>
}

export async function notifyAccountHolder<K extends ShownKind>(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  event: LoginEvent,
  notice: Notice<K>,
): Promise<void> {
  const { kind, about } = notice
  const { ip, locale } = event
  const device = event.device.name
  const city = cityOf(ctx, ip)
  await notify(ctx, tx, {
    userIds: [userId],
    type: kind === 'ACCOUNT_LINKED' ? 'ACCOUNT_LINK' : 'SYSTEM',
    title: TITLES[kind],
    body: bodyOf([city, ip], notice.line),
    data: { event: kind, device, ip, city, ...notice.data },
  })
  const at = ctx.clock.now()
  // `about` and the place together are the data of the kind; TypeScript cannot add them up for a generic K.
  const data = { at, device, ip, city, ...about } as unknown as NoticeData[K]
  for (const to of provedEmails(await identitiesOf(tx, userId))) await sendNotice(ctx, tx, { to, kind, locale, data })
}

/** The kinds that users see in the app: `MORE_EVENTS` is only about mails. */
type ShownKind = Exclude<NoticeKind, 'MORE_EVENTS'>

const TITLES: Readonly<Record<ShownKind, Localized>> = {
  PASSWORD_SET: { en: 'A password was set', zh: '您的账号已设置密码' },
  PASSWORD_CHANGED: { en: 'Your password was changed', zh: '您的密码已修改' },
  USERNAME_CHANGED: { en: 'Your username was set', zh: '您的用户名已设置' },
  IDENTITY_BOUND: { en: 'A way to sign in was added', zh: '您的账号新增了登录方式' },
  IDENTITY_UNBOUND: { en: 'A way to sign in was removed', zh: '您的账号移除了登录方式' },
  TOTP_ENABLED: { en: 'A second factor was enabled', zh: '您的账号已启用两步验证' },
  TOTP_DISABLED: { en: 'The second factor was disabled', zh: '您的账号已关闭两步验证' },
  RECOVERY_CODES_REPLACED: { en: 'Your recovery codes were replaced', zh: '您的恢复码已更换' },
  RECOVERY_CODE_USED: { en: 'A recovery code was used', zh: '您的恢复码已被使用' },
  EMAIL_RESTORED: { en: 'Your e-mail was bound again', zh: '您的邮箱已恢复绑定' },
  NEW_DEVICE: { en: 'Sign-in on a new device', zh: '您的账号在新设备上登录' },
  ACCOUNT_LINKED: { en: 'Another account was linked to yours', zh: '有账号与您的账号关联' },
  ACCOUNT_UNLINKED: { en: 'An account link was removed', zh: '账号关联已解除' },
  ACCOUNT_DELETED: { en: 'Your account was deleted', zh: '您的账号已注销' },
}

const ADVICE: Localized = {
  en: 'If this was not you, change your password and look at your devices.',
  zh: '如非本人操作，请立即修改密码并检查登录设备。',
}

/**
 * Says what happened, where from, and what to do. The device's name is left out: the person who signs in chooses it, and a name
 * that looks like a link would become one. The app finds it in the notification's `data`.
 */
export function bodyOf(place: readonly string[], line: Localized | undefined): Localized {
  const from = place.filter((part) => part !== '')
  const write = (locale: Locale, where: string, comma: string) =>
    [line?.[locale] ?? '', from.length === 0 ? '' : where + from.join(comma), ADVICE[locale]]
      .filter((part) => part !== '')
      .join('\n\n')
  return { en: write('en', 'From: ', ', '), zh: write('zh', '位置：', '，') }
}

/** Tells people what happened to their account, in the app and by e-mail: so that they notice when it was not them. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { cityOf, type NoticeData, type NoticeKind, sendNotice } from '#domains/delivery/index.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Locale, Localized } from '#lib/localized.ts'

import { identitiesOf } from '../users/store.ts'
import { bodyOf, TITLES } from './texts.ts'

/** What a notice says beside time and place. */
type About<K extends NoticeKind> = Omit<NoticeData[K], 'at' | 'device' | 'ip' | 'city'>

export interface Happened<K extends NoticeKind> {
  readonly userId: number
  readonly kind: K
  readonly about: About<K>
  readonly deviceName: string
  readonly ip: string
  readonly locale: Locale
  /** Addresses that were bound until now. */
  readonly alsoTo?: readonly string[]
  /** What the notification in the app says beside place and advice: plain text. */
  readonly line?: Localized
  /** What the app may act on. */
  readonly data?: Readonly<Record<string, unknown>>
}

export async function tell<K extends NoticeKind>(ctx: AppContext, tx: Tx, happened: Happened<K>): Promise<void> {
  const { userId, kind, about, deviceName: device, ip, locale, alsoTo = [], line } = happened
  const city = cityOf(ctx, ip)
  await notify(ctx, tx, {
    userIds: [userId],
    type: kind === 'ACCOUNT_LINKED' ? 'ACCOUNT_LINK' : 'SYSTEM',
    title: TITLES[kind],
    body: bodyOf([city, ip], line),
    data: { event: kind, device, ip, city, ...happened.data },
  })
  const emails = (await identitiesOf(tx, userId)).filter((i) => i.provider === 'EMAIL').map((i) => i.credential)
  const at = ctx.clock.now()
  // `about` and the place together are what the kind tells; TypeScript does not add up the parts of K.
  const data = { at, device, ip, city, ...about } as unknown as NoticeData[K]
  for (const to of new Set([...emails, ...alsoTo])) await sendNotice(ctx, tx, { to, kind, locale, data })
}

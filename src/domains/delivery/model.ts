/** What can be sent to people, and how hard it is tried. */

import type { Channel } from '#db/schema/delivery.ts'
import type { Locale } from '#lib/localized.ts'
import { DAY, SECOND } from '#platform/clock.ts'

export type { Channel } from '#db/schema/delivery.ts'
/** What a verification code is good for (conventions §4). */
export type CodePurpose = 'LOGIN' | 'BIND' | 'ACCOUNT_LINK' | 'RESET' | 'CHANGE'

export interface CodeMessage {
  readonly channel: Channel
  /** An e-mail address, or a phone number in E.164. */
  readonly to: string
  readonly purpose: CodePurpose
  readonly code: string
  readonly locale: Locale
  /** When the code ends, epoch milliseconds: then it is not sent any more. */
  readonly expiresAt: number
}

/** When something happened, epoch milliseconds, and from where, as far as that is known. */
export interface Happening {
  readonly at: number
  readonly device?: string
  readonly ip?: string
  readonly city?: string
}

/** An e-mail address or phone number; it is shown in part only. */
interface OfIdentity extends Happening {
  readonly identity: string
}

/** What a notice of each kind tells. */
export interface NoticeData {
  /** There was none before: nobody was signed out. */
  PASSWORD_SET: Happening
  PASSWORD_CHANGED: Happening
  USERNAME_CHANGED: Happening & { readonly username: string }
  IDENTITY_BOUND: OfIdentity
  IDENTITY_UNBOUND: OfIdentity
  NEW_DEVICE: Happening
  /** Another account, by its name, was linked: it can be switched to. */
  ACCOUNT_LINKED: Happening & { readonly account: string }
  ACCOUNT_DELETED: Happening
}
export type NoticeKind = keyof NoticeData

/** Something about their account that its holder must hear of, by e-mail. */
export interface NoticeMessage<K extends NoticeKind = NoticeKind> {
  readonly to: string
  readonly kind: K
  readonly locale: Locale
  readonly data: NoticeData[K]
}

/** A message as it waits in the outbox. `id` is unique and the same at every try. */
export type Outgoing =
  | ({ readonly type: 'CODE'; readonly id: string } & CodeMessage)
  | ({ readonly type: 'NOTICE'; readonly id: string; readonly expiresAt: number } & NoticeMessage)

/** A notice that comes a day late still tells of a break-in. */
export const NOTICE_MS = DAY

/** Sent at the same time. Mail servers turn away who opens many connections at once. */
export const AT_ONCE: Readonly<Record<Channel, number>> = { EMAIL: 4, SMS: 8 }

/** Longest that one try may take, whatever the gateway does. */
export const TRY_MS: Readonly<Record<Channel, number>> = { EMAIL: 45 * SECOND, SMS: 15 * SECOND }

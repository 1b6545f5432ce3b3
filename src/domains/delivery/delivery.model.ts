/** The messages that can be sent, and the limits for sending them. */

import type { CodePurpose } from '#db/schema/accounts.ts'
import type { Channel, OutboxChannel } from '#db/schema/delivery.ts'
import type { ComposedKind } from '#domains/contributions.ts'
import type { Locale } from '#lib/localized.ts'
import { DAY, SECOND } from '#platform/clock.ts'

export type { Channel } from '#db/schema/delivery.ts'
export type { CodePurpose } from '#db/schema/accounts.ts'

export interface CodeMessage {
  readonly channel: Channel
  /** An e-mail address, or a phone number in E.164. */
  readonly to: string
  readonly purpose: CodePurpose
  readonly code: string
  readonly locale: Locale
  /** When the code expires, epoch milliseconds. It is not sent after that. */
  readonly expiresAt: number
}

/** When an account event happened and where the request came from, as far as that is known. */
export interface EventContext {
  /** Epoch milliseconds. */
  readonly at: number
  readonly device?: string
  readonly ip?: string
  readonly city?: string
}

interface IdentityEvent extends EventContext {
  /** An e-mail address or phone number. The notice shows only parts of it. */
  readonly identity: string
  /** Path of a page on this server where the recipient can undo the change. It contains a secret. */
  readonly undoPath?: string
}

interface PasskeyEvent extends EventContext {
  /** Its name. */
  readonly passkey: string
}

/** The data of each kind of notice. */
export interface NoticeData {
  /** The account had no password before, so no session was ended. */
  PASSWORD_SET: EventContext
  PASSWORD_CHANGED: EventContext
  USERNAME_CHANGED: EventContext & { readonly username: string }
  IDENTITY_BOUND: IdentityEvent
  IDENTITY_UNBOUND: IdentityEvent
  TOTP_ENABLED: EventContext
  TOTP_DISABLED: EventContext
  RECOVERY_CODES_REPLACED: EventContext
  /** `left`: recovery codes that were not used yet. */
  RECOVERY_CODE_USED: EventContext & { readonly left: number }
  /** `wrong`: wrong codes in a row, each after the right password or in a session. */
  TOTP_GUESSED: EventContext & { readonly wrong: number }
  PASSKEY_ADDED: PasskeyEvent
  PASSKEY_RENAMED: PasskeyEvent
  PASSKEY_REMOVED: PasskeyEvent
  /** Its counter did not grow, so there may be a copy of it. */
  PASSKEY_SUSPECT: PasskeyEvent
  PASSKEYS_REQUIRED: EventContext
  PASSKEYS_OPTIONAL: EventContext
  TRUST_ENDED: EventContext
  EMAIL_RESTORED: EventContext
  NEW_DEVICE: EventContext
  /** `account`: name of the other account. Its user can switch to this account. */
  ACCOUNT_LINKED: EventContext & { readonly account: string }
  ACCOUNT_UNLINKED: EventContext & { readonly account: string }
  /** `key`: the name of the key. */
  API_KEY_CREATED: EventContext & { readonly key: string }
  /** Somebody else has ended it: an administrator of the organization or of the server. */
  API_KEY_REVOKED: EventContext & { readonly key: string }
  API_KEY_EXPIRING: EventContext & { readonly key: string }
  ACCOUNT_DELETED: EventContext
  DATA_EXPORTED: EventContext
  DATA_EXPORTED_BY_ADMINISTRATOR: EventContext
  /** A finder wrote about a thing. `title`: its name. `path`: of the page of the web application with the message. */
  FOUND: EventContext & { readonly title: string; readonly path: string }
  /** Sent in place of the notices beyond the limit of a day. */
  MORE_EVENTS: EventContext
}
export type NoticeKind = keyof NoticeData

/** Notifies the account holder by e-mail of a change to the account. */
export interface NoticeMessage<K extends NoticeKind = NoticeKind> {
  readonly to: string
  readonly kind: K
  readonly locale: Locale
  readonly data: NoticeData[K]
}

/** A mail that its domain composes when it is sent, from rows and `data`. */
export interface ComposedMessage {
  /** Part of the Message-ID. One is made up by default. */
  readonly id?: string
  readonly to: string
  readonly kind: ComposedKind
  readonly data: Readonly<Record<string, unknown>>
}

/** A message in the outbox. `id` is unique and the same for every attempt. */
export type Outgoing =
  | ({ readonly type: 'MAIL'; readonly id: string; readonly expiresAt: number } & ComposedMessage)
  | ({ readonly type: 'CODE'; readonly id: string } & CodeMessage)
  | ({ readonly type: 'NOTICE'; readonly id: string; readonly expiresAt: number } & NoticeMessage)

/** How long a notice is retried. Even a day later it can still reveal a break-in. */
export const NOTICE_LIFETIME_MS = DAY

/** Notices to one e-mail address in a day, and one that says that there were more. Sign-ins on new devices are counted apart. */
export const NOTICES_A_DAY = 10
export const NOTICES_WINDOW_MS = DAY

/** An address that mail servers have finally refused so often in a row gets no mails of organizers for a while. */
export const REFUSALS_TO_SUPPRESS = 3
export const SUPPRESSED_MS = 30 * DAY

/** Messages sent at the same time. Mail servers reject clients that open many connections. Those of EVENT count in the places of EMAIL. */
export const MAX_CONCURRENT: Readonly<Record<OutboxChannel, number>> = { EMAIL: 4, SMS: 8, EVENT: 2 }

/** Notices and mails to participants that are sent at the same time. One place stays free for codes. */
export const MAX_CONCURRENT_NOTICES = MAX_CONCURRENT.EMAIL - 1

/** An attempt is aborted after this time. */
export const ATTEMPT_TIMEOUT_MS: Readonly<Record<OutboxChannel, number>> = {
  EMAIL: 45 * SECOND,
  SMS: 15 * SECOND,
  EVENT: 45 * SECOND,
}

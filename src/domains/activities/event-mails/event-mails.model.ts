/** Mails about an activity to people who take part in it. */

import type { activities } from '#db/schema/activities.ts'
import type { Locale } from '#lib/localized.ts'
import type { Mail } from '#platform/mail/index.ts'

import type { PersonalKind } from '../personal-mails.model.ts'

/** Link of the page of a guest: CONFIRM to prove the address, LINK to open it again. */
export type LinkKind = 'CONFIRM' | 'LINK'

/** MESSAGE: written by the organizer. MOVED: another start or end. PLACE: another place. */
export type EventKind = 'MESSAGE' | 'MOVED' | 'PLACE' | 'CANCELLED' | PersonalKind | LinkKind

/** Earlier values of an activity. */
export type Before = Partial<
  Pick<typeof activities.$inferSelect, 'startTime' | 'endTime' | 'province' | 'city' | 'district' | 'location'>
>

export interface EventNews {
  readonly kind: EventKind
  /** Of a MESSAGE, without the name of the activity. The other kinds have one of their own. */
  readonly subject?: string
  /** Of a MESSAGE: Markdown. */
  readonly body?: string
  /** Words of the organizer with a notice: plain text. */
  readonly noticeText?: string
  /** Of MOVED and PLACE. */
  readonly before?: Before
}

export interface Recipient {
  readonly address: string
  readonly locale: Locale
  /** Their own zone, in which the mail also names the time if it differs. */
  readonly timeZone?: string | null
  /** The link of the pass, which is as good as the pass. */
  readonly passUrl?: string | undefined
  /** Of a guest, in place of the web application. */
  readonly pageUrl?: string | undefined
}

/** All of a mail but its id. */
export type EventMail = Omit<Mail, 'id'>

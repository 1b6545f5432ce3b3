/** The interface of mail drivers. */

export interface Mail {
  /** The same in every attempt. It becomes the Message-ID, by which mail systems ignore repetitions. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Shown in place of the name of the server. Without line breaks and control characters. */
  readonly fromName?: string
  /** In place of the address that gets the answers to all mails. */
  readonly replyTo?: string | null
  /** An https address where the recipient stops such mails, with one click too (RFC 8058). */
  readonly unsubscribeUrl?: string
  readonly calendar?: CalendarFile
}

/** An iCalendar file (RFC 5545), which mail programs offer to enter into the calendar. */
export interface CalendarFile {
  readonly method: 'PUBLISH' | 'CANCEL'
  readonly content: string
}

export interface Mailer {
  /** Resolves when the server has accepted the mail. @throws GatewayError */
  send(mail: Mail, signal?: AbortSignal): Promise<void>
  /** Connects and signs in, but sends nothing. Resolves with a sentence. @throws GatewayError */
  check(): Promise<string>
}

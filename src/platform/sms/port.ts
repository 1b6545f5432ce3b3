/** What sends text messages. Each gateway has a driver beside this file, loaded when first used. */

import type { Locale } from '#lib/localized.ts'

/** A verification code for a phone. Vendors with approved templates take `code` and `minutes`, the others `text`. */
export interface SmsMessage {
  /** The same each time this message is tried: a gateway that keeps it can drop repetitions. */
  readonly id: string
  /** E.164. */
  readonly to: string
  readonly code: string
  /** For how long the code is good from now. */
  readonly minutes: number
  /** LOGIN, BIND, …; webhooks may choose a text by it. */
  readonly purpose: string
  readonly locale: Locale
  /** The whole message in that language. */
  readonly text: string
}

export interface Sms {
  /** Resolves when the gateway has taken the message. @throws GatewayError */
  send(message: SmsMessage, signal?: AbortSignal): Promise<void>
  /** Whether the gateway can be reached; sends nothing. Resolves with a sentence. @throws GatewayError */
  check(): Promise<string>
}

/** The Chinese mainland: vendors keep templates for it apart from those for the rest of the world. */
export const isMainland = (to: string): boolean => to.startsWith('+86')

/** The interface of SMS drivers. Each gateway has a driver in this folder, loaded when first used. */

import type { Locale } from '#lib/localized.ts'

/** A verification code for a phone. Vendors with approved templates use `code` and `minutes`, others `text`. */
export interface SmsMessage {
  /** The same in every attempt, so that a gateway can ignore repetitions. */
  readonly id: string
  /** E.164. */
  readonly to: string
  readonly code: string
  /** How long the code is valid from now. */
  readonly minutes: number
  /** LOGIN, BIND, …; a webhook may choose its text by it. */
  readonly purpose: string
  readonly locale: Locale
  /** The complete message in the language of `locale`. */
  readonly text: string
}

export interface Sms {
  /** Resolves when the gateway has accepted the message. @throws GatewayError */
  send(message: SmsMessage, signal?: AbortSignal): Promise<void>
  /** Checks that the gateway can be reached; sends nothing. Resolves with a sentence. @throws GatewayError */
  check(): Promise<string>
}

/** Vendors have separate templates for the Chinese mainland and the rest of the world. */
export const isMainland = (to: string): boolean => to.startsWith('+86')

/** How usernames, e-mails and phone numbers are written, normalized and compared. Pure. */

import type { ContactProvider } from '#db/schema/accounts.ts'

import { badEmail, badPhone } from './accounts.errors.ts'
import { EMAIL_MAX, USERNAME_PATTERN } from './accounts.model.ts'

const USERNAME = new RegExp(USERNAME_PATTERN)
/** Without quoted local parts and address literals: they are not used in practice and have been used for attacks. */
const EMAIL = /^[^\s@"'<>()[\]\\,;:]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u

export const isUsername = (text: string): boolean => USERNAME.test(text)
export const usernameKey = (username: string): string => username.toLowerCase()

/** The form in which an e-mail is stored and compared, or undefined if `text` is not an e-mail. */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase()
  return email.length <= EMAIL_MAX && EMAIL.test(email) ? email : undefined
}

/** Characters that people put between digits. */
const SPACERS = /[\s().-]/g
/** Mainland mobile numbers: the only ones of +86 that receive text messages. */
const MAINLAND = /^(?:\+?86)?(1[3-9]\d{9})$/
const E164 = /^\+[1-9]\d{6,14}$/

/**
 * The number in E.164, or undefined if `text` is not a phone number. The library for foreign numbers costs 11 MB and 80 ms, so it
 * is loaded with the first number from outside the mainland.
 */
export async function normalizePhone(text: string): Promise<string | undefined> {
  const bare = text.replace(SPACERS, '')
  const mainland = MAINLAND.exec(bare)
  if (mainland) return `+86${mainland[1]}`
  if (!E164.test(bare) || bare.startsWith('+86')) return undefined
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const number = parsePhoneNumberFromString(bare)
  return number?.isValid() ? number.number : undefined
}

/** The phone number in E.164. @throws AppError 400 if `text` is not a phone number. */
export async function phoneOf(text: string | null | undefined, path?: string): Promise<string> {
  const phone = await normalizePhone(text ?? '')
  if (phone === undefined) throw badPhone(path)
  return phone
}

/** The e-mail in lower case. @throws AppError 400 if `text` is not an e-mail. */
export function emailOf(text: string | null | undefined, path?: string): string {
  const email = normalizeEmail(text ?? '')
  if (email === undefined) throw badEmail(path)
  return email
}

/** A text with @ is an e-mail, any other a phone number (spec §4.1). @throws AppError 400 */
export const credentialOf = async (text: string, path = 'body.credential'): Promise<string> =>
  text.includes('@') ? emailOf(text, path) : phoneOf(text, path)

/** `credential`: a normalized e-mail or phone number. */
export const providerOf = (credential: string): ContactProvider => (credential.includes('@') ? 'EMAIL' : 'PHONE')

/** The content of the field "account", as a key for look-ups and for the failure lock. */
export type Account = { kind: 'email' | 'username' | 'phone'; key: string }
export function parseAccount(text: string): Account {
  const key = text.trim().toLowerCase()
  return { kind: key.includes('@') ? 'email' : 'username', key }
}

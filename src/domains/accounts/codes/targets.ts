/** Where a code goes, as callers name it. */

import { badEmail, normalizeEmail } from '../credentials.ts'
import { badPhone } from '../errors.ts'
import { normalizePhone } from '../phones.ts'
import type { ToEmail, ToPhone } from './model.ts'

/** E.164. Throws a 400 for what is no phone number. */
export async function phoneOf(text: string | null | undefined, path?: string): Promise<string> {
  const phone = await normalizePhone(text ?? '')
  if (phone === undefined) throw badPhone(path)
  return phone
}

/** Lower case. Throws a 400 for what is no address. */
export function emailOf(text: string | null | undefined, path?: string): string {
  const email = normalizeEmail(text ?? '')
  if (email === undefined) throw badEmail(path)
  return email
}

export const phoneIn = (body: ToPhone): Promise<string> => phoneOf(body.phone || body.credential)
export const emailIn = (body: ToEmail): string => emailOf(body.email || body.credential)

/** What contains @ is an e-mail, anything else a phone (spec §4.1). */
export const credentialOf = async (text: string, path = 'body.credential'): Promise<string> =>
  text.includes('@') ? emailOf(text, path) : phoneOf(text, path)

export const providerOf = (credential: string): 'EMAIL' | 'PHONE' => (credential.includes('@') ? 'EMAIL' : 'PHONE')

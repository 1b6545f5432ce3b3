/** Phone numbers as they are stored, compared and called: E.164. */

/** What people put between digits. */
const SPACERS = /[\s().-]/g
/** A mainland mobile number: the only ones of +86 that take text messages. */
const MAINLAND = /^(?:\+?86)?(1[3-9]\d{9})$/
const E164 = /^\+[1-9]\d{6,14}$/

/**
 * The number in E.164, or undefined when it is none. The library that knows the world's numbers costs 11 MB and 80 ms, so it is
 * loaded for the first number from outside the mainland.
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

/** How codes of the second factor are written. Pure. */

/** Without letters and digits that are easily confused. Base 31, so a recovery code has 49 bits. */
export const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
export const RECOVERY_LENGTH = 10

/** `abcde-fghjk`: easier to read and to type. */
export const shownRecoveryCode = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`

/** People type spaces, dashes and capitals. */
export function parseFactor(given: string): { kind: 'totp' | 'recovery'; code: string } {
  const code = given.replace(/[\s-]/g, '').toLowerCase()
  return { kind: /^\d{6}$/.test(code) ? 'totp' : 'recovery', code }
}

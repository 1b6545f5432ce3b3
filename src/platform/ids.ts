/** The only source of randomness. */

import { createHash, randomBytes, randomInt } from 'node:crypto'

/** An unguessable public id (UUID version 4, 122 random bits). */
export const uuid = (): string => crypto.randomUUID()

/** 256 random bits as 43 characters of base64url, for refresh tokens, setup links and generated device ids. */
export const secret = (): string => randomBytes(32).toString('base64url')

/** Random bytes for cryptography. */
export const bytes = (length: number): Uint8Array => randomBytes(length)

/** `length` random decimal digits. */
export const digits = (length: number): string =>
  randomInt(0, 10 ** length)
    .toString()
    .padStart(length, '0')

/** Letters and digits without look-alikes, for codes that people type. */
export const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** `length` random characters of `alphabet`. */
export const randomCode = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** SHA-256 as 43 characters of base64url. Only for long random values; passwords are hashed by `passwords.ts`. */
export const sha256 = (value: string): string => createHash('sha256').update(value).digest('base64url')

/** A predictable random number from 0 up to but excluding 1, for spreading events that would happen at the same time. */
export const fraction = (): number => Math.random()

/** The only source of randomness. */

import { createHash, randomBytes, randomInt } from 'node:crypto'

/** An unguessable public id (UUID version 4, 122 random bits). */
export const uuid = (): string => crypto.randomUUID()

/** 256 random bits, base64url, 43 characters: refresh tokens, setup links, made-up device ids. */
export const secret = (): string => randomBytes(32).toString('base64url')

/** Random bytes for cryptography. */
export const bytes = (length: number): Uint8Array => randomBytes(length)

/** `length` decimal digits, each equally likely. */
export const digits = (length: number): string =>
  randomInt(0, 10 ** length)
    .toString()
    .padStart(length, '0')

/** `length` characters of `alphabet`, each equally likely. */
export const randomCode = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** SHA-256 in base64url, 43 characters. For values that are long and random already; passwords go through `passwords.ts`. */
export const sha256 = (value: string): string => createHash('sha256').update(value).digest('base64url')

/** At least 0, below 1, to spread things that would happen together: guessable. */
export const fraction = (): number => Math.random()

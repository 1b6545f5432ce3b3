/** The only source of randomness. */
import { createHash, randomBytes, randomInt } from 'node:crypto'

/** An unguessable public id (UUID version 4, 122 random bits). */
export const uuid = (): string => crypto.randomUUID()

/** 256 random bits, base64url, 43 characters: refresh tokens, setup links, made-up device ids. */
export const secret = (): string => randomBytes(32).toString('base64url')

/** `length` decimal digits, each equally likely. */
export const digits = (length: number): string =>
  randomInt(0, 10 ** length)
    .toString()
    .padStart(length, '0')

/** SHA-256 in base64url, 43 characters. For values that are long and random already; passwords go through `passwords.ts`. */
export const sha256 = (value: string): string => createHash('sha256').update(value).digest('base64url')

/** Usernames, e-mails and device ids: how they are written down and compared. Pure. */

import type { Actor, Caller } from '#http/endpoint.ts'
import type { AppError } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { nameOfAgent } from './devices/agent.ts'
import { DEVICE_ID_MAX, DEVICE_ID_MIN, DEVICE_NAME_MAX, EMAIL_MAX } from './limits.ts'

/** Starts with a letter, so it can be neither a phone number nor (without `@`) an e-mail. */
const USERNAME = /^[a-z][a-z0-9_.-]{2,31}$/i
/** No quoted local parts, no address literals: nobody has one, and both hide tricks. */
const EMAIL = /^[^\s@"'<>()[\]\\,;:]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u
/** What fits into a header, and cannot be mistaken for two values. */
const DEVICE_ID = /^[\x21-\x7e]+$/

export const isUsername = (text: string): boolean => USERNAME.test(text)
export const usernameKey = (username: string): string => username.toLowerCase()

/** The form in which an e-mail is stored and compared, or undefined when it is none. */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase()
  return email.length <= EMAIL_MAX && EMAIL.test(email) ? email : undefined
}

/** What somebody typed into "account", as a key for lookups and for the failure lock. */
export type Account = { kind: 'email' | 'username' | 'phone'; key: string }
export function parseAccount(text: string): Account {
  const key = text.trim().toLowerCase()
  return { kind: key.includes('@') ? 'email' : 'username', key }
}

export const badUsername = (path = 'body.username'): AppError =>
  invalid(
    path,
    'must be 3 to 32 letters, digits, _ . or -, and start with a letter',
    '须为 3 到 32 位字母、数字、_ . - 且以字母开头',
  )
export const badEmail = (path = 'body.email'): AppError =>
  invalid(path, 'is not an e-mail address', '不是有效的邮箱地址')

/** The device of a login. */
export interface Device {
  /** Hash of the id: stored, compared, and shown as `deviceId`. */
  readonly key: string
  /** The id itself, only when the server made it: then the client must be told. */
  readonly made?: string
  readonly name: string
}

// oxlint-disable-next-line no-control-regex -- these are what is taken out
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

/** A name from a header passed no validator: what could not be stored or would break a log line is taken out. */
export const cleanDeviceName = (name: string | undefined): string =>
  (name ?? '').toWellFormed().replace(CONTROL, '').trim().slice(0, DEVICE_NAME_MAX).toWellFormed()

export const deviceKey = (id: string): string => sha256(id)

/** The device that a login names: by header, else by body, else a new one. Throws a 400 for an id too easy to guess. */
export function nameDevice(header: string | undefined, body: string | undefined, name: string | undefined): Device {
  const given = header ?? body
  const device = { name: cleanDeviceName(name) }
  if (given === undefined) {
    const made = secret()
    return { ...device, made, key: deviceKey(made) }
  }
  if (given.length < DEVICE_ID_MIN || given.length > DEVICE_ID_MAX || !DEVICE_ID.test(given))
    throw invalid(
      header === undefined ? 'body.deviceId' : 'header.X-Device-Id',
      `must be ${DEVICE_ID_MIN} to ${DEVICE_ID_MAX} characters, unguessable and without spaces`,
      `须为 ${DEVICE_ID_MIN} 到 ${DEVICE_ID_MAX} 个不含空格且不可猜测的字符`,
    )
  return { ...device, key: deviceKey(given) }
}

/** The device of a login by HTTP. Empty counts as absent. */
export const deviceOf = (
  caller: Caller,
  body: { deviceId?: string | null | undefined; deviceName?: string | null | undefined },
): Device =>
  nameDevice(
    caller.deviceId,
    body.deviceId || undefined,
    caller.deviceName || body.deviceName || nameOfAgent(caller.userAgent),
  )

/** The device that asks, for records of what it did. */
export const askingDevice = (actor: Actor, caller: Caller): { readonly key: string; readonly name: string } => ({
  key: actor.deviceKey,
  name: cleanDeviceName(caller.deviceName || nameOfAgent(caller.userAgent)),
})

/** Paths take a device's key or its raw id; which of the two was given cannot be seen. */
export const deviceKeysOf = (keyOrId: string): string[] => [keyOrId, deviceKey(keyOrId)]

/** The devices that events happen on, and the events themselves. Pure. */

import type { Actor, Caller } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'
import { replaceControlCharacters } from '#lib/text.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { DEVICE_ID_DISTINCT, DEVICE_ID_MAX, DEVICE_ID_MIN, DEVICE_NAME_MAX } from '../accounts.model.ts'
import type { Device, LoginEvent, LoginType } from './login-records.model.ts'

/** Printable ASCII: fits into a header and cannot be mistaken for two values. */
const DEVICE_ID = /^[\x21-\x7e]+$/

/** Removes what cannot be stored or would break a log line: a name from a header passed no validator. */
export const cleanDeviceName = (name: string | undefined): string =>
  replaceControlCharacters((name ?? '').toWellFormed(), () => '')
    .trim()
    .slice(0, DEVICE_NAME_MAX)
    .toWellFormed()

export const deviceKey = (id: string): string => sha256(id)

/** Paths accept a device's key or its raw id, and the server cannot tell which one it was given. */
export const deviceKeysOf = (keyOrId: string): string[] => [keyOrId, deviceKey(keyOrId)]

const isDeviceId = (id: string): boolean =>
  id.length >= DEVICE_ID_MIN &&
  id.length <= DEVICE_ID_MAX &&
  DEVICE_ID.test(id) &&
  new Set(id).size >= DEVICE_ID_DISTINCT

/** The device that a login names: by header, else by body, else a new one. @throws AppError 400 for an id that is too easy to guess. */
export function nameDevice(header: string | undefined, body: string | undefined, name: string | undefined): Device {
  const given = header ?? body
  const device = { name: cleanDeviceName(name) }
  if (given === undefined) {
    const newId = secret()
    return { ...device, newId, key: deviceKey(newId) }
  }
  if (!isDeviceId(given))
    throw invalid(
      header === undefined ? 'body.deviceId' : 'header.X-Device-Id',
      `must be ${DEVICE_ID_MIN} to ${DEVICE_ID_MAX} random characters without spaces, at least ${DEVICE_ID_DISTINCT} of them different`,
      `须为 ${DEVICE_ID_MIN} 到 ${DEVICE_ID_MAX} 个不含空格的随机字符，其中至少 ${DEVICE_ID_DISTINCT} 个互不相同`,
    )
  return { ...device, key: deviceKey(given) }
}

/** The device fields of a login's body. Empty counts as absent. */
interface DeviceFields {
  deviceId?: string | null | undefined
  deviceName?: string | null | undefined
}

/** A login over HTTP. @throws AppError 400 for a device id that is too easy to guess. */
export const loginEvent = (loginType: LoginType, caller: Caller, body: DeviceFields): LoginEvent => ({
  loginType,
  device: nameDevice(
    caller.deviceId,
    body.deviceId || undefined,
    caller.deviceName || body.deviceName || nameOfAgent(caller.userAgent),
  ),
  ip: caller.ip,
  locale: caller.locale,
})

/** Something that a signed-in user does to their account, on the device of their session. */
export const ownEvent = (loginType: LoginType, actor: Actor, caller: Caller): LoginEvent => ({
  loginType,
  device: { key: actor.deviceKey, name: cleanDeviceName(caller.deviceName || nameOfAgent(caller.userAgent)) },
  ip: caller.ip,
  locale: caller.locale,
})

/** The first match wins. Browsers also name the browsers they are compatible with, so the more specific ones come first. */
const APPS: readonly [RegExp, string][] = [
  [/MicroMessenger\//, 'WeChat'],
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/okhttp\/|Dalvik\//, 'App'],
  [/CFNetwork\//, 'App'],
]

const SYSTEMS: readonly [RegExp, string][] = [
  [/HarmonyOS|OpenHarmony/, 'HarmonyOS'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh|Darwin\//, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** `(Linux; Android 14; Pixel 8 Build/…)`: the phone's model. Browsers that hide it send `K`. */
const MODEL = /Android [\d.]+; ((?!K\)|K;|wv\b)[\w .+-]{2,40}?)(?: Build\/|[;)])/

const firstMatch = (table: readonly [RegExp, string][], agent: string): string =>
  table.find(([pattern]) => pattern.test(agent))?.[1] ?? ''

/**
 * A name for a device that sent none, from its User-Agent header: "Chrome on Windows", "App on Pixel 8", "iPhone". Empty if the
 * header says nothing about the device (curl, a script).
 */
export function nameOfAgent(agent: string): string {
  const system = MODEL.exec(agent)?.[1]?.trim() || firstMatch(SYSTEMS, agent)
  const app = firstMatch(APPS, agent)
  if (system === '') return app === 'App' ? '' : app
  return app === '' ? system : `${app} on ${system}`
}

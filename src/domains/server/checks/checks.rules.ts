/** Conclusions about the device that opened a check. */

import type { Machine } from '#config/machine.ts'
import { ipBucket, isPublicIp } from '#lib/ip.ts'

/** In this order: most browsers name others, too. */
const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|OPT|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['WeChat', /\bMicroMessenger\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+.* Safari\//],
]

/** `Other` for a program that is not a known browser. */
export const browserFamily = (userAgent: string): string =>
  FAMILIES.find(([, mark]) => mark.test(userAgent))?.[0] ?? 'Other'

/**
 * OTHER only for a public address that is neither the server's nor in one of its networks: devices behind the same router have its address, and
 * with IPv6 one of the same /64.
 *
 * @param own Addresses of this machine, and those to which its names lead
 */
export function networkOf(ip: string, own: readonly string[]): 'SAME' | 'OTHER' {
  return isPublicIp(ip) && !own.some((address) => ipBucket(address) === ipBucket(ip)) ? 'OTHER' : 'SAME'
}

/** `Machine.addresses` are the private ones. */
export const ownAddressesOf = ({ addresses, publicAddresses }: Machine): string[] => [...addresses, ...publicAddresses]

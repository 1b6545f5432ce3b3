/** Names of hosts (RFC 1123), with digits at the beginning and without a dot at the end. */

import { parseIp } from './ip.ts'

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i

export const isHostName = (text: string): boolean => HOST_NAME.test(text)

/** The host of an address, without the brackets of IPv6. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** A name in lower case and as ASCII, which may begin with `*.`, or an IP address; undefined if the text is neither. */
export function parseName(text: string): string | undefined {
  const [, star = '', rest = ''] = /^(\*\.)?(.*?)\.?$/.exec(text.trim())!
  const bare = rest.replace(/^\[|\]$/g, '')
  if (parseIp(bare)) return star === '' ? bare.toLowerCase() : undefined
  const host = URL.parse(`http://${bare}`)?.host ?? ''
  // Browsers read "1.2" and "0x7f.1" as addresses.
  return isHostName(host) && !parseIp(host) ? star + host : undefined
}

/** IP addresses and CIDR ranges of both families, without the network. */

import { BlockList, isIP } from 'node:net'

/** Whether an address is inside some ranges. */
export type IpTest = (ip: string) => boolean

/**
 * 4 bytes for IPv4 and for IPv6 that maps IPv4 (`::ffff:192.0.2.1`), 16 for other IPv6, undefined for other texts. A zone
 * (`fe80::1%eth0`) is ignored.
 */
export function parseIp(text: string): Uint8Array | undefined {
  const family = isIP(text)
  if (family === 4) return Uint8Array.from(text.split('.'), Number)
  if (family !== 6) return undefined
  const [head, tail] = text.replace(/%.*/, '').split('::').map(bytesOf)
  const bytes = new Uint8Array(16)
  bytes.set(head!)
  if (tail) bytes.set(tail, 16 - tail.length)
  const isMapped = bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0)
  return isMapped ? bytes.slice(12) : bytes
}

/** The bytes of one side of the `::`: hexadecimal groups, the last of which may be a whole IPv4 address. */
const bytesOf = (groups: string): number[] =>
  groups === ''
    ? []
    : groups.split(':').flatMap((group) => {
        if (group.includes('.')) return group.split('.').map(Number)
        const value = Number.parseInt(group, 16)
        return [value >> 8, value & 0xff]
      })

/** In lower case and in the shortest form (RFC 5952). */
export function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const parts = Array.from({ length: 8 }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!)
  let best = { at: 0, length: 1 }
  for (let at = 0; at < 8; at++) {
    let length = 0
    while (at + length < 8 && parts[at + length] === 0) length++
    if (length > best.length) best = { at, length }
  }
  const hex = parts.map((part) => part.toString(16))
  if (best.length === 1) return hex.join(':')
  return `${hex.slice(0, best.at).join(':')}::${hex.slice(best.at + best.length).join(':')}`
}

/** `address` or `address/bits`; undefined for other texts. `bits`: how many leading bits must be equal. */
export function parseRange(text: string): { readonly bytes: Uint8Array; readonly bits: number } | undefined {
  const [address = '', prefix, ...more] = text.split('/')
  const bytes = parseIp(address)
  if (bytes === undefined || more.length > 0) return undefined
  const width = bytes.length * 8
  // In `::ffff:10.0.0.0/104` the prefix counts the 96 bits in front of the IPv4 address, too.
  const skipped = width === 32 && address.includes(':') ? 96 : 0
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined
  const bits = Number(prefix ?? width + skipped) - skipped
  return bits >= 0 && bits <= width ? { bytes, bits } : undefined
}

/** True for addresses inside one of `ranges`. A range that `parseRange` does not accept contains nothing. */
export function ipTest(ranges: readonly string[]): IpTest {
  // One list for each family: for a BlockList `::/0` contains every IPv4 address.
  const v4 = new BlockList()
  const v6 = new BlockList()
  for (const range of ranges) {
    const parsed = parseRange(range)
    if (parsed?.bytes.length === 4) v4.addSubnet(formatIp(parsed.bytes), parsed.bits, 'ipv4')
    else if (parsed) v6.addSubnet(formatIp(parsed.bytes), parsed.bits, 'ipv6')
  }
  return (ip) => {
    const bytes = parseIp(ip)
    if (bytes === undefined) return false
    return bytes.length === 4 ? v4.check(formatIp(bytes), 'ipv4') : v6.check(formatIp(bytes), 'ipv6')
  }
}

/**
 * The client's address. Proxies append to `X-Forwarded-For`, so forged entries are on the left: read from the right, the first
 * address that is not a trusted proxy is the client. At an entry that is not an address the search ends with the proxy that
 * passed it on.
 */
export function clientIp(peer: string, forwardedFor: string | null | undefined, isTrusted: IpTest): string {
  let client = normal(peer)
  if (!forwardedFor || !isTrusted(client)) return client
  const chain = forwardedFor.split(',')
  for (let i = chain.length - 1; i >= 0; i--) {
    const bytes = parseIp(withoutPort(chain[i]!.trim()))
    if (!bytes) return client
    client = formatIp(bytes)
    if (!isTrusted(client)) return client
  }
  return client
}

/** The key for rate limits: an IPv4 address, or the /64 network that an IPv6 customer usually has. */
export function ipBucket(ip: string): string {
  if (!ip.includes(':')) return ip
  const bytes = parseIp(ip)
  if (!bytes) return ip
  if (bytes.length === 4) return formatIp(bytes)
  return `${formatIp(bytes.fill(0, 8))}/64`
}

function normal(ip: string): string {
  if (!ip.includes(':')) return ip
  const bytes = parseIp(ip)
  return bytes ? formatIp(bytes) : ip
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const bracket = /^\[([^\]]+)\](?::\d+)?$/.exec(text)
  if (bracket) return bracket[1]!
  const v4 = /^(\d[\d.]*):\d+$/.exec(text)
  return v4 ? v4[1]! : text
}

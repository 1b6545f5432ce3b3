/**
 * IP addresses and CIDR ranges of both families, without the network. Not by `isIP` and `BlockList` of `node:net`: loading that module
 * takes about 4 ms and 2.7 MiB of each start, and a check takes three times as long (docs/adr/0013-own-helpers.md).
 */

/** Whether an address is inside some ranges. */
export type IpTest = (ip: string) => boolean

export interface IpRange {
  /** 4 bytes for IPv4, also when it is mapped into IPv6; otherwise 16. */
  readonly bytes: Uint8Array
  /** Number of leading bits that must be equal. */
  readonly bits: number
}

function parseV4(text: string): Uint8Array | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (!match) return undefined
  const bytes = new Uint8Array(4)
  for (let i = 0; i < 4; i++) {
    const part = match[i + 1]!
    // "010" is octal for some programs and decimal for others, so it is refused.
    if (Number(part) > 255 || (part.length > 1 && part.startsWith('0'))) return undefined
    bytes[i] = Number(part)
  }
  return bytes
}

function groups(text: string): number[] | undefined {
  if (text === '') return []
  const out: number[] = []
  for (const part of text.split(':')) {
    if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined
    out.push(parseInt(part, 16))
  }
  return out
}

function parseV6(input: string): Uint8Array | undefined {
  let text = input
  if (text.includes('.')) {
    // A dotted tail is the last two groups (::ffff:192.0.2.1).
    const at = text.lastIndexOf(':')
    const tail = parseV4(text.slice(at + 1))
    if (at < 0 || !tail) return undefined
    const hex = (a: number, b: number): string => ((a << 8) | b).toString(16)
    text = `${text.slice(0, at + 1)}${hex(tail[0]!, tail[1]!)}:${hex(tail[2]!, tail[3]!)}`
  }
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = groups(halves[0]!)
  const tail = halves.length === 2 ? groups(halves[1]!) : []
  if (!head || !tail) return undefined
  const given = head.length + tail.length
  if (halves.length === 2 ? given > 7 : given !== 8) return undefined
  const all = [...head, ...new Array<number>(8 - given).fill(0), ...tail]
  const bytes = new Uint8Array(16)
  for (const [i, group] of all.entries()) {
    bytes[2 * i] = group >> 8
    bytes[2 * i + 1] = group & 0xff
  }
  return bytes
}

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.length === 16 && bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((b) => b === 0)

/**
 * 4 bytes for IPv4 and for IPv6 that maps IPv4 (`::ffff:192.0.2.1`), 16 for other IPv6, undefined for other texts. A zone
 * (`fe80::1%eth0`) is ignored.
 */
export function parseIp(text: string): Uint8Array | undefined {
  if (!text.includes(':')) return parseV4(text)
  const zone = text.indexOf('%')
  const bytes = parseV6(zone < 0 ? text : text.slice(0, zone))
  return bytes && isMapped(bytes) ? bytes.slice(12) : bytes
}

/** `address` or `address/bits`; undefined for other texts. */
export function parseRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/')
  const address = slash < 0 ? text : text.slice(0, slash)
  const bytes = parseIp(address)
  if (!bytes) return undefined
  const mapped = bytes.length === 4 && address.includes(':')
  // In `::ffff:10.0.0.0/104` the prefix counts the 96 bits in front of the IPv4 address, too.
  const width = mapped ? 128 : bytes.length * 8
  const given = slash < 0 ? String(width) : text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(given) || Number(given) > width) return undefined
  const bits = Number(given) - (mapped ? 96 : 0)
  return bits < 0 ? undefined : { bytes, bits }
}

function inRange(ip: Uint8Array, { bytes, bits }: IpRange): boolean {
  if (ip.length !== bytes.length) return false
  const whole = bits >> 3
  for (let i = 0; i < whole; i++) if (ip[i] !== bytes[i]) return false
  const mask = (0xff00 >> (bits & 7)) & 0xff
  return mask === 0 || (ip[whole]! & mask) === (bytes[whole]! & mask)
}

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

/** True for addresses inside one of `ranges`. A range that `parseRange` does not accept contains nothing. */
export function ipTest(ranges: readonly string[]): IpTest {
  const parsed = ranges.map(parseRange).filter((range) => range !== undefined)
  return (ip) => {
    const bytes = parseIp(ip)
    return bytes !== undefined && parsed.some((range) => inRange(bytes, range))
  }
}

/** Everything that is not a unicast address of the public internet (registries of IANA). Of IPv6 only 2000::/3 is public. */
const isSpecial = ipTest([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/3',
  '4000::/2',
  '8000::/1',
  // Teredo, ORCHID, 6to4 and documentation: some of them contain IPv4 addresses.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
])

/** Whether the text is an address that belongs to a host on the public internet. */
export const isPublicIp = (ip: string): boolean => parseIp(ip) !== undefined && !isSpecial(ip)

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

/** Prefixes of the networks that limits count for IPv6: what a customer usually has, and two larger sizes that providers hand out. */
const PREFIXES = [64, 56, 48]

/** The keys for limits: an IPv4 address, or the /64, /56 and /48 networks of an IPv6 address. Another text is its own key. */
export function ipNetworks(ip: string): string[] {
  const bytes = ip.includes(':') ? parseIp(ip) : undefined
  if (!bytes) return [ip]
  if (bytes.length === 4) return [formatIp(bytes)]
  return PREFIXES.map((bits) => `${formatIp(bytes.fill(0, bits / 8))}/${bits}`)
}

/** The narrowest of `ipNetworks`. */
export const ipBucket = (ip: string): string => ipNetworks(ip)[0]!

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

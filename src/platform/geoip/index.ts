/** Looks up the city of an IP address in database files on this machine. No service is asked. */

import { ipTest, parseIp } from '#lib/ip.ts'

import { BadXdb, openXdb, type Xdb } from './xdb.ts'

export { BadXdb } from './xdb.ts'

export interface Cities {
  /** The city, or else the province or the country; empty if nothing is known. Takes about 6 µs. */
  cityOf(ip: string): string
  readonly files: readonly Pick<Xdb, 'path' | 'width' | 'madeAt'>[]
  close(): void
}

/** Addresses without a place: this machine, private networks, networks inside carriers, documentation. */
const isPlaceless = ipTest([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
])

/** `paths`: at most one database for each of IPv4 and IPv6. @throws BadXdb */
export function openCities(paths: readonly string[]): Cities {
  const files: Xdb[] = []
  const close = (): void => files.forEach((file) => file.close())
  try {
    for (const path of paths) {
      const file = openXdb(path)
      files.push(file)
      if (files.some((other) => other !== file && other.width === file.width))
        throw new BadXdb(`TESSERA_GEOIP_FILE names two databases for IPv${file.width === 4 ? 4 : 6}: name only one.`)
    }
  } catch (error) {
    close()
    throw error
  }
  return {
    files,
    close,
    cityOf(ip) {
      const address = parseIp(ip)
      const file = files.find(({ width }) => width === address?.length)
      return address === undefined || file === undefined || isPlaceless(ip) ? '' : placeIn(file.lookup(address))
    },
  }
}

/** The terms of ip2region for "unknown" and "private network". */
const UNKNOWN = new Set(['', '0', '内网IP', 'Reserved'])

/**
 * The most exact place in a text of the database. The format is `country|province|city|carrier|ISO code` since 2025; before, it was
 * `country|region|province|city|carrier` with a region that was always 0.
 */
export function placeIn(text: string): string {
  const [country = '', second = '', third = '', fourth = '', fifth = ''] = text.split('|').map((part) => part.trim())
  const older = second === '0' && !/^[A-Z]{2}$/.test(fifth)
  const [province, city] = older ? [third, fourth] : [second, third]
  return [city, province, country].find((name) => !UNKNOWN.has(name)) ?? ''
}

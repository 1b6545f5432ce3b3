/** Looks up the place of an IP address in database files on this machine. No service is asked. */

import { formatIp, ipTest, parseIp } from '#lib/ip.ts'

import { type Mmdb, openMmdb } from './mmdb.ts'
import { BadGeoip, openXdb, type Xdb } from './xdb.ts'

export { BadGeoip } from './xdb.ts'

export interface Places {
  /** The city, or else the province or the country; empty if nothing is known. Takes about 6 µs. */
  cityOf(ip: string): string
  /** ISO 3166-1 alpha-2; null if it is not known. */
  countryOf(ip: string): string | null
  /** By the bytes of addresses. */
  readonly files: readonly { readonly path: string; readonly widths: readonly (4 | 16)[]; readonly madeAt: number }[]
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

const isMmdb = (file: Xdb | Mmdb): file is Mmdb => 'widths' in file

/** `paths`: at most one database for each of IPv4 and IPv6. @throws BadGeoip */
export function openPlaces(paths: readonly string[]): Places {
  const byWidth = new Map<number, Xdb | Mmdb>()
  const files: Places['files'][number][] = []
  const close = (): void => {
    for (const file of byWidth.values()) if (!isMmdb(file)) file.close()
  }
  try {
    for (const path of paths) {
      const file = path.toLowerCase().endsWith('.mmdb') ? openMmdb(path) : openXdb(path)
      const widths = isMmdb(file) ? file.widths : [file.width]
      for (const width of widths) {
        if (byWidth.has(width)) {
          if (!isMmdb(file)) file.close()
          throw new BadGeoip(`TESSERA_GEOIP_FILE names two databases for IPv${width === 4 ? 4 : 6}: name only one.`)
        }
        byWidth.set(width, file)
      }
      files.push({ path, widths, madeAt: file.madeAt })
    }
  } catch (error) {
    close()
    throw error
  }
  function lookup(ip: string): { readonly place: string; readonly country: string } {
    const address = parseIp(ip)
    const file = address && byWidth.get(address.length)
    if (file === undefined || isPlaceless(ip)) return { place: '', country: '' }
    if (isMmdb(file)) return file.lookup(formatIp(address!))
    const text = file.lookup(address!)
    return { place: placeIn(text), country: countryIn(text) }
  }
  return { files, close, cityOf: (ip) => lookup(ip).place, countryOf: (ip) => lookup(ip).country || null }
}

/** The terms of ip2region for "unknown" and "private network". */
const UNKNOWN = new Set(['', '0', '内网IP', 'Reserved'])

/**
 * The fields of a text of the database. The format is `country|province|city|carrier|ISO code` since 2025; before, it was
 * `country|region|province|city|carrier` with a region that was always 0.
 */
function fieldsOf(text: string): { country: string; province: string; city: string; code: string } {
  const [country = '', second = '', third = '', fourth = '', fifth = ''] = text.split('|').map((part) => part.trim())
  const isOlder = second === '0' && !/^[A-Z]{2}$/.test(fifth)
  return isOlder
    ? { country, province: third, city: fourth, code: '' }
    : { country, province: second, city: third, code: fifth }
}

/** The most exact place in a text of the database. */
export function placeIn(text: string): string {
  const { country, province, city } = fieldsOf(text)
  return [city, province, country].find((name) => !UNKNOWN.has(name)) ?? ''
}

/** The code of the country in a text of the database; empty if there is none. Older databases have its Chinese name only. */
export function countryIn(text: string): string {
  const { country, code } = fieldsOf(text)
  if (/^[A-Z]{2}$/.test(code)) return code
  return UNKNOWN.has(country) ? '' : (codesByName().get(country) ?? '')
}

let codes: ReadonlyMap<string, string> | undefined

function codesByName(): ReadonlyMap<string, string> {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i))
  const names = new Intl.DisplayNames('zh', { type: 'region', fallback: 'none' })
  return (codes ??= new Map(
    letters.flatMap((a) =>
      letters.flatMap((b) => {
        const name = names.of(a + b)
        // Codes that were replaced have the names of those that replace them.
        const isCurrent = Intl.getCanonicalLocales(`und-${a}${b}`)[0] === `und-${a}${b}`
        return name === undefined || !isCurrent ? [] : [[name, a + b] as const]
      }),
    ),
  ))
}

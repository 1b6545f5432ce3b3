/** A scan as its visitor's browser describes it, and how the scans of a day are broken down. */

import { parseIp } from '#lib/ip.ts'
import { browserOf, type Device } from '#lib/visitor.ts'

/** Known for the time of the request and until the next write, at most a second. Nothing of it is stored as it is. */
export interface Visit {
  /** It is counted apart, and in nothing else. */
  readonly isRobot: boolean
  /** The visitor asked not to be followed: `DNT: 1` or `Sec-GPC: 1`. */
  readonly isOptedOut: boolean
  readonly ip: string
  readonly userAgent: string
  readonly device: Device
  /** The first choice of the visitor as a tag in lower case; empty if there is none. */
  readonly language: string
  /** ISO 3166-1 alpha-2, or null if it is not known. */
  readonly country: string | null
  /** The host of the page with the link, or what `referrerOf` says instead. */
  readonly referrer: string
  /** The rule that led the scan, or null if none did. */
  readonly rule: number | null
}

export const isOptedOut = (headers: Headers): boolean => headers.get('dnt') === '1' || headers.get('sec-gpc') === '1'

export const DIMENSIONS = ['device', 'language', 'country', 'referrer', 'rule'] as const
export type Dimension = (typeof DIMENSIONS)[number]
/** Scans by value of each dimension. */
export type Details = Partial<Record<Dimension, Record<string, number>>>

/** Everything that is not counted by name. */
export const OTHER = 'other'
/** The value of an unknown country. */
export const UNKNOWN = ''

/** Values of a dimension in a day, and rows of a breakdown. */
export const MAX_VALUES = 50
/** Bytes of the JSON of a day. */
export const MAX_DETAILS = 4000
/** Values of a dimension that wait for the next write. */
const MAX_WAITING = 500
const MAX_HOST = 100

/** The languages that have a name: invented ones are not worth a row. */
const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
const languages = new Map<string, string>()

function languageValue(tag: string): string {
  const primary = tag.split('-', 1)[0]!
  if (primary === '') return 'und'
  // There are at most 26² + 26³ texts of two or three letters, so the map stays small.
  if (!/^[a-z]{2,3}$/.test(primary)) return OTHER
  let value = languages.get(primary)
  if (value === undefined) languages.set(primary, (value = languageNames.of(primary) === undefined ? OTHER : primary))
  return value
}

const HOST = /^(?:https?|android-app):\/\/(?:[^/?#@]*@)?([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d+)?(?:[/?#]|$)/i

/** The host of `Referer`: `direct` without one and for those of this server, `other` if it is not one. */
export function referrerOf(header: string | null, isOwn: (host: string) => boolean): string {
  if (header === null || header === '') return 'direct'
  const host = HOST.exec(header)?.[1]?.toLowerCase()
  if (host === undefined || host.length > MAX_HOST) return OTHER
  return isOwn(host) ? 'direct' : host
}

/** Counts of scans that wait for the next write. */
export type Counts = Record<Dimension, Map<string, number>>
export const newCounts = (): Counts => ({
  device: new Map(),
  language: new Map(),
  country: new Map(),
  referrer: new Map(),
  rule: new Map(),
})

export function addVisit(counts: Counts, visit: Visit): void {
  add(counts.device, visit.device)
  add(counts.language, languageValue(visit.language))
  add(counts.country, visit.country === null || !/^[A-Z]{2}$/.test(visit.country) ? UNKNOWN : visit.country)
  add(counts.referrer, visit.referrer)
  add(counts.rule, visit.rule === null ? 'default' : String(visit.rule))
}

function add(counts: Map<string, number>, value: string): void {
  const known = counts.has(value) || counts.size < MAX_WAITING ? value : OTHER
  counts.set(known, (counts.get(known) ?? 0) + 1)
}

/** Equal for two scans of one visitor. IPv6 networks give each device many addresses of one /64. */
export function visitorOf({ ip, device, userAgent }: Visit): string {
  const bytes = parseIp(ip)
  const network = bytes === undefined ? ip : bytes.length === 4 ? bytes.join('.') : bytes.subarray(0, 8).toHex()
  return `${network} ${device} ${browserOf(userAgent)}`
}

/** Most frequent first, then by value. */
const byCount = ([a, n]: [string, number], [b, m]: [string, number]): number => m - n || (a < b ? -1 : 1)

/** Keeps the most frequent values by name, `other` apart from them. Of equals, the newer ones come in: otherwise the first values of a day would stay. */
function mostFrequent(counts: Map<string, number>, isNew: (value: string) => boolean): [string, number][] {
  let other = counts.get(OTHER) ?? 0
  const named = [...counts].filter(([value]) => value !== OTHER)
  if (named.length > MAX_VALUES) {
    named.sort((a, b) => b[1] - a[1] || Number(isNew(b[0])) - Number(isNew(a[0])) || byCount(a, b))
    for (const [, count] of named.splice(MAX_VALUES)) other += count
  }
  return other > 0 ? [...named, [OTHER, other]] : named
}

const bytesOf = (value: string, count: number): number =>
  Buffer.byteLength(JSON.stringify(value)) + String(count).length + 2

/** Adds counts to those of a day or month. The result is small enough for a row; the sum of each dimension grows by the added counts. */
export function mergeDetails(stored: Details, added: Counts | Details): Details {
  const merged = {} as Record<Dimension, [string, number][]>
  for (const dimension of DIMENSIONS) {
    const counts = new Map(Object.entries(stored[dimension] ?? {}))
    const more = added[dimension]
    const entries = more instanceof Map ? more : Object.entries(more ?? {})
    for (const [value, count] of entries) counts.set(value, (counts.get(value) ?? 0) + count)
    merged[dimension] = mostFrequent(counts, (value) => !Object.hasOwn(stored[dimension] ?? {}, value))
  }
  return cutToSize(merged)
}

/** Whether the values are surely small enough: JSON takes at most six bytes for a UTF-16 unit, as for a control character. */
const isSmall = (merged: Record<Dimension, [string, number][]>): boolean => {
  let units = 0
  for (const dimension of DIMENSIONS) for (const [value] of merged[dimension]) units += value.length + 8
  return units * 6 < MAX_DETAILS - 200
}

/** Moves the rarest values of the longest breakdown to `other` until the JSON is small enough. */
function cutToSize(merged: Record<Dimension, [string, number][]>): Details {
  return isSmall(merged) ? detailsOf(merged) : detailsOf(cut(merged))
}

function cut(merged: Record<Dimension, [string, number][]>): Record<Dimension, [string, number][]> {
  const sizes = new Map(
    DIMENSIONS.map((dimension) => [
      dimension,
      dimension.length + 6 + merged[dimension].reduce((sum, entry) => sum + bytesOf(...entry), 0),
    ]),
  )
  const total = (): number => [...sizes.values()].reduce((sum, size) => sum + size, 0)
  while (total() > MAX_DETAILS) {
    const [longest] = [...sizes].toSorted((a, b) => b[1] - a[1])[0]!
    const named = merged[longest].filter(([value]) => value !== OTHER).toSorted(byCount)
    const [, rarest] = named.pop()!
    const other = (merged[longest].find(([value]) => value === OTHER)?.[1] ?? 0) + rarest
    merged[longest] = [...named, [OTHER, other]]
    sizes.set(longest, longest.length + 6 + merged[longest].reduce((sum, entry) => sum + bytesOf(...entry), 0))
  }
  return merged
}

const detailsOf = (merged: Record<Dimension, [string, number][]>): Details =>
  Object.fromEntries(
    DIMENSIONS.filter((dimension) => merged[dimension].length > 0).map((dimension) => [
      dimension,
      Object.fromEntries(merged[dimension]),
    ]),
  )

/** The rows of a breakdown, the most frequent first. A country that is not known is null. */
export function breakdown(all: readonly Details[], dimension: Dimension): { value: string | null; count: number }[] {
  const counts = new Map<string, number>()
  for (const details of all)
    for (const [value, count] of Object.entries(details[dimension] ?? {}))
      counts.set(value, (counts.get(value) ?? 0) + count)
  const rows = [...counts].toSorted(byCount)
  if (rows.length > MAX_VALUES) {
    const others = rows.filter(([value]) => value === OTHER)
    const named = rows.filter(([value]) => value !== OTHER)
    const rest = [...others, ...named.splice(MAX_VALUES - 1)].reduce((sum, [, count]) => sum + count, 0)
    rows.splice(0, rows.length, ...named, [OTHER, rest])
    rows.sort(byCount)
  }
  return rows.map(([value, count]) => ({ value: value === UNKNOWN ? null : value, count }))
}

/** The number of a day in UTC since 1970. */
export const utcDay = (at: number): number => Math.floor(at / 86_400_000)

/** The first day of the month of a day. */
export function monthOf(day: number): number {
  const date = new Date(day * 86_400_000)
  return utcDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1))
}

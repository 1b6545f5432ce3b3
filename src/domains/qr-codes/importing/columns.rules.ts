/** Which column of a file means what, by its header. Pure. */

import type { Localized } from '#lib/localized.ts'
import { wordKey, zoneIn } from '#lib/spreadsheets/cells.ts'
import { type Mapping, parseMapping } from '#lib/spreadsheets/mapping.ts'

import type { Source } from './importing.model.ts'

/** The names of each column, as our export and other services write them. */
const NAMES = {
  target: ['target', 'content', 'long_url', 'url', 'destination', 'Destination URL', '链接', '目标', '内容'],
  slug: ['slug', 'key', 'shortCode', 'back_half', '短链后缀'],
  shortUrl: ['shortUrl', 'link', 'bitlink', 'shortLink', 'Short link', '短链接'],
  name: ['title', 'name', '名称'],
  tags: ['tags', '标签'],
  remark: ['remark', '备注'],
  isPublic: ['public', '公开'],
  opens: ['opens', '扫码打开'],
  rules: ['rules', '规则'],
  fallbackUrl: ['fallbackUrl', 'expiredUrl', '备用链接'],
  expiresAt: ['expires_at', 'validUntil', '到期时间'],
  maxScans: ['maxScans', 'maxVisits', '扫描上限'],
  createdAt: ['created_at', 'created', 'dateCreated', '创建时间'],
  earlierScans: ['clicks', 'visits', 'visitsCount', 'earlierScans'],
  ios: ['ios'],
  android: ['android'],
  geo: ['geo'],
  id: ['id'],
  uuid: ['uuid'],
  publicUrl: ['Public link', 'publicUrl', '公开链接'],
} as const
export type Key = keyof typeof NAMES
const KEYS = Object.keys(NAMES) as Key[]

const byName = new Map(KEYS.flatMap((key) => NAMES[key].map((name) => [wordKey(name), key] as const)))

export interface Columns {
  readonly source: Source
  readonly headers: readonly string[]
  /** Where the columns of a key are. Our export has the target twice; the first cell with a value counts. */
  readonly at: ReadonlyMap<Key, readonly number[]>
  /** The time zones that headers name, by column. */
  readonly zones: ReadonlyMap<number, string>
  readonly ignored: readonly string[]
}

export const mappingIn = (text: string): Mapping<Key> | Localized =>
  parseMapping(text, (key) => Object.hasOwn(NAMES, key))

/** `given`: the source that the request names. */
export function columnsOf(headers: readonly string[], mapping: Mapping<Key>, given: Source | undefined): Columns {
  const at = new Map<Key, number[]>()
  const zones = new Map<number, string>()
  const ignored: string[] = []
  for (const [i, header] of headers.entries()) {
    const zoned = zoneIn(header)
    const name = wordKey(header)
    const key = mapping.has(name) ? mapping.get(name)! : (byName.get(name) ?? byName.get(wordKey(zoned?.name ?? '')))
    if (key == null) {
      if (header !== '') ignored.push(header)
      continue
    }
    if (zoned !== undefined) zones.set(i, zoned.zone)
    const others = at.get(key)
    if (others === undefined) at.set(key, [i])
    else others.push(i)
  }
  return { source: given ?? sourceOf(new Set(headers.map(wordKey))), headers, at, zones, ignored }
}

function sourceOf(names: ReadonlySet<string>): Source {
  const has = (...some: string[]) => some.every((name) => names.has(wordKey(name)))
  if (names.has('uuid')) return 'TESSERA'
  if (has('shortCode') || has('shortUrl', 'longUrl')) return 'SHLINK'
  if (has('key', 'domain') || has('Short link', 'Destination URL')) return 'DUB'
  if (has('long_url') || has('bitlink')) return 'BITLY'
  return 'CSV'
}

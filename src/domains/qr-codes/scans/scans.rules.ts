/** Recognizes the code, organization or page that a scanned text refers to. */

import { ownLink } from '#lib/own-link.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import type { Kind } from './scans.model.ts'

export type Target = { kind: 'QR_CODE'; uuid: string } | { kind: Exclude<Kind, 'QR_CODE' | 'BLANK' | 'LOCATION'> }

/** Prefixes of the interface (spec §2.4): `activity:<id>[:<code>]`, `org-join:<code>`, `user:<code>`. */
const PREFIXES: readonly (readonly [RegExp, Kind & ('ACTIVITY' | 'ORG_JOIN' | 'USER')])[] = [
  [/^activity:\d{1,16}(:[\w-]{1,64})?$/, 'ACTIVITY'],
  [/^org-join:[\w-]{1,64}$/, 'ORG_JOIN'],
  [/^user:[\w-]{1,128}$/, 'USER'],
]

/** Landing paths of the interface (spec §4.2): `/s/{type}/{id}`. */
const LANDINGS: ReadonlyMap<string, Exclude<Target['kind'], 'QR_CODE'>> = new Map([
  ['activity', 'ACTIVITY'],
  ['check-in', 'CHECK_IN'],
  ['pass', 'PASS'],
  ['asset', 'ASSET'],
  ['supply', 'SUPPLY'],
])

const SHARE_PATH = new RegExp(`^/(?:public/qr|api/qr-codes/public)/(${UUID_PATTERN})/?$`, 'i')
/** The page of an organization, whose QR code leads there. */
const ORGANIZATION_PATH = /^\/public\/orgs\/[\w-]{1,64}\/?$/
/** In any case: QR codes of passes hold their links in upper case. A signed pass has 154 characters. */
const LANDING_PATH = /^\/s\/([a-z-]+)\/[\w-]{1,200}\/?$/i

/** `addresses` are the starts of this server's links. The same paths on other servers are ordinary URLs. */
export function targetOf(content: string, addresses: readonly string[]): Target {
  const text = content.trim()
  for (const [pattern, kind] of PREFIXES) if (pattern.test(text)) return { kind }
  if (!/^https?:\/\/\S+$/i.test(text) || URL.parse(text) === null) return { kind: 'TEXT' }
  const path = ownLink(text, addresses)?.path
  const uuid = path && SHARE_PATH.exec(path)?.[1]
  if (uuid) return { kind: 'QR_CODE', uuid: uuid.toLowerCase() }
  if (path && ORGANIZATION_PATH.test(path)) return { kind: 'ORG_JOIN' }
  const landing = path && LANDING_PATH.exec(path)?.[1]
  return { kind: (landing && LANDINGS.get(landing.toLowerCase())) || 'URL' }
}

/** Entries for a number or an address that was typed. */

import { Event, Inventory2, Link, QrCode2, Tag } from '@mui/icons-material'

import { publicAddress } from '../../api/local-addresses.ts'
import type { Locale } from '../../i18n/locale.ts'
import { things } from '../../i18n/things.ts'
import { may } from '../../session/session.ts'
import type { Entry } from './entry.ts'

/** Pages of things by their number, as in their addresses. */
const NUMBERED = [
  { thing: things.qrCode, icon: QrCode2, path: '/codes', needs: 'qrCodes.get' },
  { thing: things.asset, icon: Inventory2, path: '/assets', needs: 'assets.get' },
  { thing: things.activity, icon: Event, path: '/activities', needs: 'activities.get' },
] as const

export function numbered(text: string, locale: Locale): Entry[] {
  const number = /^#?(\d{1,15})$/.exec(text)?.[1]
  if (number === undefined) return []
  return NUMBERED.filter(({ needs }) => may(needs)).map(({ thing, icon, path }) => ({
    id: `number-${path.slice(1)}`,
    group: 'numbers',
    icon,
    label: `${thing.one[locale]} ${Number(number)}`,
    to: `${path}/${Number(number)}`,
  }))
}

/** The page of an address of this server. Pages outside the web application are public ones. */
export function addressed(text: string): Entry[] {
  const url = text.startsWith('/console/') ? new URL(text, location.origin) : URL.parse(text)
  const isHere = url !== null && [location.origin, URL.parse(publicAddress('/'))?.origin].includes(url.origin)
  if (!isHere) return []
  // Two slashes at the beginning would name another server.
  const path = url.pathname.replaceAll(/\/{2,}/g, '/') + url.search
  const inside = /^\/console(\/.*)$/.exec(path)?.[1]
  return [
    { id: 'address', group: 'best', icon: inside === undefined ? Link : Tag, label: path, to: inside ?? `//${path}` },
  ]
}

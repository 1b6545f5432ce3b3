/**
 * Reads the contents of QR codes into the parts that people understand: a network and its password, a contact, a place. Contents are
 * written by strangers: nothing throws, the work is bounded by the length, and whatever does not fit a form is a plain text.
 */

import { contentTypeOf } from '../content-type.ts'
import { type Contact, readContact } from './contacts.ts'
import { type CalendarEvent, readEvent } from './events.ts'
import { fieldsOf, lastOf } from './fields.ts'
import { type Message, readMessage } from './messages.ts'

export interface Wifi {
  readonly type: 'wifi'
  readonly network: string
  /** As the code names it in upper case: `WPA`, `WEP`, `SAE`, `WPA2-EAP`; empty for a network without a password. */
  readonly security: string
  readonly password: string
  /** The user name at an enterprise network; usually empty. */
  readonly identity: string
  readonly isHidden: boolean
}

export interface Place {
  readonly type: 'place'
  readonly latitude: number
  readonly longitude: number
  /** The name or address of the place; empty if the code has none. */
  readonly name: string
}

export interface WebAddress {
  readonly type: 'url'
  readonly url: URL
}

export type QrContent = Wifi | Contact | CalendarEvent | Message | Place | WebAddress | { readonly type: 'text' }

export { type Contact, contactFile } from './contacts.ts'
export { type CalendarEvent, eventFile, type Moment } from './events.ts'
export type { Mail, Phone, Sms } from './messages.ts'

/** Longer texts are never the content of a QR code, which holds at most 2,953 bytes. Characters. */
const LONGEST = 4000

/** The scheme decides, not the type that the owner gave the code. White space around the content is ignored. */
export function readContent(content: string): QrContent {
  const text = content.trim()
  if (text.length > LONGEST) return { type: 'text' }
  return (
    readWifi(text) ??
    readContact(text) ??
    readEvent(text) ??
    readMessage(text) ??
    readPlace(text) ??
    readWebAddress(text) ?? { type: 'text' }
  )
}

function readWifi(text: string): Wifi | undefined {
  const fields = /^WIFI:/i.test(text) ? fieldsOf(text.slice('WIFI:'.length)) : undefined
  if (fields === undefined) return undefined
  const network = unquoted(lastOf(fields, 'S'))
  if (network === '') return undefined
  const security = lastOf(fields, 'T').toUpperCase()
  return {
    type: 'wifi',
    network,
    security: security === 'NOPASS' ? '' : security,
    password: security === 'NOPASS' ? '' : unquoted(lastOf(fields, 'P')),
    identity: lastOf(fields, 'I'),
    isHidden: /^(?:true|1|yes)$/i.test(lastOf(fields, 'H')),
  }
}

/** Names and passwords that could be read as hexadecimal numbers are in quotes. */
const unquoted = (text: string): string => /^"([^]+)"$/.exec(text)?.[1] ?? text

const GEO = /^geo:(-?\d{1,3}(?:\.\d{1,20})?),(-?\d{1,3}(?:\.\d{1,20})?)(?:[,;][^?]*)?(?:\?([^]*))?$/i

/** RFC 5870, and the parameter `q` of Android with a name. */
function readPlace(text: string): Place | undefined {
  const [, latitude, longitude, query = ''] = GEO.exec(text) ?? []
  if (latitude === undefined || longitude === undefined) return undefined
  if (Math.abs(Number(latitude)) > 90 || Math.abs(Number(longitude)) > 180) return undefined
  const q = new URLSearchParams(query).get('q') ?? ''
  // `q` may repeat the numbers before the name: `30.25,120.15(West Lake)`.
  const name = /^-?[\d.]+,-?[\d.]+\((.*)\)$/.exec(q)?.[1] ?? (/^-?[\d.]+,-?[\d.]+$/.test(q) ? '' : q)
  return { type: 'place', latitude: Number(latitude), longitude: Number(longitude), name }
}

/** A text that begins with an address is none: the parser would drop its line breaks and take its words into the address. */
function readWebAddress(text: string): WebAddress | undefined {
  const url = contentTypeOf(text) === 'URL' ? URL.parse(text) : null
  return url === null ? undefined : { type: 'url', url }
}

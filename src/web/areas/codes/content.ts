/**
 * The contents that phones act on, as fields of forms: builds the text of a code from them, and reads them back from a text.
 * The formats are those of the ZXing project's list of barcode contents and of RFC 6068, 5870, 2426 and 5545.
 */

import { readContent } from '#lib/qr-contents/index.ts'

import type { ContentType } from '../../api/types.ts'

/** Types with a form of their own. */
export const FORM_TYPES = ['URL', 'TEXT', 'WIFI', 'VCARD', 'EMAIL', 'PHONE', 'SMS', 'GEO', 'EVENT'] as const
export type FormType = (typeof FORM_TYPES)[number]

/** Values of a form by the names of its fields; absent ones are empty. */
export type Fields = Readonly<Record<string, string>>

export const isFormType = (type: ContentType): type is FormType => (FORM_TYPES as readonly string[]).includes(type)

const trimmed = (fields: Fields, name: string): string => (fields[name] ?? '').trim()

/** The text of the code; an empty string as long as required fields are empty. */
export function buildContent(type: FormType, fields: Fields): string {
  const value = (name: string) => trimmed(fields, name)
  switch (type) {
    case 'URL':
      return value('url') === '' || /^[a-z][a-z\d+.-]*:/i.test(value('url')) ? value('url') : `https://${value('url')}`
    case 'TEXT':
      return (fields['text'] ?? '').trim() === '' ? '' : fields['text']!
    case 'WIFI':
      return buildWifi(fields)
    case 'VCARD':
      return buildContact(value)
    case 'EMAIL': {
      if (value('address') === '') return ''
      const query = ['subject', 'body']
        .filter((name) => value(name) !== '')
        .map((name) => `${name}=${encodeURIComponent(value(name))}`)
      return `mailto:${value('address')}${query.length > 0 ? `?${query.join('&')}` : ''}`
    }
    case 'PHONE':
      return value('number') === '' ? '' : `tel:${value('number').replaceAll(/[\s()./-]/g, '')}`
    case 'SMS': {
      const number = value('number').replaceAll(/[\s()./-]/g, '')
      return number === '' ? '' : `SMSTO:${number}${value('message') === '' ? '' : `:${value('message')}`}`
    }
    case 'GEO':
      return isCoordinate(value('latitude'), 90) && isCoordinate(value('longitude'), 180)
        ? `geo:${Number(value('latitude'))},${Number(value('longitude'))}`
        : ''
    case 'EVENT':
      return buildEvent(value)
  }
}

const isCoordinate = (text: string, limit: number): boolean =>
  text !== '' && Number.isFinite(Number(text)) && Math.abs(Number(text)) <= limit

/** The fields of a text, or undefined if the form could not write the same text again. */
export function parseContent(type: FormType, content: string): Fields | undefined {
  const fields = parse(type, content)
  return fields !== undefined && buildContent(type, fields) === content ? fields : undefined
}

/** The fields of a text as far as they are understood, to show them. */
export function parse(type: FormType, content: string): Fields | undefined {
  switch (type) {
    case 'URL':
      return { url: content }
    case 'TEXT':
      return { text: content }
    case 'WIFI':
      return parseWifi(content)
    case 'VCARD':
      return parseContact(content)
    case 'EMAIL': {
      const [, address, query = ''] = /^mailto:([^?]*)(?:\?(.*))?$/is.exec(content) ?? []
      const given = new URLSearchParams(query.replaceAll('+', '%2B'))
      return address === undefined
        ? undefined
        : { address, subject: given.get('subject') ?? '', body: given.get('body') ?? '' }
    }
    case 'PHONE': {
      const number = /^tel:(.+)$/i.exec(content)?.[1]
      return number === undefined ? undefined : { number }
    }
    case 'SMS': {
      const [, number, message = ''] = /^(?:smsto|sms):([^:?]*)(?:(?::|\?body=)(.*))?$/is.exec(content) ?? []
      return number === undefined ? undefined : { number, message }
    }
    case 'GEO': {
      const [, latitude, longitude] = /^geo:(-?[\d.]+),(-?[\d.]+)/i.exec(content) ?? []
      return latitude === undefined ? undefined : { latitude, longitude: longitude! }
    }
    case 'EVENT':
      return parseEvent(content)
  }
}

const escapeWifi = (text: string): string => text.replaceAll(/[\\;,:"]/g, String.raw`\$&`)

function buildWifi(fields: Fields): string {
  const ssid = trimmed(fields, 'ssid')
  if (ssid === '') return ''
  const security = fields['security'] || 'WPA'
  // Passwords may begin or end with a space.
  const password = security === 'nopass' ? '' : (fields['password'] ?? '')
  return (
    `WIFI:T:${security};S:${escapeWifi(ssid)};` +
    `${password === '' ? '' : `P:${escapeWifi(password)};`}${fields['hidden'] === 'true' ? 'H:true;' : ''};`
  )
}

function parseWifi(content: string): Fields | undefined {
  const body = /^WIFI:(.*)$/is.exec(content)?.[1]
  if (body === undefined) return undefined
  const values: Record<string, string> = {}
  for (const [, name, value] of body.matchAll(/([TSPH]):((?:\\.|[^;\\])*);/gi))
    values[name!.toUpperCase()] = value!.replaceAll(/\\(.)/g, '$1')
  return {
    ssid: values['S'] ?? '',
    password: values['P'] ?? '',
    security: /^nopass$/i.test(values['T'] ?? 'nopass') ? 'nopass' : values['T']!,
    hidden: String(values['H'] === 'true'),
  }
}

const escapeLine = (text: string): string =>
  text.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll(/\r?\n/g, String.raw`\n`)
const unescapeLine = (text: string): string =>
  text.replaceAll(/\\([\\;,:n])/gi, (_, sign: string) => (sign.toLowerCase() === 'n' ? '\n' : sign))

/** Names in Chinese, Japanese and Korean are written without a space, family name first. */
const fullName = (given: string, family: string): string =>
  /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(given + family) ? family + given : `${given} ${family}`.trim()

function buildContact(value: (name: string) => string): string {
  const name = fullName(value('givenName'), value('familyName'))
  if (name === '' && value('org') === '') return ''
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${escapeLine(value('familyName'))};${escapeLine(value('givenName'))};;;`,
    `FN:${escapeLine(name || value('org'))}`,
  ]
  const add = (property: string, field: string) => {
    if (value(field) !== '') lines.push(`${property}:${escapeLine(value(field))}`)
  }
  add('ORG', 'org')
  add('TITLE', 'title')
  add('TEL;TYPE=CELL', 'phone')
  add('EMAIL', 'email')
  add('URL', 'url')
  if (value('address') !== '') lines.push(`ADR:;;${escapeLine(value('address'))};;;;`)
  add('NOTE', 'note')
  return [...lines, 'END:VCARD'].join('\n')
}

/** Lines of a vCard or iCalendar by their names, without parameters. The first of several lines with the same name. */
function linesOf(content: string): Map<string, string> {
  const lines = new Map<string, string>()
  for (const line of content.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, name, value] = /^([\w-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? []
    if (name !== undefined && !lines.has(name.toUpperCase())) lines.set(name.toUpperCase(), value!)
  }
  return lines
}

function parseContact(content: string): Fields | undefined {
  if (!/^BEGIN:VCARD/i.test(content.trim())) return undefined
  const lines = linesOf(content)
  const [family = '', given = ''] = (lines.get('N') ?? '').split(/(?<!\\);/).map(unescapeLine)
  const text = (name: string) => unescapeLine(lines.get(name) ?? '')
  return {
    givenName: given || (family === '' ? text('FN') : ''),
    familyName: family,
    org: text('ORG'),
    title: text('TITLE'),
    phone: text('TEL'),
    email: text('EMAIL'),
    url: text('URL'),
    address: (lines.get('ADR') ?? '')
      .split(/(?<!\\);/)
      .filter((part) => part !== '')
      .map(unescapeLine)
      .join(', '),
    note: text('NOTE'),
  }
}

/** `2026-11-23T14:05` of an input, in the zone of the browser, as `20261123T130500Z`. */
function stampOf(local: string): string {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().replaceAll(/[-:]|\.\d+/g, '')
}

/** The reverse of `stampOf`; times without Z are local. */
export function localOf(stamp: string): string {
  const [, y, mo, d, h = '00', mi = '00', s = '00', z = ''] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(stamp) ?? []
  if (y === undefined) return ''
  const time = new Date(`${y}-${mo}-${d}T${h}:${mi}:${s}${z}`)
  const pad = (n: number) => String(n).padStart(2, '0')
  const day = `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`
  return `${day}T${pad(time.getHours())}:${pad(time.getMinutes())}`
}

function buildEvent(value: (name: string) => string): string {
  const [start, end] = [stampOf(value('start')), stampOf(value('end'))]
  if (value('summary') === '' || start === '') return ''
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', `SUMMARY:${escapeLine(value('summary'))}`]
  lines.push(`DTSTART:${start}`)
  if (end !== '') lines.push(`DTEND:${end}`)
  if (value('location') !== '') lines.push(`LOCATION:${escapeLine(value('location'))}`)
  if (value('description') !== '') lines.push(`DESCRIPTION:${escapeLine(value('description'))}`)
  return [...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\n')
}

function parseEvent(content: string): Fields | undefined {
  if (!/^BEGIN:(?:VEVENT|VCALENDAR)/i.test(content.trim())) return undefined
  const lines = linesOf(content)
  const text = (name: string) => unescapeLine(lines.get(name) ?? '')
  return {
    summary: text('SUMMARY'),
    start: localOf(lines.get('DTSTART') ?? ''),
    end: localOf(lines.get('DTEND') ?? ''),
    location: text('LOCATION'),
    description: text('DESCRIPTION'),
  }
}

/** A line about a content, for lists: the network, the name, the number, the address. */
export function summaryOf(content: string): string {
  const read = readContent(content)
  switch (read.type) {
    case 'wifi':
      return read.network
    case 'contact':
      return read.name || read.organization || content
    case 'event':
      return read.title || content
    case 'mail':
      return read.to
    case 'phone':
    case 'sms':
      return read.number
    case 'place':
      return read.name || `${read.latitude}, ${read.longitude}`
    default:
      return content
  }
}

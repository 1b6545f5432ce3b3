/** Contacts: vCard 2.1 to 4.0, MECARD and BIZCARD. */

import { allOf, escaped, fieldsOf, fold, lastOf, type Property, propertyOf, splitAt, unescaped } from './fields.ts'

export interface Contact {
  readonly type: 'contact'
  readonly name: string
  readonly organization: string
  readonly title: string
  readonly phones: readonly string[]
  readonly emails: readonly string[]
  /** On one line each. */
  readonly addresses: readonly string[]
  readonly urls: readonly string[]
  /** As the code writes it. */
  readonly birthday: string
  readonly note: string
}

const NOBODY: Contact = {
  type: 'contact',
  name: '',
  organization: '',
  title: '',
  phones: [],
  emails: [],
  addresses: [],
  urls: [],
  birthday: '',
  note: '',
}

export const readContact = (text: string): Contact | undefined =>
  readVCard(text) ?? readMeCard(text) ?? readBizCard(text)

const VCARD = /^BEGIN:VCARD\b/i

function readVCard(text: string): Contact | undefined {
  if (!VCARD.test(text)) return undefined
  const properties = cardLines(text).flatMap((line) => propertyOf(line) ?? [])
  const valuesOf = (name: string): string[] =>
    properties.flatMap((property) => {
      const value = property.name === name ? textOf(property) : ''
      return value === '' ? [] : [value]
    })
  const listsOf = (name: string): string[][] =>
    properties.filter((property) => property.name === name).map((property) => partsOf(property))
  const [family = '', given = '', middle = ''] = listsOf('N')[0] ?? []
  return nonEmpty({
    type: 'contact',
    name: valuesOf('FN')[0] ?? nameOf(family, nonEmptyParts([given, middle]).join(' ')),
    organization: nonEmptyParts(listsOf('ORG')[0] ?? []).join(', '),
    title: valuesOf('TITLE')[0] ?? '',
    phones: valuesOf('TEL').map((value) => value.replace(/^tel:/i, '')),
    emails: valuesOf('EMAIL').map((value) => value.replace(/^mailto:/i, '')),
    addresses: listsOf('ADR').flatMap((parts) => nonEmptyParts(parts).join(', ') || []),
    urls: valuesOf('URL'),
    birthday: valuesOf('BDAY')[0] ?? '',
    note: valuesOf('NOTE')[0] ?? '',
  })
}

const END = /^END:VCARD\s*$/i
const QUOTED_PRINTABLE = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i

/** The whole lines of the first card, with its end if it has one. Cards after it are ignored, because nothing shows them. */
function cardLines(text: string): string[] {
  const lines: string[] = []
  for (const line of text.split(/\r\n?|\n/)) {
    const before = lines.at(-1) ?? ''
    // Lines in quoted-printable, as vCard 2.1 has them, go on after a `=` at their end.
    if (before.endsWith('=') && QUOTED_PRINTABLE.test(before)) lines[lines.length - 1] = before.slice(0, -1) + line
    else if (/^[ \t]/.test(line) && lines.length > 0) lines[lines.length - 1] = before + line.slice(1)
    else if (line.trim() !== '') lines.push(line)
  }
  const end = lines.findIndex((line) => END.test(line))
  return end < 0 ? lines : lines.slice(0, end + 1)
}

const textOf = (property: Property): string => unescaped(decoded(property), true).trim()
const partsOf = (property: Property): string[] =>
  splitAt(decoded(property), ';').map((part) => unescaped(part, true).replaceAll('\n', ' ').trim())

const utf8 = new TextEncoder()

/** Quoted-printable, which vCard 2.1 of old phones uses for everything that is not ASCII. */
function decoded({ parameters, value }: Property): string {
  if (!parameters.some((parameter) => /^(?:ENCODING=)?QUOTED-PRINTABLE$/i.test(parameter))) return value
  const bytes: number[] = []
  for (let i = 0; i < value.length; i++) {
    const hex = value[i] === '=' ? /^[\dA-F]{2}/i.exec(value.slice(i + 1, i + 3))?.[0] : undefined
    if (hex !== undefined) {
      bytes.push(Number.parseInt(hex, 16))
      i += 2
    } else bytes.push(...utf8.encode(value[i]!))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

const CHINESE = /^[\p{Script=Han}\s]+$/u

/** Chinese names begin with the family name and have no space. */
const nameOf = (family: string, given: string): string =>
  CHINESE.test(family + given) ? family + given : `${given} ${family}`.trim()

/** The parts of an address or a name that are not empty. */
const nonEmptyParts = (parts: readonly string[]): string[] =>
  parts.map((part) => part.trim()).filter((part) => part !== '')

/** A card without a name, a number or an address of any kind says nothing. */
const nonEmpty = (contact: Contact): Contact | undefined =>
  contact.name + contact.organization !== '' || contact.phones.length + contact.emails.length > 0 ? contact : undefined

function readMeCard(text: string): Contact | undefined {
  const fields = /^MECARD:/i.test(text) ? fieldsOf(text.slice('MECARD:'.length)) : undefined
  if (fields === undefined) return undefined
  const [family = '', given = ''] = lastOf(fields, 'N').split(',')
  return nonEmpty({
    ...NOBODY,
    name: nameOf(family.trim(), given.trim()),
    organization: lastOf(fields, 'ORG'),
    title: lastOf(fields, 'TITLE'),
    phones: allOf(fields, 'TEL'),
    emails: allOf(fields, 'EMAIL'),
    addresses: allOf(fields, 'ADR').map((address) => nonEmptyParts(address.split(',')).join(', ')),
    urls: allOf(fields, 'URL'),
    birthday: lastOf(fields, 'BDAY'),
    note: lastOf(fields, 'NOTE'),
  })
}

function readBizCard(text: string): Contact | undefined {
  const fields = /^BIZCARD:/i.test(text) ? fieldsOf(text.slice('BIZCARD:'.length)) : undefined
  if (fields === undefined) return undefined
  return nonEmpty({
    ...NOBODY,
    name: nameOf(lastOf(fields, 'X'), lastOf(fields, 'N')),
    organization: lastOf(fields, 'C'),
    title: lastOf(fields, 'T'),
    phones: [...allOf(fields, 'B'), ...allOf(fields, 'M'), ...allOf(fields, 'F')],
    emails: allOf(fields, 'E'),
    addresses: allOf(fields, 'A'),
  })
}

/**
 * The contact as a `.vcf` file. A complete vCard keeps all its lines, because it may have fields that are not shown; other forms, and
 * cards that contain another one, become a vCard 3.0, which every phone reads. Undefined if the content is no contact.
 */
export function contactFile(content: string): string | undefined {
  const text = content.trim()
  const contact = readContact(text)
  if (contact === undefined) return undefined
  const lines = VCARD.test(text) ? cardLines(text) : []
  const isWhole = END.test(lines.at(-1) ?? '') && !lines.slice(1).some((line) => /BEGIN:VCARD/i.test(line))
  // Long lines are not folded: phones would misread those in quoted-printable.
  if (isWhole) return `${lines.join('\r\n')}\r\n`
  const named = (name: string, values: readonly string[]) =>
    values.filter((value) => value !== '').map((value) => `${name}:${escaped(value)}`)
  const shown = contact.name || contact.organization || contact.phones[0] || contact.emails[0]!
  return fold([
    'BEGIN:VCARD',
    'VERSION:3.0',
    ...named('FN', [shown]),
    `N:;${escaped(contact.name)};;;`,
    ...named('ORG', [contact.organization]),
    ...named('TITLE', [contact.title]),
    ...named('TEL', contact.phones),
    ...named('EMAIL', contact.emails),
    ...contact.addresses.map((address) => `ADR:;;${escaped(address)};;;;`),
    ...named('URL', contact.urls),
    ...named('BDAY', [contact.birthday]),
    ...named('NOTE', [contact.note]),
    'END:VCARD',
  ])
}

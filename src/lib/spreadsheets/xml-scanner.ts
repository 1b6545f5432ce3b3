/**
 * Scans XML that arrives in pieces, with little memory and about 10 ns a byte: elements and texts as calls of a handler. Of XML it
 * knows what office programs write. DTDs are refused, so entities cannot be declared; nesting and the length of tags are limited.
 */

/** The XML is damaged, or uses something that office programs do not. */
export class BadXml extends Error {
  override readonly name = 'BadXml'
}

/** Names are without the prefix of their namespace. */
export interface XmlHandler {
  /** `attributes` is the text behind the name; see `attributesOf`. An empty element is followed by `close` at once. */
  open(name: string, attributes: string): void
  close(name: string): void
  /** A part of a text, which can come in several, with entities replaced. Only while `wantsText`. */
  text(text: string): void
  readonly wantsText: boolean
}

const MAX_DEPTH = 100
const MAX_TAG = 64 * 1024
/** Comments, CDATA sections and instructions. Office programs write a handful. */
const MAX_SECTIONS = 100_000
/** The longest reference is `&#x10FFFF;`. */
const MAX_REFERENCE = 10

const SLASH = 0x2f
const BANG = 0x21
const QUESTION = 0x3f
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const GREATER = 0x3e
const COLON = 0x3a

export class XmlScanner {
  /** The beginning of a tag or of a reference, which the next piece completes. */
  #rest = ''
  /** The end of the comment, CDATA section or instruction that the scanner is in. */
  #until: '-->' | ']]>' | '?>' | undefined
  #sections = 0
  #depth = 0
  #sawRoot = false

  constructor(readonly handler: XmlHandler) {}

  /** @throws BadXml, and what the handler throws */
  write(piece: string): void {
    const xml = this.#rest + piece
    let at = 0
    for (;;) {
      const next = this.#until === undefined ? this.#markup(xml, at) : this.#section(xml, at)
      if (next < 0) {
        at = ~next
        break
      }
      at = next
    }
    this.#rest = xml.slice(at)
    if (this.#rest.length > MAX_TAG) throw new BadXml('a tag is too long')
  }

  /** @throws BadXml if the document is incomplete */
  end(): void {
    if (this.#depth > 0 || this.#until !== undefined || !this.#sawRoot || this.#rest.trim() !== '')
      throw new BadXml('the XML is incomplete')
  }

  /** Scans up to the end of the next tag and returns the position behind it; `~` of the first unread one if more is needed. */
  #markup(xml: string, at: number): number {
    const start = xml.indexOf('<', at)
    if (start < 0) {
      const end = this.#safeEnd(xml, at)
      this.#text(xml, at, end)
      return ~end
    }
    this.#text(xml, at, start)
    const first = xml.charCodeAt(start + 1)
    if (first === BANG || first === QUESTION) return this.#declaration(xml, start)
    if (first === SLASH) {
      const end = xml.indexOf('>', start)
      if (end < 0) return ~start
      if (--this.#depth < 0) throw new BadXml('an element is closed that was not opened')
      this.handler.close(nameIn(xml, start + 2, end))
      return end + 1
    }
    const end = tagEnd(xml, start + 1)
    if (end < 0) return ~start
    this.#open(xml, start + 1, end)
    return end + 1
  }

  #open(xml: string, start: number, end: number): void {
    const isEmpty = xml.charCodeAt(end - 1) === SLASH
    const inner = isEmpty ? end - 1 : end
    const nameEnd = endOfName(xml, start, inner)
    const name = localName(xml, start, nameEnd)
    if (this.#depth >= MAX_DEPTH) throw new BadXml('the XML is nested too deeply')
    this.#sawRoot = true
    this.handler.open(name, nameEnd === inner ? '' : xml.slice(nameEnd, inner))
    if (isEmpty) this.handler.close(name)
    else this.#depth += 1
  }

  #declaration(xml: string, start: number): number {
    if (xml.startsWith('<?', start)) return this.#enter('?>', start + 2)
    if (xml.startsWith('<!--', start)) return this.#enter('-->', start + 4)
    if (xml.startsWith('<![CDATA[', start)) return this.#enter(']]>', start + 9)
    if (xml.length - start < '<![CDATA['.length) return ~start
    throw new BadXml('a DTD is not allowed')
  }

  #enter(until: '-->' | ']]>' | '?>', at: number): number {
    if (++this.#sections > MAX_SECTIONS) throw new BadXml('the XML has too many comments')
    this.#until = until
    return at
  }

  #section(xml: string, at: number): number {
    const end = xml.indexOf(this.#until!, at)
    // The end can be divided between two pieces.
    const textEnd = end < 0 ? Math.max(at, xml.length - 2) : end
    if (this.#until === ']]>' && this.handler.wantsText && textEnd > at)
      this.handler.text(withLineFeeds(xml.slice(at, textEnd)))
    if (end < 0) return ~textEnd
    const next = end + this.#until!.length
    this.#until = undefined
    return next
  }

  #text(xml: string, start: number, end: number): void {
    if (start < end && this.handler.wantsText) this.handler.text(unescapeXml(xml.slice(start, end)))
  }

  /** Leaves out the beginning of a reference and of a CR LF, which the next piece completes. */
  #safeEnd(xml: string, at: number): number {
    const reference = xml.lastIndexOf('&')
    if (reference >= at && xml.length - reference <= MAX_REFERENCE && !xml.includes(';', reference)) return reference
    return xml.endsWith('\r') && xml.length > at ? xml.length - 1 : xml.length
  }
}

/** The position of the `>` that ends the tag; negative if it has not arrived. Attributes may contain `>`. */
function tagEnd(xml: string, at: number): number {
  let quote = 0
  for (let i = at; i < xml.length; i++) {
    const c = xml.charCodeAt(i)
    if (quote !== 0) {
      if (c === quote) quote = 0
    } else if (c === GREATER) return i
    else if (c === DOUBLE_QUOTE || c === SINGLE_QUOTE) quote = c
  }
  return -1
}

const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x09 || c === 0x0d

function endOfName(xml: string, start: number, end: number): number {
  let at = start
  while (at < end && !isSpace(xml.charCodeAt(at))) at++
  return at
}

const nameIn = (xml: string, start: number, end: number): string => localName(xml, start, endOfName(xml, start, end))

function localName(xml: string, start: number, end: number): string {
  for (let i = start; i < end; i++) if (xml.charCodeAt(i) === COLON) return xml.slice(i + 1, end)
  return xml.slice(start, end)
}

/** Values by name, without the prefix of the namespace (`r:id` is `id`). @throws BadXml */
export function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>()
  eachAttribute(text, (name, value) => found.set(name, unescapeXml(value)))
  return found
}

/** Calls `take` with the local name and the raw value of each attribute. @throws BadXml */
export function eachAttribute(text: string, take: (name: string, value: string) => void): void {
  let at = 0
  for (;;) {
    while (at < text.length && isSpace(text.charCodeAt(at))) at++
    if (at >= text.length) return
    const equals = text.indexOf('=', at)
    if (equals < 0) throw new BadXml('an attribute has no value')
    let start = equals + 1
    while (isSpace(text.charCodeAt(start))) start++
    const quote = text[start]
    const end = quote === '"' || quote === "'" ? text.indexOf(quote, start + 1) : -1
    if (end < 0) throw new BadXml('an attribute has no quotes')
    take(nameIn(text, at, equals), text.slice(start + 1, end))
    at = end + 1
  }
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** XML reads CR LF and CR as LF. */
const withLineFeeds = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

/** @throws BadXml for references to entities that XML does not define */
function unescapeXml(text: string): string {
  if (!text.includes('&')) return withLineFeeds(text)
  return withLineFeeds(text).replace(/&([^;&]{0,10});?/g, (reference, name: string) => {
    const named = NAMED[name]
    if (named !== undefined && reference.endsWith(';')) return named
    const hex = /^#x([\da-f]{1,6})$/i.exec(name)?.[1]
    const decimal = /^#(\d{1,7})$/.exec(name)?.[1]
    const code = hex === undefined ? Number(decimal ?? NaN) : Number.parseInt(hex, 16)
    if (!reference.endsWith(';') || !(code <= 0x10ffff)) throw new BadXml('the XML refers to an unknown entity')
    return String.fromCodePoint(code)
  })
}

/** Writes the HTML of a Markdown tree: only the elements and attributes listed here, everything else as escaped text. */

import { escapeHtml } from '../text.ts'
import { resolve, resolveEntities, safeAddress } from './attributes.ts'
import { type Element, type Node, walk } from './tree.ts'

/** Elements on lines of their own; the value says whether their content is on lines of its own, too. */
const BLOCKS = new Map([
  ['p', false],
  ['h1', false],
  ['h2', false],
  ['h3', false],
  ['h4', false],
  ['h5', false],
  ['h6', false],
  ['blockquote', true],
  ['ul', true],
  ['ol', true],
  ['li', false],
  ['table', true],
  ['thead', true],
  ['tbody', true],
  ['tr', true],
  ['th', false],
  ['td', false],
])
const INLINE = new Set(['strong', 'em', 'del', 'code'])

/** Deeper elements lose their tags and keep their text: readers cannot distinguish them, and browsers stop at 512 levels. */
const MAX_DEPTH = 32

/** For texts that any user may publish. Links get `rel="nofollow noopener"`, and headings are below those of the page, which has two levels. */
export interface Strict {
  /** Other pictures are replaced by their descriptions. */
  readonly showsPicture: (address: string) => boolean
}

class HtmlWriter {
  html = ''
  #atLineStart = true
  #depth = 0
  /** In a code span, line breaks become spaces. */
  #inCode = false
  readonly #strict: Strict | undefined

  constructor(strict?: Strict) {
    this.#strict = strict
  }

  text(text: string): void {
    this.#write(escapeText(this.#inCode ? text.replaceAll('\n', ' ') : text))
  }

  enter(element: Element): void {
    if (element.type === 'code') this.#inCode = true
    if (++this.#depth <= MAX_DEPTH) this.#open(element)
  }

  leave(element: Element): void {
    if (element.type === 'code') this.#inCode = false
    if (this.#depth-- <= MAX_DEPTH) this.#close(element)
  }

  #open({ type, props }: Element): void {
    const wraps = BLOCKS.get(type)
    if (wraps !== undefined) {
      this.#newLine()
      this.#write(`<${this.#tagOf(type)}${blockAttributes(type, props)}>`)
      if (wraps) this.#newLine()
      if (type === 'li' && props.checked !== undefined) this.#write(props.checked ? '☑ ' : '☐ ')
    } else if (INLINE.has(type)) this.#write(`<${type}>`)
    else if (type === 'a')
      this.#write(`<a${attribute('href', hrefOf(props))}${titleOf(props)}${this.#strict ? REL : ''}>`)
    else if (type === 'img') this.#image(props)
    else if (type === 'br') this.#write('<br />\n')
    else if (type === 'hr') this.#line('<hr />')
    else if (type === 'pre') this.#line(`<pre><code${languageOf(props)}>`, '')
    // Raw HTML is shown as it was written.
    else if (type === 'html') this.#line('<p>', '')
  }

  #close({ type }: Element): void {
    const wraps = BLOCKS.get(type)
    if (wraps !== undefined) {
      if (wraps) this.#newLine()
      this.#write(`</${this.#tagOf(type)}>\n`)
    } else if (INLINE.has(type)) this.#write(`</${type}>`)
    else if (type === 'a') this.#write('</a>')
    else if (type === 'pre') this.#write('</code></pre>\n')
    else if (type === 'html') this.#write('</p>\n')
  }

  #image(props: Element['props']): void {
    const src = safeAddress(resolve(props.src ?? ''))
    const alt = props.alt ?? ''
    if (src === '' || this.#strict?.showsPicture(src) === false) this.text(alt)
    else
      this.#write(
        `<img${attribute('src', src)}${attribute('alt', words(alt))}${titleOf(props)} loading="lazy" referrerpolicy="no-referrer" />`,
      )
  }

  #tagOf(type: string): string {
    return this.#strict && /^h\d$/.test(type) ? `h${Math.min(6, Number(type[1]) + 2)}` : type
  }

  #line(markup: string, end = '\n'): void {
    this.#newLine()
    this.#write(markup + end)
  }

  #newLine(): void {
    if (!this.#atLineStart) this.#write('\n')
  }

  #write(markup: string): void {
    if (markup === '') return
    this.html += markup
    this.#atLineStart = markup.endsWith('\n')
  }
}

const TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Quotes need no escape between tags, and each escaped one costs the sanitizer as much time as an element. */
const escapeText = (text: string): string => text.replace(/[&<>]/g, (c) => TEXT[c]!)

const attribute = (name: string, value: string): string => ` ${name}="${escapeHtml(value)}"`

/** Text of an attribute, without `<` and `>`: tags in it are harmless here, but became real where a page was parsed twice. */
const words = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›')

const REL = attribute('rel', 'nofollow noopener')

const titleOf = ({ title }: Element['props']): string =>
  title === undefined ? '' : attribute('title', words(resolve(title)))

const LANGUAGE = /^[\p{L}\p{N}+#.;_-]{1,50}$/u

function languageOf({ language = '' }: Element['props']): string {
  const name = resolve(language)
  return LANGUAGE.test(name) ? attribute('class', `language-${name}`) : ''
}

function blockAttributes(type: string, { align, start }: Element['props']): string {
  if (type === 'ol' && start !== undefined && start !== 1) return attribute('start', String(start))
  return (type === 'th' || type === 'td') && align !== undefined ? attribute('align', align) : ''
}

/** The parser leaves bare addresses as written: `www.` without `http://`, e-mail addresses without `mailto:` (which is not allowed). */
function hrefOf({ href = '', children }: Element['props']): string {
  if (children?.length !== 1 || children[0] !== href) return safeAddress(resolve(href))
  const address = resolveEntities(href)
  if (/^www\./i.test(address)) return safeAddress(`http://${address}`)
  if (/^[^\s:/?#]+@[^\s:/?#]+$/.test(address)) return ''
  return safeAddress(address)
}

export function toHtml(nodes: readonly Node[], strict?: Strict): string {
  const writer = new HtmlWriter(strict)
  walk(nodes, writer)
  return writer.html
}

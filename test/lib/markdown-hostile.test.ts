import { describe, expect, test } from 'bun:test'

import createDOMPurify from 'dompurify'
import { JSDOM } from 'jsdom'

import { toHtml } from '#lib/markdown/render-html.ts'
import { render, sanitize } from '#lib/markdown/render.ts'
import { parse } from '#lib/markdown/tree.ts'

import { BAD_ADDRESSES, HOSTILE_MARKDOWN } from './hostile-markdown.ts'

const { window } = new JSDOM('')
/** DOMPurify on jsdom, which the product does not use. */
const oracle = createDOMPurify(window)

const ELEMENTS =
  'P H1 H2 H3 H4 H5 H6 BLOCKQUOTE UL OL LI HR BR PRE CODE STRONG EM DEL A IMG TABLE THEAD TBODY TR TH TD'.split(' ')
const ATTRIBUTES: Record<string, string[]> = {
  A: ['href', 'title'],
  IMG: ['src', 'alt', 'title', 'loading', 'referrerpolicy'],
  CODE: ['class'],
  OL: ['start'],
  TH: ['align'],
  TD: ['align'],
}
const HOME = 'https://tessera.example'

const body = (html: string) => new window.DOMParser().parseFromString(`<body>${html}`, 'text/html').body

/** The elements, attributes and addresses in the page, as a browser parses it, that must not be there. */
function dangers(html: string, absolute = /^https?:\/\//i): string[] {
  const found: string[] = []
  for (const element of body(html).querySelectorAll('*')) {
    if (!ELEMENTS.includes(element.tagName)) found.push(element.tagName)
    for (const { name, value } of element.attributes) {
      if (!(ATTRIBUTES[element.tagName] ?? []).includes(name)) found.push(`${element.tagName} ${name}`)
      if (name !== 'href' && name !== 'src') continue
      const url = URL.parse(value, HOME)
      // A browser cannot open an invalid address.
      if (url === null) continue
      if (!['http:', 'https:'].includes(url.protocol)) found.push(value)
      // An address without http:// or https:// must stay on this server.
      if (!absolute.test(value) && url.origin !== HOME) found.push(`${value} leads to ${url.origin}`)
    }
  }
  return found
}

/** The parts of `html` that the oracle removes. */
function removed(html: string): string[] {
  const clean = oracle.sanitize(html, { ADD_ATTR: ['referrerpolicy'] })
  const what = oracle.removed.map((r) => JSON.stringify(Object.keys(r)))
  return body(html).innerHTML === body(clean).innerHTML ? what : [...what, clean]
}

test('the corpus has at least 200 hostile inputs, and both checks detect known dangers', () => {
  expect(new Set(HOSTILE_MARKDOWN).size).toBeGreaterThanOrEqual(200)
  console.log(`${HOSTILE_MARKDOWN.length} hostile inputs`)
  for (const html of ['<img src=x onerror=alert(1)>', '<a href="javascript:alert(1)">x</a>', '<script>1</script>']) {
    expect(removed(html)).not.toEqual([])
    expect(dangers(html)).not.toEqual([])
  }
  for (const html of ['<a href="//evil.example">x</a>', '<a href="/\\evil.example">x</a>'])
    expect(dangers(html)).not.toEqual([])
})

describe('hostile Markdown', () => {
  for (const source of HOSTILE_MARKDOWN)
    test(`${JSON.stringify(source)} is rendered without anything dangerous`, () => {
      const { html } = render(source)
      expect(removed(html), html).toEqual([])
      expect(dangers(html), html).toEqual([])
      // The writer alone, without the sanitizer, is safe.
      expect(dangers(toHtml(parse(source)))).toEqual([])
    })
})

/** With their escapes resolved these two are paths on this server: literally `java&#115;cript:…`, and `/evil.example%5C`. */
const HARMLESS = ['java\\&#115;cript:alert(1)', '\\/evil.example\\\\']

describe('bad addresses are emptied', () => {
  for (const address of BAD_ADDRESSES)
    test(`the bad address ${address} is emptied or stays on this server`, () => {
      const { html } = render(`[x](<${address}>)`)
      if (HARMLESS.includes(address)) {
        const href = body(html).querySelector('a')!.getAttribute('href')!
        expect(href).not.toBe('')
        expect(new URL(href, HOME).origin).toBe(HOME)
      } else expect(html).not.toMatch(/href="[^"]/)
    })
})

test('the sanitizer alone removes everything dangerous that an unrestricted writer lets through', () => {
  for (const source of HOSTILE_MARKDOWN) {
    // Raw HTML is kept and addresses are not checked.
    const html = sanitize(Bun.markdown.html(source, { autolinks: true }))
    // The oracle is not asked: DOMPurify also objects to text attributes, which only our writer restricts.
    expect(dangers(html, /^https?:/i), source).toEqual([])
  }
})

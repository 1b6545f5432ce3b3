import { describe, expect, test } from 'bun:test'

import { HtmlRenderer, type Node as CommonmarkNode, Parser } from 'commonmark'
import { tests as examples } from 'commonmark-spec'
import { JSDOM } from 'jsdom'

import { toHtml } from '#lib/markdown/render-html.ts'
import { sanitize } from '#lib/markdown/render.ts'
import { parse } from '#lib/markdown/tree.ts'

/**
 * Renders every example of the CommonMark specification. Where our result must differ, it is compared with that of the reference
 * implementation under our two rules: raw HTML is escaped, and addresses with other schemes than http and https are emptied.
 */
const reference = new Parser()
const asSpecified = new HtmlRenderer()

const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

class OurRules extends HtmlRenderer {
  override html_inline(node: CommonmarkNode): void {
    this.lit(escape(node.literal ?? ''))
  }
  override html_block(node: CommonmarkNode): void {
    this.cr()
    this.lit(`<p>${escape(node.literal ?? '')}\n</p>`)
    this.cr()
  }
  override link(node: CommonmarkNode, entering: boolean): void {
    const scheme = /^[a-z][a-z\d+.-]*:/i.exec(node.destination ?? '')?.[0].toLowerCase()
    if (scheme !== undefined && !['http:', 'https:'].includes(scheme)) node.destination = ''
    super.link(node, entering)
  }
}
const byOurRules = new OurRules()

/** Differences that do not follow from the two rules. */
const OTHERS: Record<number, { why: string; html(specified: string): string }> = {
  608: { why: 'a bare address is a link', html: (html) => html.replace(/https:\S+/, '<a href="$&">$&</a>') },
  611: { why: 'a bare address is a link', html: (html) => html.replace(/https:[^<]+/, '<a href="$&">$&</a>') },
  556: { why: 'an invisible space before a line break', html: (html) => html.replace('\n[]', ' \n[]') },
  587: { why: 'an invisible space before a line break', html: (html) => html.replace('\n[]', ' \n[]') },
  649: { why: 'an invisible space before a line break', html: (html) => html.replace('foo\n', 'foo \n') },
}

/** Removes differences without a meaning: quotes outside of attributes, and the attributes that our images have in addition. */
const alike = (html: string) =>
  html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll(' loading="lazy" referrerpolicy="no-referrer"', '')

const tabs = (text: string) => text.replaceAll('→', '\t')
const dom = (html: string) => JSDOM.fragment(`<div>${html}</div>`).firstChild!

describe('CommonMark', () => {
  test('the CommonMark specification has 652 examples', () => expect(examples).toHaveLength(652))

  let different = 0
  for (const { number, section, markdown, html } of examples)
    test(`CommonMark example ${number} (${section}) is rendered as specified or by our rules`, () => {
      const source = tabs(markdown)
      const specified = tabs(html)
      // Without our rules the reference implementation produces the result of the specification.
      expect(asSpecified.render(reference.parse(source))).toBe(specified)
      const written = toHtml(parse(source))
      const ruled = byOurRules.render(reference.parse(source))
      const wanted = OTHERS[number] ? OTHERS[number].html(ruled) : ruled
      expect(alike(written)).toBe(alike(wanted))
      if (alike(wanted) !== alike(specified)) different++
      // The sanitizer finds nothing to remove.
      expect(dom(sanitize(written)).isEqualNode(dom(written)), sanitize(written)).toBe(true)
    })

  test('all but 84 CommonMark examples are rendered exactly as specified', () => {
    console.log(
      `CommonMark: ${examples.length - different} of ${examples.length} as specified, the others by our rules`,
    )
    expect(different).toBe(84)
  })
})

import { describe, expect, test } from 'bun:test'

import { renderMarkdown } from '#lib/markdown/index.ts'

const html = async (source: string) => (await renderMarkdown(source)).html
const plain = async (source: string) => (await renderMarkdown(source)).plain

describe('HTML', () => {
  for (const [what, source, wanted] of [
    [
      'paragraphs and emphasis',
      'a *b* **c** ~~d~~\n\ne',
      '<p>a <em>b</em> <strong>c</strong> <del>d</del></p>\n<p>e</p>\n',
    ],
    ['raw HTML, as text', 'a <b onclick="x">b</b>', '<p>a &lt;b onclick="x"&gt;b&lt;/b&gt;</p>\n'],
    ['a block of raw HTML, as text', '<div>\n*a*\n</div>', '<p>&lt;div&gt;\n*a*\n&lt;/div&gt;\n</p>\n'],
    [
      'a table',
      '|a|b|\n|:-|-:|\n|1|*2*|\n|3|',
      '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n' +
        '<td align="left">1</td>\n<td align="right"><em>2</em></td>\n</tr>\n<tr>\n<td align="left">3</td>\n' +
        '<td align="right"></td>\n</tr>\n</tbody>\n</table>\n',
    ],
    ['a task list', '- [x] a\n- [ ] b\n- c', '<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n<li>c</li>\n</ul>\n'],
    ['a list that starts at 3', '3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>\n'],
    ['code with a language', '```js\na<b\n```', '<pre><code class="language-js">a&lt;b\n</code></pre>\n'],
    ['code with an invalid language', '```<b>\na\n```', '<pre><code>a\n</code></pre>\n'],
    ['a line break and a rule', 'a\\\nb\n\n---', '<p>a<br />\nb</p>\n<hr />\n'],
    [
      'Chinese',
      '**重要**：请看\n[这里](/通知?页=1)',
      '<p><strong>重要</strong>：请看\n<a href="/%E9%80%9A%E7%9F%A5?%E9%A1%B5=1">这里</a></p>\n',
    ],
    [
      'an image',
      '![a *b*](/x.png "t")',
      '<p><img src="/x.png" alt="a b" title="t" loading="lazy" referrerpolicy="no-referrer" /></p>\n',
    ],
    ['an image with a forbidden address', '![a <b>](data:image/png;base64,AA)', '<p>a &lt;b&gt;</p>\n'],
    ['an empty source', ' \n\n', ''],
  ] as const)
    test(`${what} is rendered as HTML`, async () => expect(await html(source)).toBe(wanted))
})

describe('links', () => {
  for (const [address, href] of [
    ['https://example.com/a?b=1&c=%20#d', 'https://example.com/a?b=1&amp;c=%20#d'],
    ['HTTP://EXAMPLE.COM', 'HTTP://EXAMPLE.COM'],
    ['https://例子.example/路', 'https://%E4%BE%8B%E5%AD%90.example/%E8%B7%AF'],
    ['/path', '/path'],
    ['path/to', 'path/to'],
    ['../up', '../up'],
    ['?q=a:b', '?q=a:b'],
    ['#part', '#part'],
    ['/a:b', '/a:b'],
    ['', ''],
    ['mailto:a@example.com', ''],
    ['javascript:alert(1)', ''],
    ['//example.com', ''],
    ['ftp://example.com', ''],
  ])
    test(`the link [x](${address}) has the address "${href}"`, async () =>
      expect(await html(`[x](${address})`)).toBe(`<p><a href="${href}">x</a></p>\n`))

  test('bare http, https and www addresses become links; e-mail addresses and code do not', async () => {
    expect(await html('see https://example.com/a?b=1&c. And www.example.com/x!')).toBe(
      '<p>see <a href="https://example.com/a?b=1&amp;c">https://example.com/a?b=1&amp;c</a>. ' +
        'And <a href="http://www.example.com/x">www.example.com/x</a>!</p>\n',
    )
    expect(await html('a@example.com and example.com')).toBe('<p>a@example.com and example.com</p>\n')
    expect(await html('`https://example.com`')).toBe('<p><code>https://example.com</code></p>\n')
  })
})

describe('plain text', () => {
  for (const [source, wanted] of [
    ['# Title\n\na *b* **c** [d](https://example.com) `e`\n\n- f\n- g', 'Title\na b c d e\nf\ng'],
    ['|a|b|\n|-|-|\n|1|2|', 'a b\n1 2'],
    ['a\\\nb ![picture](x.png) <b>c</b>', 'a\nb picture <b>c</b>'],
    ['> quoted\n\n---\n\n```\ncode\n  more\n```', 'quoted\ncode\n  more'],
    ['1 &lt; 2 &amp; \\*3\\*', '1 < 2 & *3*'],
    ['', ''],
  ])
    test(`${JSON.stringify(source)} is reduced to plain text`, async () => expect(await plain(source!)).toBe(wanted!))
})

describe('unreadable Markdown is shown as plain text', () => {
  for (const [what, source] of [
    ['a hundred nested quotes', `${'> '.repeat(100)}<b>a`],
    ['nothing but markup', '**a** '.repeat(16_000)],
  ] as const)
    test(`a text of ${what} is shown as it was written`, async () => {
      const { html, plain } = await renderMarkdown(source)
      expect(html.match(/<(?!\/?p>)/)).toBeNull()
      expect(html).toContain(what === 'nothing but markup' ? '**a** **a**' : '&gt; &gt; &lt;b&gt;a')
      expect(plain).toBe(source.trim())
    })

  test('of ninety-nine nested quotes 32 are rendered as quotes', async () => {
    const { html, plain } = await renderMarkdown(`${'> '.repeat(99)}a`)
    expect(html.match(/<blockquote>/g)).toHaveLength(32)
    expect(plain).toBe('a')
  })

  test('a table that would be filled up to more than 10,000 cells stays text', async () => {
    const wide = `${'|a'.repeat(120)}|\n${'|-'.repeat(120)}|\n`
    expect(await html(`${wide}${'a\n'.repeat(50)}`)).toContain('<table>')
    expect(await html(`${wide}${'a\n'.repeat(5000)}`)).not.toContain('<table>')
    expect(await html(`> ${wide.replace('\n', '\n> ')}${'> a\n'.repeat(5000)}`)).not.toContain('<table>')
    // Many small tables are allowed.
    expect((await html('|a|b|\n|-|-|\n|1|2|\n\n'.repeat(500))).match(/<table>/g)).toHaveLength(500)
  })
})

test('lone surrogates and control characters still produce valid HTML', async () => {
  const { html } = await renderMarkdown('\ud800 \u0000 \u0001 [x](/\ud800)')
  expect(html).toContain('href="/%EF%BF%BD"')
  expect(html).not.toContain('\u0000')
})

import { describe, expect, test } from 'bun:test'

import { render } from '#lib/markdown/render.ts'

/** 100 KB of each kind of text that has made Markdown parsers or sanitizers hang. */
const SIZE = 100_000
const of = (piece: string): string => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE)
const numbered = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i))
    .join('\n')
    .slice(0, SIZE)

const PATHOLOGICAL: Record<string, string> = {
  'open quotes': of('>'),
  'open quotes with spaces': of('> '),
  'ninety-nine quotes again and again': of(`${'>'.repeat(99)}a\n\n`),
  'lists in lists on one line': of('1. '),
  'ninety-eight lists a line': of(`${'1. '.repeat(98)}a\n`),
  'lists in lists by indentation': numbered(440, (i) => `${' '.repeat(i)}- a`),
  'open brackets': of('['),
  'open pictures': of('!['),
  'nested pictures': `${'!['.repeat(25_000)}${'](a)'.repeat(12_500)}`,
  'open links': of('[a]('),
  'open emphasis': of('*a '),
  'open strong emphasis': of('**a *'),
  'emphasis in emphasis': `${'*a '.repeat(17_000)}${' a*'.repeat(16_000)}`,
  'crossed emphasis': of('*a **b_ '),
  'runs of backticks': numbered(440, (i) => '`'.repeat(i)),
  'single backticks': of('` '),
  'wide table with short rows': `${'|a'.repeat(120)}|\n${'|-'.repeat(120)}|\n${'a\n'.repeat(49_500)}`,
  'empty cells': `|a|b|\n|-|-|\n${'|||\n'.repeat(24_000)}`,
  'bars and dashes': of('|\n-\n'),
  'dashes to look through': `|${'-'.repeat(SIZE)}x`,
  'long reference used often': `[a]: http://x/${'y'.repeat(50_000)}\n\n${'[a]'.repeat(16_000)}`,
  'reference used often': `[a]: http://x/${'y'.repeat(1000)} "${'t'.repeat(1000)}"\n\n${'[a] '.repeat(24_000)}`,
  'many references': numbered(9000, (i) => `[a${i}]: b`),
  'the same reference': of('[a]: b\n'),
  'less than': of('<'),
  'open tags': of('<a '),
  'open comments': of('<!--'),
  'open declarations': of('<![CDATA['),
  'raw blocks': of('<div>\n\n'),
  ampersands: of('&'),
  entities: of('&amp;'),
  'half an entity': of('&#x'),
  'entities in an address': `[a](${'&amp;'.repeat(19_900)})`,
  'escapes in an address': `[a](<${'\\&'.repeat(49_900)}>)`,
  'double quotes': of('"'),
  'bare addresses': of('http://a.b '),
  'addresses that never begin': of('www.a.'),
  'address full of brackets': of('https://a.b/((('),
  'address full of entities': `https://a.b/${'&amp'.repeat(24_000)}`,
  'addresses of e-mail': of('a@b.c '),
  links: of('[a](b) '),
  pictures: of('![](a)'),
  items: of('- a\n'),
  paragraphs: of('a\n\n'),
  breaks: of('a\\\n'),
  rules: of('---\n'),
  headings: of('# \n'),
  underlined: of('a\n=\n'),
  backslashes: of('\\'),
  spaces: of(' '),
  tabs: of('\t'),
  returns: of('\r'),
  zeros: of('\0'),
  'one long word': of('a'),
  'ordinary text': of('Some *text* with a [link](https://example.com/a?b=c&d=e), `code` and more.\n\n- one\n- two\n\n'),
}

const GOAL_MS = 50

/** Time of this thread alone: other processes of the machine do not count. The best of some runs, as the collector may come at any. */
function milliseconds(source: string): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 6 && best > GOAL_MS / 2; i++) {
    const before = process.threadCpuUsage()
    render(source)
    const { user, system } = process.threadCpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

describe('100 KB within 50 ms', () => {
  const took: [number, string][] = []
  render(PATHOLOGICAL['ordinary text']!)
  for (const [name, source] of Object.entries(PATHOLOGICAL))
    test(name, () => {
      const ms = milliseconds(source)
      took.push([ms, name])
      expect(ms).toBeLessThan(GOAL_MS)
    })

  test('the slowest', () => {
    const slowest = took.toSorted((a, b) => b[0] - a[0]).slice(0, 5)
    console.log(`Markdown, 100 KB: ${slowest.map(([ms, name]) => `${name} ${ms.toFixed(1)} ms`).join(', ')}`)
    expect(took.length).toBe(Object.keys(PATHOLOGICAL).length)
  })
})

import { describe, expect, test } from 'bun:test'

import { render } from '#lib/markdown/render.ts'

import { fastest, MAX_GROWTH } from './fastest.ts'

/** Lengths in characters. */
const LONG = 100_000
const SHORT = LONG / 10

const repeated =
  (piece: string) =>
  (size: number): string =>
    piece.repeat(Math.ceil(size / piece.length)).slice(0, size)

/** Lines that grow by one character each until they fill `size`. */
const growing =
  (line: (i: number) => string) =>
  (size: number): string =>
    Array.from({ length: Math.ceil(Math.sqrt(2 * size)) }, (_, i) => line(i))
      .join('\n')
      .slice(0, size)

/** Texts that have made Markdown parsers or sanitizers hang, as functions of their length in characters. */
const HOSTILE: Record<string, (size: number) => string> = {
  'open quotes': repeated('>'),
  'open quotes with spaces': repeated('> '),
  'ninety-nine nested quotes, repeated': repeated(`${'>'.repeat(99)}a\n\n`),
  'lists nested on one line': repeated('1. '),
  'ninety-eight lists nested on each line': repeated(`${'1. '.repeat(98)}a\n`),
  'lists nested by indentation': growing((i) => `${' '.repeat(i)}- a`),
  'opening brackets': repeated('['),
  'opening brackets of images': repeated('!['),
  'nested images': (size) => '!['.repeat(size / 4) + '](a)'.repeat(size / 8),
  'unfinished links': repeated('[a]('),
  'opening emphasis': repeated('*a '),
  'opening strong emphasis': repeated('**a *'),
  'nested emphasis': (size) => '*a '.repeat(size / 6) + ' a*'.repeat(size / 6),
  'crossed emphasis': repeated('*a **b_ '),
  'runs of backticks': growing((i) => '`'.repeat(i)),
  'single backticks': repeated('` '),
  'a wide table with short rows': (size) =>
    `${'|a'.repeat(120)}|\n${'|-'.repeat(120)}|\n${repeated('a\n')(size - 484)}`,
  'empty cells': (size) => `|a|b|\n|-|-|\n${repeated('|||\n')(size)}`,
  'bars and dashes': repeated('|\n-\n'),
  'a delimiter row that ends wrongly': (size) => `|${'-'.repeat(size)}x`,
  'a long reference that is used often': (size) => `[a]: http://x/${'y'.repeat(size / 2)}\n\n${'[a]'.repeat(size / 6)}`,
  'a reference that is used often': (size) =>
    `[a]: http://x/${'y'.repeat(1000)} "${'t'.repeat(1000)}"\n\n${'[a] '.repeat((size - 2000) / 4)}`,
  'many references': (size) => Array.from({ length: size / 11 }, (_, i) => `[a${i}]: b`).join('\n'),
  'one reference defined many times': repeated('[a]: b\n'),
  'less-than signs': repeated('<'),
  'unfinished tags': repeated('<a '),
  'unfinished comments': repeated('<!--'),
  'unfinished CDATA sections': repeated('<![CDATA['),
  'raw HTML blocks': repeated('<div>\n\n'),
  ampersands: repeated('&'),
  entities: repeated('&amp;'),
  'unfinished entities': repeated('&#x'),
  'entities in an address': (size) => `[a](${'&amp;'.repeat(size / 5)})`,
  'escapes in an address': (size) => `[a](<${'\\&'.repeat(size / 2)}>)`,
  'double quotes': repeated('"'),
  'bare addresses': repeated('http://a.b '),
  'unfinished bare addresses': repeated('www.a.'),
  'a bare address full of brackets': repeated('https://a.b/((('),
  'a bare address full of entities': (size) => `https://a.b/${'&amp'.repeat(size / 4)}`,
  'e-mail addresses': repeated('a@b.c '),
  links: repeated('[a](b) '),
  images: repeated('![](a)'),
  items: repeated('- a\n'),
  paragraphs: repeated('a\n\n'),
  'line breaks': repeated('a\\\n'),
  rules: repeated('---\n'),
  headings: repeated('# \n'),
  'underlined headings': repeated('a\n=\n'),
  backslashes: repeated('\\'),
  spaces: repeated(' '),
  tabs: repeated('\t'),
  'carriage returns': repeated('\r'),
  'NUL characters': repeated('\0'),
  'one long word': repeated('a'),
  'ordinary text': repeated(
    'Some *text* with a [link](https://example.com/a?b=c&d=e), `code` and more.\n\n- one\n- two\n\n',
  ),
}

/** How many times as long a hostile text may take as an ordinary one of the same length. Measured: at most 3. */
const MAX_TIMES_ORDINARY = 15
/** How many times as long as its source the HTML may be. Measured: at most 12, for references. */
const MAX_EXPANSION = 30

const ordinaryText = HOSTILE['ordinary text']!(LONG)
render(ordinaryText)

/** Times of one long text, of ten short ones with the same length in all, and of an ordinary text. */
function measure(make: (size: number) => string): { long: number; growth: number; timesOrdinary: number } {
  const [longText, shortText] = [make(LONG), make(SHORT)]
  const short = (): void => {
    for (let i = 0; i < LONG / SHORT; i++) render(shortText)
  }
  const ratios = ([long = 0, ten = 0, ordinary = 0]: readonly number[]) => ({
    long,
    growth: long / ten,
    timesOrdinary: long / ordinary,
  })
  return ratios(
    fastest([() => render(longText), short, () => render(ordinaryText)], (ms) => {
      const { growth, timesOrdinary } = ratios(ms)
      return growth < MAX_GROWTH && timesOrdinary < MAX_TIMES_ORDINARY
    }),
  )
}

describe('the time for hostile Markdown is linear in its length', () => {
  const took: [number, string][] = []
  for (const [name, make] of Object.entries(HOSTILE))
    test(`the time for Markdown of ${name} is linear in its length`, () => {
      const { long, growth, timesOrdinary } = measure(make)
      took.push([long, name])
      expect(growth).toBeLessThan(MAX_GROWTH)
      expect(timesOrdinary).toBeLessThan(MAX_TIMES_ORDINARY)
      expect(render(make(LONG)).html.length).toBeLessThan(MAX_EXPANSION * LONG)
    })

  test('the time was measured for every hostile text', () => {
    const slowest = took.toSorted((a, b) => b[0] - a[0]).slice(0, 5)
    console.log(`Markdown, 100 KB: ${slowest.map(([ms, name]) => `${name} ${ms.toFixed(1)} ms`).join(', ')}`)
    expect(took).toHaveLength(Object.keys(HOSTILE).length)
  })
})

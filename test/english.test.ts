/** No text of the repository contains phrases that readers must decode, and the search finds each kind of them. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { PATTERNS, stumblesIn, writtenTexts } from './architecture/english.ts'

test('no source file or document contains a phrase that readers must decode', async () => {
  const findings: string[] = []
  const paths: string[] = []
  for await (const [path, text] of writtenTexts(join(import.meta.dir, '..'))) {
    paths.push(path)
    for (const { line, text: words, advice } of stumblesIn(text))
      findings.push(`${path}:${line}: ${words} → write ${advice}`)
  }
  // Proves that the files are found at all.
  expect(paths.length).toBeGreaterThan(300)
  expect(paths).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/glossary.md',
      'src/app.ts',
      'test/harness/index.ts',
      'bench/run.ts',
      'examples/sync-client/client.ts',
    ]),
  )
  expect(findings).toEqual([])
})

const BAD = [
  '/** What a code counts in. */',
  '// The rest stays. What came later is lost.',
  ' * What tries are counted by: an account.',
  '| What it does | column |',
  "test('what is refused leaves no row', () => {",
  "summary: 'What the organization owns',",
  "description: 'What anybody may know of it',",
  '// Removes what is left of the old folder.',
  '/** Throws a 400 for what no QR code can show. */',
  '/** An organization goes with all what is in it. */',
  '// It is shown only to who holds the code.',
  '/** Nobody touches those above who changes it: nobody above who asks. */',
  "'Who is no member sees a PUBLIC one with empty permissions.'",
  '/** Who has tried before goes first. */',
  '// Whoever comes next completes it.',
  '/** The file is made anew at each start. */',
  '// The owner stands in every WHERE.',
  '/** Free space where the data directory lies. */',
  '// The child hangs below its parent.',
  '// The owner is told so by mail.',
  '/** A notice tells the city. */',
  '// Sorted by one’s own order.',
  "summary: 'Send a code to a phone that one wants to bind',",
  '// Anybody can read it.',
  '/** For administrators: everybody’s records. */',
  '// Everything but for the id.',
  '// Names are compared whatever the case.',
  '/** An organization that is no more. */',
  '// He is no member of it.',
  "test('a file that is no TOML is refused', () => {",
  '// Such code belongs into the service.',
  '// A retry could wait for ever.',
  '/** Removes the copy for good. */',
  '// A purged copy takes its share along.',
  '// The row is not needed any more.',
  "{ en: 'must be a text' }",
  '/** The record says of itself when it ends. */',
  '/** Undefined for a text that is none. */',
]

test.each(BAD)('the search finds: %s', (line) => {
  expect(stumblesIn(`// A good line.\n${line}\n`)).toMatchObject([{ line: 2, text: line.trim() }])
})

test('every pattern of the search is proved by a bad sentence', () => {
  const unproved = PATTERNS.filter(({ pattern }) => !BAD.some((line) => pattern.test(line)))
  expect(unproved.map(({ pattern }) => String(pattern))).toEqual([])
})

const GOOD = [
  '# What is a pass?',
  '// What if the clock goes back? Then stamps still increase.',
  '/** Returns the row that the caller owns. */',
  '// See what it costs: 4.6 µs.',
  '// That depends on what the database decides.',
  ' * Who may call an operation: everyone, signed-in users, or holders of a permission point.',
  '/** Who holds which role, as administrators see it. */',
  '/** Users who sign in by phone. */',
  '// Stands in for an object that exists later. X stands for a digit. The executable stands alone.',
  '// Enough to tell devices apart; it tells them apart.',
  '/** A gateway that hangs is stopped after 10 s. */',
  '// No one else can read it: it must not be changed by another user.',
  '// A row that is no longer needed is deleted. It is no more than 30 days old.',
  '// It has no more rows than before, and not any more than that.',
  '/** One of the two wins; each one has its own clock. */',
  '// This belongs in the service, forever.',
  '// It is refused for good reasons.',
  "const whatsapp = 'x', whatever = `what${1}`",
]

test.each(GOOD)('the search accepts: %s', (line) => {
  expect(stumblesIn(line)).toEqual([])
})

test('the search skips tables of bad and good examples, and nothing after them', () => {
  const bad = '| "It stands there" | "It is there" |'
  expect(stumblesIn(`| instead of | write |\n|---|---|\n${bad}\n`)).toEqual([])
  expect(stumblesIn(`| instead of | write |\n${bad}\n\n${bad}\n`)).toMatchObject([{ line: 4 }])
})

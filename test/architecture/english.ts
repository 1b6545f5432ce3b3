/**
 * Finds English that a reader must decode: turns of phrase that earlier versions of this project were full of. It cannot tell
 * good prose from bad; it only keeps these patterns from coming back. `bun test/architecture/english.ts src/db` lists them for a folder.
 */

import { Glob } from 'bun'

interface Pattern {
  readonly pattern: RegExp
  /** What to write instead. */
  readonly advice: string
}

const PATTERNS: readonly Pattern[] = [
  {
    // A question ("What is a pass?") keeps its "What"; so does Markdown in tests that ends the line with a question mark.
    pattern: /(?:^|[.;:] |\/\*\* |\/\/ |\* )What (?!if\b|to do\b|next\b)[^?\n]*$/,
    advice: 'name the noun instead of beginning with "What"',
  },
  {
    pattern: /\bwhat (?:is|was|are|were) (?:not|no|none|left|kept|there|in the way)\b/i,
    advice: 'name the noun instead of "what is …"',
  },
  { pattern: /\b(?:to|for|by|of|from|than|nor|not|with) who\b/i, advice: '"anyone who", "users who"' },
  { pattern: /\bwhoever\b/i, advice: '"anyone who", "the user who"' },
  { pattern: /\banew\b/i, advice: '"recreated", "again"' },
  {
    pattern: /\b(?:stands|lies|hangs) (?:in|there|here|at|on|under|beside|behind|before|still|above|below)\b/i,
    advice: '"is", "is in"',
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|nobody|somebody|everybody) told\b/i,
    advice: '"is notified", "is reported", "learns"',
  },
  { pattern: /\bone['’]s\b/i, advice: '"your" in texts for users, "the caller\'s" in code' },
  {
    pattern: /\bbut for (?:the|a|those|one)\b|\bbe it\b|\bwhatever the case\b/i,
    advice: '"except", "even", "ignoring case"',
  },
  {
    pattern: /\b(?:is|are|was|were) no (?:more\b(?! than)|member\b|longer any\b)/i,
    advice: '"no longer exists", "is not a member"',
  },
  { pattern: /\bbelongs? into\b/i, advice: '"belongs in"' },
  { pattern: /\bfor ever\b/i, advice: '"forever"' },
  {
    pattern: /\b(?:not|nobody|nothing)\b[^.\n]{0,60}\bany more\b/i,
    advice: '"no longer", or "anymore" as the last resort',
  },
  { pattern: /\bmust be a text\b/i, advice: '"must be a string"' },
  { pattern: /\bsays? of (?:an?|the|it|itself|them)\b/i, advice: '"says about", "describes"' },
  {
    pattern: /\bis (?:nobody|nothing|none) of\b|\bthat is none\b|\bfor what is none\b/i,
    advice: 'state the condition',
  },
]

export interface Stumble {
  line: number
  text: string
  advice: string
}

export function stumblesIn(text: string): Stumble[] {
  return text.split('\n').flatMap((line, i) => {
    const found = PATTERNS.find(({ pattern }) => pattern.test(line))
    return found ? [{ line: i + 1, text: line.trim(), advice: found.advice }] : []
  })
}

const WRITTEN = new Glob('{src,test,bench,scripts,docs,.}/**/*.{ts,tsx,md}')
const PASSED_OVER =
  /(?:^|\/)(?:node_modules|dist|data|\.git|peers)\/|^test\/architecture\/english|^test\/english\.test\.ts$/

/** Every text of the repository that people wrote, by its path. */
export async function* writtenTexts(root: string): AsyncGenerator<[path: string, text: string]> {
  const seen = new Set<string>()
  for (const found of WRITTEN.scanSync({ cwd: root })) {
    const path = found.replace(/^\.\//, '')
    if (seen.has(path) || PASSED_OVER.test(path)) continue
    seen.add(path)
    yield [path, await Bun.file(`${root}/${path}`).text()]
  }
}

if (import.meta.main) {
  const wanted = process.argv.slice(2)
  let count = 0
  for await (const [path, text] of writtenTexts(`${import.meta.dir}/../..`)) {
    if (wanted.length > 0 && !wanted.some((prefix) => path.startsWith(prefix))) continue
    for (const { line, text: words, advice } of stumblesIn(text)) {
      count++
      console.log(`${path}:${line}: ${words}\n    → ${advice}`)
    }
  }
  console.log(`${count} found`)
}

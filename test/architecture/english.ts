/**
 * Finds English that readers must decode: phrases that earlier versions of this project were full of. It does not recognize good prose;
 * it only prevents these patterns from coming back. `bun test/architecture/english.ts src/db` lists the findings in a folder.
 */

import { Glob } from 'bun'

export interface Pattern {
  readonly pattern: RegExp
  /** Better wording. */
  readonly advice: string
}

export const PATTERNS: readonly Pattern[] = [
  {
    // Questions may begin with "What": "What is a pass?"
    pattern: /(?:^|[.;:] |\/\*\* |\/\/ |\* |[|([]\s?)What (?!if\b|to do\b|next\b)[^?\n]*$/,
    advice: 'name the noun instead of beginning with "What"',
  },
  {
    // The beginning of a string: test names, summaries, descriptions.
    pattern: /(?<!\w)(['"`])[Ww]hat (?!if\b|to do\b|next\b)(?:(?!\1)[^?])*\1/,
    advice: 'name the noun instead of beginning with "What"',
  },
  {
    pattern: /\bwhat (?:is|was|are|were) (?:not|no|none|left|kept|there|in the way)\b/i,
    advice: 'name the noun instead of "what is …"',
  },
  {
    pattern: /\b(?:of|for|from|than|but|only|all) what (?!(?:it|they|we|you|he|she)\b)[^?\n]*$/i,
    advice: 'name the noun instead of "what …"',
  },
  {
    pattern: /\b(?:to|for|by|of|from|than|nor|not|with|above|below|but|only) who\b/i,
    advice: '"anyone who", "users who"',
  },
  {
    // "Who is no member sees …", but not the heading "Who may call an operation."
    pattern:
      /(?:^|[.;:] |\/\*\* |\/\/ |\* |['"`])Who (?:is|has|had|holds|comes|asks|knows|sends|tries|wins|reads)\b[^?.,;\n]*\b(?:is|are|gets?|sees?|may|goes|hears|can|has|must|holds)\b/,
    advice: '"users who …", "a caller who …"',
  },
  { pattern: /\bwhoever\b/i, advice: '"anyone who", "the user who"' },
  { pattern: /\banew\b/i, advice: '"recreated", "again"' },
  {
    pattern:
      /\b(?:stands|lies)\b(?! (?:for|in for|alone)\b)|\bhangs (?:in|there|here|at|on|under|beside|behind|before|above|below)\b/i,
    advice: '"is", "is in"',
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|nobody|somebody|everybody) told\b(?! apart)/i,
    advice: '"is notified", "is reported", "learns"',
  },
  { pattern: /\btells\b(?! (?:\w+ )?apart)/i, advice: '"reports", "notifies", "shows"' },
  { pattern: /\bone['’]s\b/i, advice: '"your" in texts for users, "the caller\'s" in code' },
  {
    pattern: /\b(?:that|which|when|where|what|as) one (?:may|can|cannot|wants|has|holds|belongs|does not)\b/i,
    advice: '"you" in texts for users, "the caller" in code',
  },
  { pattern: /\banybody\b/i, advice: '"anyone"' },
  { pattern: /\b(?:no|some|every)body['’]s\b/i, advice: '"no user\'s", "another user\'s", "of all users"' },
  {
    pattern: /\bbut for (?:the|a|those|one)\b|\bbe it\b|\bwhatever the case\b/i,
    advice: '"except", "even", "ignoring case"',
  },
  {
    pattern: /\b(?:is|are|was|were) no (?:more\b(?! than)|member\b|longer any\b)/i,
    advice: '"no longer exists", "is not a member"',
  },
  {
    pattern: /\b(?:that|which|who|what|it) (?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b)/i,
    advice: '"is not a …"',
  },
  { pattern: /\bbelongs? into\b/i, advice: '"belongs in"' },
  { pattern: /\bfor ever\b/i, advice: '"forever"' },
  { pattern: /\bfor good\b(?! reasons?\b)/i, advice: '"permanently"' },
  { pattern: /\btakes? (?:[\w’']+ ){1,5}along\b/i, advice: '"deletes … with it", "includes"' },
  { pattern: /\bany more\b(?! than)/i, advice: '"no longer", or "anymore" as the last resort' },
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

/** At most one finding per line. Tables of bad and good examples ("instead of | write") are skipped. */
export function stumblesIn(text: string): Stumble[] {
  let inExamples = false
  return text.split('\n').flatMap((line, i) => {
    inExamples = line.startsWith('|') && (inExamples || /^\| instead of +\| write/.test(line))
    const found = inExamples ? undefined : PATTERNS.find(({ pattern }) => pattern.test(line))
    return found ? [{ line: i + 1, text: line.trim(), advice: found.advice }] : []
  })
}

const WRITTEN = ['{src,test,bench,scripts,docs,examples}/**/*.{ts,tsx,md}', '*.md'].map((pattern) => new Glob(pattern))
const SKIPPED =
  /(?:^|\/)(?:node_modules|dist|data|\.git|peers)\/|^test\/architecture\/english|^test\/english\.test\.ts$/

/** The text of every source file and document that people write, with its path. */
export async function* writtenTexts(root: string): AsyncGenerator<[path: string, text: string]> {
  for (const glob of WRITTEN)
    for (const path of glob.scanSync({ cwd: root }))
      if (!SKIPPED.test(path)) yield [path, await Bun.file(`${root}/${path}`).text()]
}

if (import.meta.main) {
  const prefixes = process.argv.slice(2)
  let count = 0
  for await (const [path, text] of writtenTexts(`${import.meta.dir}/../..`)) {
    if (prefixes.length > 0 && !prefixes.some((prefix) => path.startsWith(prefix))) continue
    for (const { line, text: words, advice } of stumblesIn(text)) {
      count++
      console.log(`${path}:${line}: ${words}\n    → ${advice}`)
    }
  }
  console.log(`${count} found`)
}

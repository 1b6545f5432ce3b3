/**
 * The terms of texts, the same on both databases, in messages and in queries. Chinese, Japanese, Korean and Thai have no spaces between
 * words: each pair of neighbouring characters is a term. Other scripts are cut into words. Case and width of letters do not count.
 */

/** Different terms of one message; what comes after them is not found. */
export const MAX_TERMS = 1000
/** Characters of a text that are read. Normalization makes one character up to 18, so this is not the length of the message. */
const MAX_CHARACTERS = 20_000
/** Characters of a term: words are looked up by their beginning, and compared as a whole. */
const MAX_TERM_LENGTH = 32

const WITHOUT_SPACES =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\u30fc]'
const RUNS = new RegExp(`(?<unspaced>${WITHOUT_SPACES}+)|(?:(?!${WITHOUT_SPACES})[\\p{L}\\p{N}\\p{M}])+`, 'gu')

export interface Run {
  readonly text: string
  /** Found anywhere in a longer run. Words are only found as a whole. */
  readonly isUnspaced: boolean
}

export const runsOf = (text: string): Run[] =>
  [...text.normalize('NFKC').slice(0, MAX_CHARACTERS).toLowerCase().matchAll(RUNS)].map(({ 0: run, groups }) => ({
    text: run,
    isUnspaced: groups!['unspaced'] !== undefined,
  }))

/** At most `max` different terms. A character between spaces has none. */
export function termsOf(runs: readonly Run[], max = MAX_TERMS): string[] {
  const terms = new Set<string>()
  for (const { text, isUnspaced } of runs) {
    const characters = [...text]
    if (!isUnspaced) terms.add(characters.slice(0, MAX_TERM_LENGTH).join(''))
    else for (let i = 1; i < characters.length && terms.size < max; i++) terms.add(characters[i - 1]! + characters[i]!)
    if (terms.size >= max) break
  }
  return [...terms]
}

/** Whether every word and every unspaced run of the query is in the text. */
export const matches = (query: readonly Run[], text: readonly Run[]): boolean =>
  query.every((run) =>
    text.some((other) =>
      run.isUnspaced ? other.isUnspaced && other.text.includes(run.text) : !other.isUnspaced && other.text === run.text,
    ),
  )

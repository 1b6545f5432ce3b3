/** Words of a file that mean nothing here, for the user to say what they mean. Pure. */

import { nearest } from '#lib/nearest.ts'
import { wordKey } from '#lib/spreadsheets/cells.ts'

import { knownStatusWords, mapKey } from './values.rules.ts'

export const UNMATCHED_KINDS = ['status', 'custodian', 'category', 'location'] as const
export type UnmatchedKind = (typeof UNMATCHED_KINDS)[number]
/** Of one kind in an answer, and those that are compared with the names of things. */
export const MAX_UNMATCHED = 200
const MAX_COMPARED = 30
const MAX_NAMES = 1000
/** Characters of a word that is shown and compared. */
const MAX_TEXT = 100

interface Found {
  readonly text: string
  rows: number
}

export class Unmatched {
  readonly #found = new Map<UnmatchedKind, Map<string, Found>>()

  take(kind: UnmatchedKind, text: string): void {
    const found = this.#found.get(kind) ?? new Map<string, Found>()
    this.#found.set(kind, found)
    const key = mapKey(text)
    const one = found.get(key)
    if (one !== undefined) one.rows += 1
    else if (found.size < MAX_UNMATCHED) found.set(key, { text: text.slice(0, MAX_TEXT), rows: 1 })
  }

  /** With what each word probably means, as maps have it. `names`: the ids of paths. */
  all(names: Readonly<Partial<Record<UnmatchedKind, ReadonlyMap<number, string>>>>) {
    return Object.fromEntries(
      UNMATCHED_KINDS.map((kind) => {
        const known = kind === 'status' ? knownStatusWords() : wordsOf(names[kind] ?? new Map())
        const words = known.size > MAX_NAMES ? [] : [...known.keys()]
        const found = [...(this.#found.get(kind)?.values() ?? [])]
        return [
          kind,
          found.map(({ text, rows }, i) => {
            const meant = i < MAX_COMPARED ? nearest(wordKey(text).slice(0, MAX_TEXT), words) : undefined
            return { text, rows, suggestion: meant === undefined ? null : String(known.get(meant)) }
          }),
        ]
      }),
    ) as Record<UnmatchedKind, { text: string; rows: number; suggestion: string | null }[]>
  }
}

/** Ids by the last names of paths. */
const wordsOf = (paths: ReadonlyMap<number, string>): Map<string, number> =>
  new Map([...paths].map(([id, path]) => [wordKey(path.split('/').at(-1)!).slice(0, MAX_TEXT), id] as const))

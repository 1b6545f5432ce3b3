/** The entries of the command palette, and which of them match the text that was typed. */

import type { SvgIconComponent } from '@mui/icons-material'

/** In the order in which they are shown. */
export const GROUPS = [
  'best',
  'recent',
  'actions',
  'pages',
  'codes',
  'assets',
  'activities',
  'people',
  'chats',
  'orgs',
  'users',
  'allOrgs',
  'settings',
  'numbers',
] as const
export type Group = (typeof GROUPS)[number]

export interface Entry {
  /** Unique; also the id of its element. */
  readonly id: string
  readonly group: Group
  readonly icon: SvgIconComponent
  readonly label: string
  /** After the label, in grey. */
  readonly hint?: string
  /** Path below `/console` that it opens, or the address of a public page. */
  readonly to?: string
  /** Instead of `to`. */
  readonly run?: () => void
  /** `run` goes on in the palette. */
  readonly staysOpen?: boolean
  /** Further words by which it is found, such as those of the other language. */
  readonly words?: string
  /** The text is its number or whole address. */
  readonly isExact?: boolean
  /** Something else to do with it, by a key or beside the label: a function, or the path of a page. */
  readonly second?: { readonly label: string; readonly run: (() => void) | string }
  /** The user with whom the conversation is. */
  readonly person?: number
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** In Chinese and Japanese, which have no spaces, a word can begin anywhere. */
const hasNoSpaces = (word: string): boolean => /[\u3040-\u30ff\u3400-\u9fff]/.test(word)

/** The entries of which each typed word begins a word, those first whose label begins with the text. */
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const typed = fold(text)
    .split(/\s+/)
    .filter((word) => word !== '')
  const found = entries.filter(({ label, words = '' }) => {
    const all = fold(`${label} ${words}`)
    const parts = all.split(/[\s,·:/()（）]+/)
    return typed.every((word) => (hasNoSpaces(word) ? all.includes(word) : parts.some((part) => part.startsWith(word))))
  })
  const isFirst = ({ label }: Entry) => fold(label).startsWith(typed.join(' '))
  return [...found.filter(isFirst), ...found.filter((entry) => !isFirst(entry))]
}

/** Two characters, or one Chinese one. */
export const isLongEnough = (text: string): boolean => [...text].length > 1 || hasNoSpaces(text)

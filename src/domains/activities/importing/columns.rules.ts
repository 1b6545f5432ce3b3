/** Which column of a file means what, by its heading. Pure. */

import type { RegistrationQuestion } from '#db/schema/activities.ts'
import type { Localized } from '#lib/localized.ts'
import { nearest } from '#lib/nearest.ts'
import { wordKey, zoneIn } from '#lib/spreadsheets/cells.ts'
import { type Mapping, parseMapping } from '#lib/spreadsheets/mapping.ts'

import { COLUMNS, NOTE } from '../participants/table.rules.ts'

export const FIXED_KEYS = ['name', 'email', 'status', 'language', 'note', 'source'] as const
export type FixedKey = (typeof FIXED_KEYS)[number]
/** The column of the answers to a question is `answers.` and the key of the question. */
export type Key = FixedKey | `answers.${string}`
const answerKey = (question: string): Key => `answers.${question}`

/** A column of the file. `key`: null for one that is left out; then `suggestion` may be a key with nearly the same name. */
export interface FileColumn {
  readonly header: string
  readonly key: Key | null
  readonly suggestion?: Key
}

/** Other common headings. They count if no column of the file has the proper one. */
const OTHER_NAMES: Readonly<Record<FixedKey, readonly string[]>> = {
  name: ['Full name', 'Participant', 'Guest', 'Attendee', '名字', '名称', '参与者', '参加者', '嘉宾'],
  email: ['E-mail address', 'Mail', '电子邮箱', '邮箱地址', '邮件', '电子邮件'],
  status: ['State', 'Registration status', '报名状态'],
  language: ['Preferred language', '语种'],
  note: ['Notes', 'Remark', 'Remarks', 'Comment', 'Comments', '说明', '注释'],
  source: ['Registered by', '报名来源'],
}

interface Target {
  /** Null for a column of exports that imports leave out. */
  readonly key: Key | null
  readonly names: readonly string[]
  readonly others: readonly string[]
}

type Questions = readonly Pick<RegistrationQuestion, 'key' | 'label'>[]

/** Headings as they are compared. Labels of emoji or punctuation only are compared as they are. */
const nameKey = (text: string): string => wordKey(text) || text.trim()

/** In the order of exports, which write columns with the same name one after the other. */
function targetsOf(questions: Questions): readonly Target[] {
  const fixed = ({ key, en, zh }: (typeof COLUMNS)[number] | typeof NOTE): Target => ({
    key,
    names: [en, zh],
    others: key === null ? [] : [key, ...OTHER_NAMES[key]],
  })
  return [
    ...COLUMNS.map(fixed),
    ...questions.map(({ key, label }) => ({ key: answerKey(key), names: [label], others: [key, answerKey(key)] })),
    fixed(NOTE),
  ].map(({ key, names, others }) => ({
    key,
    names: [...new Set(names.map(nameKey))],
    others: [...new Set(others.map(nameKey))],
  }))
}

export function mappingIn(text: string, questions: Questions): Mapping<Key> | Localized {
  const known = new Set<string>([...FIXED_KEYS, ...questions.map(({ key }) => answerKey(key))])
  return parseMapping(text, (key) => known.has(key), nameKey)
}

/** Returns whether a heading names a column of participants, by itself or by the mapping of the user. */
export function headingsKnownTo(questions: Questions, mapping: Mapping<Key>): (heading: string) => boolean {
  const known = new Set(targetsOf(questions).flatMap(({ names, others }) => [...names, ...others]))
  return (heading) => {
    const name = nameKey(heading)
    return known.has(name) || mapping.has(name) || known.has(nameKey(zoneIn(heading)?.name ?? heading))
  }
}

/** The columns of a file by its headings, or the heading of a column that it has twice. */
export function matchColumns(
  headers: readonly string[],
  questions: Questions,
  mapping: Mapping<Key>,
): readonly FileColumn[] | { readonly repeated: string } {
  const targets = targetsOf(questions)
  const names = headers.map((header) => nameKey(zoneIn(header)?.name ?? header))
  const found = new Map<number, Target>()
  const used = new Set<Target>()
  const take = (at: number, target: Target) => {
    found.set(at, target)
    used.add(target)
  }
  const mapped = new Set<number>()
  for (const [at, header] of headers.entries()) {
    const key = mapping.get(nameKey(header))
    if (key === undefined) continue
    mapped.add(at)
    const target = targets.find((one) => one.key === key)
    if (key === null || target === undefined) continue
    if (used.has(target)) return { repeated: header }
    take(at, target)
  }
  const open = (at: number): boolean => names[at] !== '' && !mapped.has(at) && !found.has(at)
  for (const name of new Set(names)) {
    const places = names.flatMap((one, at) => (one === name && open(at) ? [at] : []))
    let free = targets.filter((target) => !used.has(target) && target.names.includes(name))
    // A question can have the name of a column that only exports have.
    if (free.length > places.length) free = free.toSorted((a, b) => Number(a.key === null) - Number(b.key === null))
    const isRepeated = places.length > Math.max(free.length, 1) && targets.some((one) => one.names.includes(name))
    if (isRepeated) return { repeated: headers[places.at(-1)!]! }
    for (const [i, at] of places.entries()) if (free[i] !== undefined) take(at, free[i])
  }
  for (const [at, name] of names.entries()) {
    const target = open(at) ? targets.find((one) => !used.has(one) && one.others.includes(name)) : undefined
    if (target !== undefined) take(at, target)
  }
  const columns = headers.map((header, at): FileColumn => ({ header, key: found.get(at)?.key ?? null }))
  return withSuggestions(
    columns,
    targets.filter((target) => !used.has(target)),
    (at) => open(at),
  )
}

/** Longer headings, and more of them, are not compared letter by letter. */
const MAX_COMPARED = 40
const MAX_SUGGESTIONS = 30

function withSuggestions(
  columns: readonly FileColumn[],
  free: readonly Target[],
  isOpen: (at: number) => boolean,
): readonly FileColumn[] {
  const byName = new Map(free.flatMap(({ key, names }) => (key === null ? [] : names.map((name) => [name, key]))))
  const known = [...byName.keys()].filter((name) => name.length <= MAX_COMPARED)
  let left = MAX_SUGGESTIONS
  return columns.map((column, at) => {
    const name = nameKey(column.header)
    if (!isOpen(at) || name.length > MAX_COMPARED || left-- <= 0) return column
    const meant = nearest(name, known)
    return meant === undefined ? column : { ...column, suggestion: byName.get(meant)! }
  })
}

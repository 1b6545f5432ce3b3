/** The meaning of the cells of a row, and the changes that the rows of a file make. Pure. */

import type { RegistrationQuestion, RegistrationStatus } from '#db/schema/activities.ts'
import { normalizeEmail } from '#domains/accounts/index.ts'
import { itemChecker } from '#http/validate.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import type { RowProblem as SheetProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'

import { UpdateRegistration } from '../participants/participants.model.ts'
import { SOURCES, STATUSES } from '../participants/table.rules.ts'
import { type Answers, canSetStatus, checkAnswers } from '../registrations/registrations.rules.ts'
import type { FileColumn, FixedKey, Key } from './columns.rules.ts'
import * as errors from './importing.errors.ts'

/** A row that cannot be imported. */
export type RowProblem = SheetProblem<Key>

/** Absent values are those of absent columns and empty cells, which change nothing. */
export interface GivenRow {
  readonly row: number
  readonly name?: string
  /** In lower case. */
  readonly email?: string
  readonly status?: RegistrationStatus
  readonly language?: Locale
  readonly note?: string
  readonly answers: Answers
  /** Exports list users too. An import does not look for accounts. */
  readonly isOfAccount: boolean
  readonly problems: readonly RowProblem[]
}

const words = <T extends string>(byValue: Readonly<Record<T, readonly string[]>>): ReadonlyMap<string, T> =>
  new Map((Object.keys(byValue) as T[]).flatMap((value) => byValue[value].map((word) => [wordKey(word), value])))

const statusWords = words<RegistrationStatus>({
  CONFIRMED: ['CONFIRMED', STATUSES.CONFIRMED.en, STATUSES.CONFIRMED.zh, 'Registered', '已确认'],
  WAITING: ['WAITING', STATUSES.WAITING.en, STATUSES.WAITING.zh, 'Waiting list', '候补中'],
  CANCELLED: ['CANCELLED', STATUSES.CANCELLED.en, STATUSES.CANCELLED.zh, 'Canceled', '取消'],
  PENDING: ['PENDING', STATUSES.PENDING.en, STATUSES.PENDING.zh],
  REJECTED: ['REJECTED', STATUSES.REJECTED.en, STATUSES.REJECTED.zh, '已拒绝'],
})
const languageWords = words<Locale>({
  en: ['en', 'en-US', 'en-GB', 'English', '英文', '英语'],
  zh: ['zh', 'zh-CN', 'zh-Hans', 'Chinese', '中文', '汉语'],
})
const ACCOUNT = new Set(['ACCOUNT', SOURCES.ACCOUNT.en, SOURCES.ACCOUNT.zh].map(wordKey))

const checkTexts = itemChecker(UpdateRegistration)

export function readRow({ number, cells }: SheetRow, columns: readonly FileColumn[]): GivenRow {
  const problems: RowProblem[] = []
  const refuse = (key: Key | null, text: Localized): void => void problems.push({ row: number, key, text })
  const texts = new Map<Key, string>()
  for (const [at, { key }] of columns.entries()) {
    const cell = cells[at] ?? null
    if (key === null || cell === null) continue
    const text = textOf(cell)
    if (typeof cell === 'object' && 'error' in cell) refuse(key, errors.cellError(cell.error))
    else if (text !== '') texts.set(key, text)
  }
  const read = <T>(key: FixedKey, meaning: (text: string) => T | undefined, wrong: Localized): T | undefined => {
    const text = texts.get(key)
    if (text === undefined) return undefined
    const value = meaning(text)
    if (value === undefined) refuse(key, wrong)
    return value
  }
  const email = read('email', normalizeEmail, errors.noAddress)
  const status = read('status', (text) => statusWords.get(wordKey(text)), errors.notAStatus)
  const language = read('language', (text) => languageWords.get(wordKey(text)), errors.notALanguage)
  const name = texts.get('name')?.replace(/\s*[\r\n]+\s*/g, ' ')
  const note = texts.get('note')
  const [checked] = checkTexts([{ name, note }], 'rows')
  for (const { path, text } of checked!.problems) refuse(path.split('.')[2] as FixedKey, text)
  const answers = [...texts].flatMap(([key, text]) =>
    key.startsWith('answers.') ? [[key.slice('answers.'.length), text] as const] : [],
  )
  return {
    row: number,
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(status !== undefined && { status }),
    ...(language !== undefined && { language }),
    ...(note !== undefined && { note }),
    answers: Object.fromEntries(answers),
    isOfAccount: ACCOUNT.has(wordKey(texts.get('source') ?? '')),
    problems,
  }
}

/** The guest of the activity who has the address of a row. */
export interface KnownGuest {
  readonly id: number
  readonly status: RegistrationStatus
  readonly name: string | null
  readonly language: Locale | null
  readonly note: string
  readonly answers: Answers
}

interface Planned {
  readonly row: number
  readonly problems: readonly RowProblem[]
}
export interface NewRow extends Planned {
  readonly action: 'CREATE'
  readonly given: GivenRow & { readonly name: string }
  readonly answers: Answers
  readonly status: 'CONFIRMED' | 'WAITING'
}
export interface ChangedRow<Guest extends KnownGuest> extends Planned {
  readonly action: 'UPDATE'
  readonly guest: Guest
  readonly details: { name?: string; language?: Locale; note?: string; answers?: Answers }
  readonly status?: Exclude<RegistrationStatus, 'PENDING'>
}
export type PlannedRow<Guest extends KnownGuest> =
  NewRow | ChangedRow<Guest> | (Planned & { readonly action: 'UNCHANGED' })

export interface Facts<Guest extends KnownGuest> {
  readonly questions: readonly RegistrationQuestion[]
  /** By address. */
  readonly guests: ReadonlyMap<string, Guest>
  /** CONFIRMED registrations of the activity. */
  readonly confirmed: number
  readonly places: number
}

/** The rows without problems, in their order, with their changes, and the problems of the others. */
export function planRows<Guest extends KnownGuest>(
  rows: readonly GivenRow[],
  facts: Facts<Guest>,
): { readonly items: readonly PlannedRow<Guest>[]; readonly problems: readonly RowProblem[] } {
  const rowsByEmail = new Map<string, number>()
  const planned = rows.map((given): PlannedRow<Guest> => {
    const { row, email } = given
    if (given.isOfAccount) return { row, action: 'UNCHANGED', problems: [] }
    const first = email === undefined ? undefined : rowsByEmail.get(email)
    if (first !== undefined)
      return { row, action: 'UNCHANGED', problems: [{ row, key: 'email', text: errors.repeatedEmail(first) }] }
    if (email !== undefined) rowsByEmail.set(email, row)
    const guest = email === undefined ? undefined : facts.guests.get(email)
    const plan = guest === undefined ? planNew(given, facts) : planKnown(given, guest, facts)
    return { ...plan, problems: [...given.problems, ...plan.problems] }
  })
  const problems = [...planned.flatMap((one) => one.problems), ...placeProblems(planned, facts)]
  const failed = new Set(problems.map(({ row }) => row))
  return {
    items: planned.filter(({ row }) => !failed.has(row)),
    problems: problems.toSorted((a, b) => a.row - b.row),
  }
}

function planNew(given: GivenRow, { questions }: Pick<Facts<KnownGuest>, 'questions'>): PlannedRow<never> {
  const { row, name, status = 'CONFIRMED' } = given
  const unchanged = { row, action: 'UNCHANGED' } as const
  const problems: RowProblem[] = []
  // Nobody is added who has cancelled: the table of another activity can be imported as it is.
  if (status === 'CANCELLED' || status === 'REJECTED') return { ...unchanged, problems }
  if (status === 'PENDING') problems.push({ row, key: 'status', text: errors.notForNew })
  if (name === undefined && given.problems.every(({ key }) => key !== 'name'))
    problems.push({ row, key: 'name', text: errors.nameNeeded })
  const checked = checkAnswers(questions, given.answers, { lenient: true })
  if ('problems' in checked) problems.push(...answerProblems(row, checked.problems))
  if (status === 'PENDING' || name === undefined || 'problems' in checked) return { ...unchanged, problems }
  return { row, action: 'CREATE', given: { ...given, name }, answers: checked.answers, status, problems }
}

const answerProblems = (row: number, problems: readonly { path: string; text: Localized }[]): RowProblem[] =>
  problems.map(({ path, text }) => ({ row, key: path.slice('body.'.length) as Key, text }))

function planKnown<Guest extends KnownGuest>(
  given: GivenRow,
  guest: Guest,
  { questions }: Pick<Facts<Guest>, 'questions'>,
): PlannedRow<Guest> {
  const { row, name, language, note, status } = given
  const problems: RowProblem[] = []
  const details: ChangedRow<Guest>['details'] = {}
  if (name !== undefined && !isSameText(name, guest.name ?? '')) details.name = name
  if (note !== undefined && !isSameText(note, guest.note)) details.note = note
  if (language !== undefined && language !== guest.language) details.language = language
  const others = Object.entries(given.answers).filter(([key, text]) => !isSameText(text, guest.answers[key] ?? ''))
  if (others.length > 0) {
    const wanted = { ...guest.answers, ...Object.fromEntries(others) }
    const checked = checkAnswers(questions, wanted, { lenient: true, kept: guest.answers })
    if ('problems' in checked) problems.push(...answerProblems(row, checked.problems))
    else details.answers = checked.answers
  }
  const other = status === guest.status ? undefined : status
  if (other === 'PENDING' || (other !== undefined && !canSetStatus(guest.status, other)))
    problems.push({ row, key: 'status', text: errors.cannotBecome(guest.status, other) })
  else if (other !== undefined || Object.keys(details).length > 0)
    return { row, action: 'UPDATE', guest, details, ...(other !== undefined && { status: other }), problems }
  return { row, action: 'UNCHANGED', problems }
}

/** Spreadsheet programs change line breaks, and keep in a workbook the apostrophe that CSV has before a formula (csv-writer.ts). */
const plain = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .trim()
    .replace(/^'(?='*[=+\-@＝＋－＠])/, '')
/** Whether a cell shows this text. */
const isSameText = (cell: string, text: string): boolean => plain(cell) === plain(text)

/** Those of the rows for which no place is left, the first rows first. Places that the file gives up count. */
function placeProblems<Guest extends KnownGuest>(
  rows: readonly PlannedRow<Guest>[],
  { confirmed, places }: Facts<Guest>,
): RowProblem[] {
  const leaves = (one: PlannedRow<Guest>) =>
    one.action === 'UPDATE' && one.guest.status === 'CONFIRMED' && one.status !== undefined
  const free = Math.max(places - confirmed + rows.filter(leaves).length, 0)
  const comers = rows.filter((one) => one.action !== 'UNCHANGED' && one.status === 'CONFIRMED')
  return comers.slice(free).map(({ row }) => ({ row, key: 'status', text: errors.noPlace(free) }))
}

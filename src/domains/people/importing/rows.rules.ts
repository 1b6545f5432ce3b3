/** The meaning of the cells of a row, and the changes that the rows of a file make. Pure. */

import { isUsername, normalizeEmail } from '#domains/accounts/index.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import type { RowProblem as SheetProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { excessOf, hasHiddenCharacters } from '#lib/text.ts'

import type { FileColumn, Key } from './columns.rules.ts'
import type { ImportUsers } from './importing.model.ts'

const text = (en: string, zh: string): Localized => ({ en, zh })
const MESSAGES = {
  required: text('is required', '不能为空'),
  username: text(
    'must be 3 to 32 letters, digits and, between them, single _ . or -, and start with a letter',
    '须为 3 到 32 位字母、数字或其间单个的 _ . -，且以字母开头',
  ),
  nickname: text('must have at most 50 characters, and no invisible ones', '最多 50 个字符，且不能含不可见字符'),
  email: text('is not an e-mail address', '不是有效的邮箱地址'),
  phone: text('is not a phone number: 11 digits, or + and the country code', '不是有效的手机号'),
  language: text('must be en or zh', '须为 en 或 zh'),
  taken: text('is the username of another user', '已是其他用户的用户名'),
  foreign: text('belongs to another account', '已被其他账号绑定'),
  deleted: text('belongs to a user who is not active', '对应的用户状态异常'),
  administrator: text('is an administrator, whom an import does not change', '是管理员，导入不会更改管理员'),
  noOrganization: text(
    'is not the code of an organization, or a name that only one has',
    '不是组织码，也不是唯一的组织名称',
  ),
  withoutOrganization: text('needs an organization', '须同时填写组织'),
  noRole: text('is not a role of the organization', '不是该组织的角色'),
  ownerRole: text('is given only by a transfer of the organization', '只能通过转让组织获得'),
  roleRefused: text('is a role with permissions that you may not give', '包含你无权授予的权限'),
  full: text('is full: the organization has reached its member limit', '成员数量已达上限'),
  owner: text('is the owner of the organization, whose role stays', '是该组织的所有者，其角色不变'),
  cell: (error: string) => text(`contains the error ${error}`, `单元格包含错误 ${error}`),
  repeated: (row: number) => text(`is also in row ${row}`, `与第 ${row} 行重复`),
}

/** A row that cannot be imported. */
export type RowProblem = SheetProblem<Key>

/** Of a row whose user was deleted meanwhile. */
export const goneProblem = ({ row }: GivenRow): RowProblem => ({ row, key: 'username', text: MESSAGES.deleted })

/** Absent values are those of absent columns and empty cells. */
export interface GivenRow {
  readonly row: number
  readonly username?: string
  readonly nickname?: string
  readonly email?: string
  /** In E.164. */
  readonly phone?: string
  readonly organization?: string
  readonly role?: string
  readonly language?: Locale
  readonly problems: readonly RowProblem[]
}

const MAX_NICKNAME = 50
const UNITS_EACH = 8
const LANGUAGES: ReadonlyMap<string, Locale> = new Map(
  Object.entries({
    en: ['en', 'en-US', 'en-GB', 'English', '英文', '英语'],
    zh: ['zh', 'zh-CN', 'Chinese', '中文'],
  }).flatMap(([locale, words]) => words.map((word): [string, Locale] => [wordKey(word), locale as Locale])),
)

/** `phoneOf`: the number in E.164, or undefined. */
export async function readRow(
  { number, cells }: SheetRow,
  columns: readonly FileColumn[],
  way: NonNullable<ImportUsers['way']>,
  phoneOf: (text: string) => Promise<string | undefined>,
): Promise<GivenRow> {
  const problems: RowProblem[] = []
  const refuse = (key: Key, problem: Localized): undefined => void problems.push({ row: number, key, text: problem })
  const texts = new Map<Key, string>()
  for (const [at, { key }] of columns.entries()) {
    const cell = cells[at] ?? null
    if (key === null || cell === null) continue
    if (typeof cell === 'object' && 'error' in cell) refuse(key, MESSAGES.cell(cell.error))
    else if (textOf(cell) !== '') texts.set(key, textOf(cell))
  }
  const given = <T>(key: Key, value: T | undefined): { [K in Key]?: T } => {
    if (!texts.has(key)) return {}
    if (value === undefined) return (refuse(key, MESSAGES[key as 'email']), {})
    return { [key]: value }
  }
  const username = texts.get('username')
  if (username === undefined && problems.every(({ key }) => key !== 'username')) refuse('username', MESSAGES.required)
  if (way === 'INVITE' && !texts.has('email')) refuse('email', MESSAGES.required)
  const nickname = texts.get('nickname')?.replace(/\s+/g, ' ') ?? ''
  const isName = excessOf(nickname, MAX_NICKNAME, UNITS_EACH) === undefined && !hasHiddenCharacters(nickname)
  const phone = texts.get('phone')
  return {
    row: number,
    ...given('username', username !== undefined && isUsername(username) ? username : undefined),
    ...given('nickname', isName && !/\p{Cc}/u.test(nickname) ? nickname : undefined),
    ...given('email', normalizeEmail(texts.get('email') ?? '')),
    ...given('phone', phone === undefined ? undefined : await phoneOf(phone)),
    ...given('organization', texts.get('organization')),
    ...given('role', texts.get('role')),
    ...(given('language', LANGUAGES.get(wordKey(texts.get('language') ?? ''))) as { language?: Locale }),
    problems,
  } as GivenRow
}

interface Known {
  readonly id: number
  readonly nickname: string
  readonly isActive: boolean
  readonly isAdministrator: boolean
  readonly createdByAdmin: boolean
}

export interface OrgFacts {
  readonly id: number
  readonly ownerId: number
  readonly freePlaces: number
  /** By the text of a cell; `problem` for those that may not be given. */
  role(
    text: string | undefined,
  ): { readonly code: string } | { readonly problem: 'noRole' | 'ownerRole' | 'roleRefused' }
  /** The codes of roles of known members. */
  readonly members: ReadonlyMap<number, readonly string[]>
}

/** The stored facts on which the rows depend. */
export interface Facts {
  /** By username in lower case. */
  readonly users: ReadonlyMap<string, Known>
  readonly emails: ReadonlyMap<string, number>
  readonly phones: ReadonlyMap<string, number>
  /** By the text of a cell; the default organization by the empty text. */
  readonly organizations: ReadonlyMap<string, OrgFacts>
}

export interface Membership {
  readonly orgId: number
  readonly role: string
  readonly isNew: boolean
}

export interface PlannedRow {
  readonly action: 'CREATE' | 'UPDATE' | 'UNCHANGED'
  readonly given: GivenRow & { readonly username: string }
  /** Of an existing user. */
  readonly userId?: number
  readonly nickname?: string
  readonly membership?: Membership
}

/** Rows of a step, after which other requests run. */
export const GROUP = 100

/** The rows without problems, in their order, with their changes, and the problems of the others. `pause`: waited for between two steps. */
export async function planRows(
  rows: readonly GivenRow[],
  mode: NonNullable<ImportUsers['mode']>,
  facts: Facts,
  pause: () => Promise<void>,
): Promise<{ readonly items: readonly PlannedRow[]; readonly problems: readonly RowProblem[] }> {
  const problems = rows.flatMap((row) => row.problems)
  const refuse = ({ row }: GivenRow, key: Key, problem: Localized): undefined =>
    void problems.push({ row, key, text: problem })
  const seen = {
    username: new Map<string, number>(),
    email: new Map<string, number>(),
    phone: new Map<string, number>(),
  }
  const places = new Map<number, number>()
  const plan = (given: GivenRow): PlannedRow[] => {
    for (const key of ['username', 'email', 'phone'] as const) {
      const value = given[key]?.toLowerCase()
      if (value === undefined) continue
      const first = seen[key].get(value)
      if (first === undefined) seen[key].set(value, given.row)
      else refuse(given, key, MESSAGES.repeated(first))
    }
    const user = facts.users.get(given.username?.toLowerCase() ?? '')
    const membership = membershipOf(given, user, facts, refuse)
    if (membership?.isNew) {
      const org = [...facts.organizations.values()].find(({ id }) => id === membership.orgId)!
      const taken = places.get(org.id) ?? 0
      if (taken >= org.freePlaces) refuse(given, 'organization', MESSAGES.full)
      places.set(org.id, taken + 1)
    }
    for (const [key, holders] of [
      ['email', facts.emails],
      ['phone', facts.phones],
    ] as const) {
      const holder = given[key] === undefined ? undefined : holders.get(given[key])
      if (holder !== undefined && holder !== user?.id) refuse(given, key, MESSAGES.foreign)
    }
    if (given.username === undefined) return []
    const named = { ...given, username: given.username }
    if (user === undefined) return [{ action: 'CREATE', given: named, ...(membership && { membership }) }]
    return planKnown(named, user, membership, mode, facts, refuse)
  }
  const planned: PlannedRow[] = []
  for (let at = 0; at < rows.length; at += GROUP) {
    if (at > 0) await pause()
    planned.push(...rows.slice(at, at + GROUP).flatMap(plan))
  }
  const failed = new Set(problems.map(({ row }) => row))
  return {
    items: planned.filter(({ given }) => !failed.has(given.row)),
    problems: problems.toSorted((a, b) => a.row - b.row),
  }
}

type Refuse = (given: GivenRow, key: Key, problem: Localized) => undefined

function membershipOf(given: GivenRow, user: Known | undefined, facts: Facts, refuse: Refuse): Membership | undefined {
  const org = facts.organizations.get(given.organization ?? '')
  if (org === undefined) {
    if (given.organization !== undefined) refuse(given, 'organization', MESSAGES.noOrganization)
    else if (given.role !== undefined) refuse(given, 'role', MESSAGES.withoutOrganization)
    return undefined
  }
  const held = user === undefined ? undefined : org.members.get(user.id)
  // A member keeps the role that the file does not name.
  if (held !== undefined && given.role === undefined) return undefined
  const role = org.role(given.role)
  if ('problem' in role) return refuse(given, 'role', MESSAGES[role.problem])
  if (held === undefined) return { orgId: org.id, role: role.code, isNew: true }
  if (held.length === 1 && held[0] === role.code) return undefined
  if (org.ownerId === user!.id) return refuse(given, 'role', MESSAGES.owner)
  return { orgId: org.id, role: role.code, isNew: false }
}

function planKnown(
  given: PlannedRow['given'],
  user: Known,
  membership: Membership | undefined,
  mode: NonNullable<ImportUsers['mode']>,
  facts: Facts,
  refuse: Refuse,
): PlannedRow[] {
  const isRenamed = given.nickname !== undefined && given.nickname !== user.nickname
  const isSame = !isRenamed && membership === undefined
  if (mode === 'CREATE') {
    const isTheirs = (key: 'email' | 'phone', holders: ReadonlyMap<string, number>) =>
      given[key] === undefined || holders.get(given[key]) === user.id
    // The same file again. Anyone else with this username is another person, who must not be taken for the one in the file.
    if (isSame && user.createdByAdmin && isTheirs('email', facts.emails) && isTheirs('phone', facts.phones))
      return [{ action: 'UNCHANGED', given, userId: user.id }]
    refuse(given, 'username', MESSAGES.taken)
    return []
  }
  if (isSame) return [{ action: 'UNCHANGED', given, userId: user.id }]
  if (!user.isActive) refuse(given, 'username', MESSAGES.deleted)
  if (user.isAdministrator) refuse(given, 'username', MESSAGES.administrator)
  return [
    {
      action: 'UPDATE',
      given,
      userId: user.id,
      ...(isRenamed && { nickname: given.nickname! }),
      ...(membership && { membership }),
    },
  ]
}

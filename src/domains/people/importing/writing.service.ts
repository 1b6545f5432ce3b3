/** The writes of an import of users: all rows or none. */

import type { AppContext } from '#context'
import { dialect } from '#db/dialect.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import {
  administratorsAmong,
  createManyUsers,
  generateNickname,
  holdersOf,
  newResetCode,
  renameUsers,
  usernameTaken,
  USERS_AT_ONCE,
  usersByKeys,
} from '#domains/accounts/index.ts'
import { hasMailServer } from '#domains/delivery/index.ts'
import { importMemberships, type MembershipToImport, orgsToImportInto } from '#domains/orgs/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { MAX_ERRORS, rowsHaveErrors } from '#http/imports.ts'
import type { Locale } from '#lib/localized.ts'
import { pause, restingPause } from '#lib/pause.ts'
import { placedProblem } from '#lib/spreadsheets/problems.ts'
import { MINUTE } from '#platform/clock.ts'

import { saveSheet, sealSlips } from '../slips/slips.service.ts'
import { queueStartMails, reserveMails, usersToMail } from '../slips/start-mails.service.ts'
import { mailsUsedUp, mayNotAddMembers, noMailServer, unknownOrganization } from './importing.errors.ts'
import type { ImportUsers, UsersImported } from './importing.model.ts'
import { holdUsers, inTurn, mailsTo, type NewUser } from './parts.service.ts'
import { acceptImport } from './parts.store.ts'
import { type Facts, type GivenRow, goneProblem, GROUP, type PlannedRow, planRows } from './rows.rules.ts'

/** 5,000 rows take a few seconds. */
const MAX_WRITE_MS = 2 * MINUTE

/** @throws AppError 400 without a mail server */
export function mailAllowance(ctx: AppContext): void {
  if (!hasMailServer(ctx)) throw noMailServer()
}

const present = <T>(values: readonly (T | undefined)[]): T[] => [
  ...new Set(values.filter((value): value is T => value !== undefined)),
]

/** The stored facts on which the plan of the rows depends. @throws AppError 400 without the organization, 403 if the caller may not add members, but rows name organizations */
export async function factsOf(
  ctx: AppContext,
  db: Db | Tx,
  actor: Actor,
  rows: readonly GivenRow[],
  { orgId }: Pick<ImportUsers, 'orgId'>,
): Promise<Facts> {
  const texts = present(rows.map(({ organization }) => organization))
  if (texts.length > 0 || orgId !== undefined)
    if (!(await access.can(ctx, actor.userId, 'PLATFORM', 0, 'org_member:create'))) throw mayNotAddMembers()
  const known = await usersByKeys(db, present(rows.map(({ username }) => username?.toLowerCase())))
  const ids = [...known.values()].map(({ id }) => id)
  const administrators = await administratorsAmong(db, ids)
  const roles = present(rows.map(({ role }) => role))
  const organizations = await orgsToImportInto(db, actor, { texts, orgId, roles, userIds: ids })
  // Otherwise the users would be made without the membership that was asked for.
  if (orgId !== undefined && !organizations.has('')) throw unknownOrganization()
  return {
    users: new Map(
      [...known].map(([key, user]) => [
        key,
        { ...user, isActive: user.status === 'ACTIVE', isAdministrator: administrators.has(user.id) },
      ]),
    ),
    emails: await holdersOf(db, 'EMAIL', present(rows.map(({ email }) => email))),
    phones: await holdersOf(db, 'PHONE', present(rows.map(({ phone }) => phone))),
    organizations,
  }
}

export function countsOf(items: readonly PlannedRow[]) {
  const count = (action: PlannedRow['action']) => items.filter((item) => item.action === action).length
  return { created: count('CREATE'), updated: count('UPDATE'), unchanged: count('UNCHANGED') }
}

type Written = Pick<UsersImported, 'created' | 'updated' | 'unchanged' | 'sheetUrl'>

/** The input of a write. */
interface Given {
  readonly ctx: AppContext
  readonly actor: LoggedActor
  readonly rows: readonly GivenRow[]
  readonly input: ImportUsers
  readonly locale: Locale
}

/** Plans the rows again from the present data, and writes them. @throws AppError 400 with all problems */
export const writeRows = (given: Given): Promise<Written> =>
  dialect === 'sqlite' ? inTurn(given.ctx, () => writeInParts(given)) : writeAtOnce(given)

/** Plans some of the rows. @throws AppError 400 with all problems */
async function plan(
  { ctx, actor, input }: Given,
  db: Db | Tx,
  rows: readonly GivenRow[],
  rest = pause,
): Promise<readonly PlannedRow[]> {
  const facts = await factsOf(ctx, db, actor, rows, input)
  const { items, problems } = await planRows(rows, input.mode ?? 'CREATE', facts, rest)
  if (problems.length > 0) throw rowsHaveErrors(problems.length, problems.slice(0, MAX_ERRORS).map(placedProblem))
  return items
}

const isNew = ({ action }: PlannedRow): boolean => action === 'CREATE'

async function writeAtOnce(given: Given): Promise<Written> {
  const { ctx, actor, rows } = given
  const made = await makeTexts(given, rows)
  return actor.write(
    'people.importUsers',
    async (tx) => {
      const items = await plan(given, tx, rows)
      const newUsers = items.filter(isNew).map((item) => newUserOf(item, made))
      const created = await withMails(given, tx, newUsers)
      const by = await authorOf(actor, tx)
      const ids = new Map((await createManyUsers(ctx, tx, created, by)).map((id, i) => [created[i]!.username, id]))
      const changes = await writeChanges(given, tx, {
        ...totalsOf(ctx, items, created),
        items,
        ids,
        awaited: new Map(),
      })
      await queueStartMails(ctx, tx, mailsTo(created))
      return changes
    },
    { maxMs: MAX_WRITE_MS },
  )
}

/** In a turn (parts.service.ts). */
async function writeInParts(given: Given): Promise<Written> {
  const { ctx, actor, rows } = given
  const items = await plan(given, ctx.db.read, rows, restingPause())
  const newItems = items.filter(isNew)
  const made = await makeTexts(
    given,
    newItems.map((item) => item.given),
  )
  const newUsers = newItems.map((item) => newUserOf(item, made))
  const created = await withMails(given, ctx.db.read, newUsers)
  const by = await authorOf(actor, ctx.db.read)
  const totals = { ...totalsOf(ctx, items, created), awaited: placesOf(newItems) }
  const importId = created.length === 0 ? null : await holdUsers(ctx, by, created)
  if (importId === undefined) {
    // Somebody took a name a moment ago: the new plan says whose row it is.
    await plan(given, ctx.db.read, rows)
    throw usernameTaken()
  }
  const known = items.filter(({ action }) => action === 'UPDATE')
  // The names of new users are held, so only each membership that they get is checked once more.
  const newOnes = new Map(newItems.map((item) => [JSON.stringify(item.membership ?? null), item]))
  const uncertain = [...known, ...newOnes.values()].map((item) => item.given)
  return actor.write(
    'people.importUsers',
    async (tx) => {
      if (importId !== null && !(await acceptImport(tx, importId))) throw new Error('the import was given up')
      const others = (await plan(given, tx, uncertain)).slice(0, known.length)
      const gone = others.find(isNew)
      if (gone) throw rowsHaveErrors(1, [placedProblem(goneProblem(gone.given))])
      return writeChanges(given, tx, { ...totals, items: others, ids: new Map() })
    },
    { maxMs: MAX_WRITE_MS },
  )
}

interface Totals {
  readonly counts: ReturnType<typeof countsOf>
  /** Codes that will be mailed. */
  readonly mails: number
  /** The other codes, sealed; undefined if there are none. */
  readonly sheet: string | undefined
}

interface Plan extends Totals {
  /** Rows whose changes are written now. */
  readonly items: readonly PlannedRow[]
  /** Of new users who are made, by username. */
  readonly ids: ReadonlyMap<string, number>
  /** Memberships of users who are made later, by organization. */
  readonly awaited: ReadonlyMap<number, number>
}

/** On SQLite before the write, for which others wait. */
const totalsOf = (ctx: AppContext, items: readonly PlannedRow[], created: readonly NewUser[]): Totals => {
  const slips = created.flatMap(({ code, mailIn, ...user }) =>
    code === undefined || mailIn !== undefined ? [] : [{ ...user, code }],
  )
  return {
    counts: countsOf(items),
    mails: created.filter(({ mailIn }) => mailIn !== undefined).length,
    sheet: slips.length === 0 ? undefined : sealSlips(ctx, slips),
  }
}

function placesOf(items: readonly PlannedRow[]): ReadonlyMap<number, number> {
  const places = new Map<number, number>()
  for (const { membership } of items)
    if (membership !== undefined) places.set(membership.orgId, (places.get(membership.orgId) ?? 0) + 1)
  return places
}

/** The new users, with the languages of the mails that they will get. */
async function withMails(
  { ctx, input, locale }: Given,
  db: Db | Tx,
  users: readonly NewUser[],
): Promise<readonly NewUser[]> {
  if (input.way !== 'INVITE') return users
  const mailed = await usersToMail(ctx, db, users)
  return users.map((user) => (mailed.has(user.username) ? { ...user, mailIn: user.language ?? locale } : user))
}

/** Writes all but the new users themselves, and their mails. @throws AppError 429 if the mails of the day were used up meanwhile */
async function writeChanges(
  { ctx, actor, input: { way = 'START_CODE' } }: Given,
  tx: Tx,
  { items, ids, awaited, counts, mails, sheet }: Plan,
) {
  const renamed = items.flatMap(({ userId, nickname }) =>
    userId === undefined || nickname === undefined ? [] : [{ id: userId, nickname }],
  )
  for (let at = 0; at < renamed.length; at += USERS_AT_ONCE) {
    await renameUsers(tx, renamed.slice(at, at + USERS_AT_ONCE))
    await tx.pause()
  }
  const memberships = items.flatMap(({ membership, userId, given, action }): MembershipToImport[] =>
    membership ? [{ ...membership, userId: userId ?? ids.get(given.username)!, isNewUser: action === 'CREATE' }] : [],
  )
  await importMemberships(ctx, tx, actor, memberships, awaited)
  if (!(await reserveMails(ctx, tx, mails))) throw mailsUsedUp()
  const sheetUrl = sheet === undefined ? null : await saveSheet(ctx, tx, actor.userId, sheet)
  const isChanged = counts.created + counts.updated > 0
  return {
    result: { ...counts, sheetUrl },
    logged: isChanged ? { after: { ...counts, way } } : ('unchanged' as const),
  }
}

/** The texts that the server makes for a new user, or takes from the row. */
interface Made {
  readonly nickname: string
  readonly code: string | undefined
}

/** By row. Before the write, for which others wait on SQLite. */
async function makeTexts({ ctx, input, locale }: Given, rows: readonly GivenRow[]): Promise<ReadonlyMap<number, Made>> {
  const made = new Map<number, Made>()
  const rest = restingPause()
  for (const { row, nickname } of rows) {
    made.set(row, {
      nickname: nickname ?? (await generateNickname(ctx, locale)),
      code: input.way === 'NONE' ? undefined : newResetCode(),
    })
    if (made.size % GROUP === 0) await rest()
  }
  return made
}

const newUserOf = ({ given, membership }: PlannedRow, made: ReadonlyMap<number, Made>): NewUser => ({
  username: given.username,
  email: given.email,
  phone: given.phone,
  language: given.language,
  membership,
  // Of an address or a name in any language, the slip shows the username where the file has none.
  name: given.nickname ?? given.username,
  ...made.get(given.row)!,
})

const authorOf = async (actor: Actor, db: Db | Tx) => ({
  createdBy: actor.userId,
  isForeign: !(await access.isSystemAdmin(db, actor)),
})

/** The write of an import of users: all rows or none. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import {
  administratorsAmong,
  createManyUsers,
  generateNickname,
  holdersOf,
  newResetCode,
  renameUsers,
  USERS_AT_ONCE,
  usersByKeys,
} from '#domains/accounts/index.ts'
import { hasMailServer } from '#domains/delivery/index.ts'
import { importMemberships, type MembershipToImport, orgsToImportInto } from '#domains/orgs/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { MAX_ERRORS, rowsHaveErrors } from '#http/imports.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { MINUTE } from '#platform/clock.ts'

import { saveSheet, type Slip } from '../slips/slips.service.ts'
import { mailStartCodes } from '../slips/start-mails.service.ts'
import { mayNotAddMembers, noMailServer } from './importing.errors.ts'
import type { ImportUsers, UsersImported } from './importing.model.ts'
import { type Facts, type GivenRow, GROUP, type PlannedRow, planRows, type RowProblem } from './rows.rules.ts'

/** 5,000 rows take a few seconds. */
const MAX_WRITE_MS = 2 * MINUTE

export const fieldProblem = ({ row, key, text }: RowProblem): FieldProblem => ({
  path: `rows.${row}${key === null ? '' : `.${key}`}`,
  text,
})

/** @throws AppError 400 without a mail server */
export function mailAllowance(ctx: AppContext): void {
  if (!hasMailServer(ctx)) throw noMailServer()
}

const present = <T>(values: readonly (T | undefined)[]): T[] => [
  ...new Set(values.filter((value): value is T => value !== undefined)),
]

/** The stored facts on which the plan of the rows depends. @throws AppError 403 if the caller may not add members, but rows name organizations */
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
  return {
    users: new Map(
      [...known].map(([key, user]) => [
        key,
        { ...user, isActive: user.status === 'ACTIVE', isAdministrator: administrators.has(user.id) },
      ]),
    ),
    emails: await holdersOf(db, 'EMAIL', present(rows.map(({ email }) => email))),
    phones: await holdersOf(db, 'PHONE', present(rows.map(({ phone }) => phone))),
    organizations: await orgsToImportInto(db, actor, {
      texts,
      orgId,
      roles: present(rows.map(({ role }) => role)),
      userIds: ids,
    }),
  }
}

export function countsOf(items: readonly PlannedRow[]) {
  const count = (action: PlannedRow['action']) => items.filter((item) => item.action === action).length
  return { created: count('CREATE'), updated: count('UPDATE'), unchanged: count('UNCHANGED') }
}

/** Plans the rows again from the present data, and writes them. @throws AppError 400 with all problems */
export async function writeRows(
  ctx: AppContext,
  actor: LoggedActor,
  rows: readonly GivenRow[],
  input: ImportUsers,
  locale: Locale,
): Promise<Pick<UsersImported, 'created' | 'updated' | 'unchanged' | 'sheetUrl'>> {
  const { mode = 'CREATE', way = 'START_CODE' } = input
  const made = await makeTexts(ctx, rows, way, locale)
  return actor.write(
    'people.importUsers',
    async (tx) => {
      const facts = await factsOf(ctx, tx, actor, rows, input)
      const { items, problems } = await planRows(rows, mode, facts, () => tx.pause())
      if (problems.length > 0) throw rowsHaveErrors(problems.length, problems.slice(0, MAX_ERRORS).map(fieldProblem))
      const counts = countsOf(items)
      const created = items.filter(({ action }) => action === 'CREATE')
      const slips = await createUsers(ctx, tx, actor, created, made)
      const renamed = items.flatMap(({ userId, nickname }) =>
        userId === undefined || nickname === undefined ? [] : [{ id: userId, nickname }],
      )
      for (let at = 0; at < renamed.length; at += USERS_AT_ONCE) {
        await renameUsers(tx, renamed.slice(at, at + USERS_AT_ONCE))
        await tx.pause()
      }
      const idOf = ({ userId, given }: PlannedRow): number => userId ?? slips.ids.get(given.row)!
      const memberships = items.flatMap((item): MembershipToImport[] =>
        item.membership ? [{ ...item.membership, userId: idOf(item), isNewUser: item.action === 'CREATE' }] : [],
      )
      await importMemberships(ctx, tx, actor, memberships)
      const left = way === 'INVITE' ? await mailStartCodes(ctx, tx, slips.list, locale) : slips.list
      const sheetUrl = left.length === 0 ? null : await saveSheet(ctx, tx, actor.userId, left)
      const isChanged = counts.created + counts.updated > 0
      return { result: { ...counts, sheetUrl }, logged: isChanged ? { after: { ...counts, way } } : 'unchanged' }
    },
    { maxMs: MAX_WRITE_MS },
  )
}

/** The texts that the server makes for a new user, or takes from the row. */
interface Made {
  readonly nickname: string
  readonly code: string | undefined
}

/** By row. Before the write, for which others wait on SQLite. */
async function makeTexts(
  ctx: AppContext,
  rows: readonly GivenRow[],
  way: NonNullable<ImportUsers['way']>,
  locale: Locale,
): Promise<ReadonlyMap<number, Made>> {
  const made = new Map<number, Made>()
  for (const { row, nickname } of rows) {
    made.set(row, {
      nickname: nickname ?? (await generateNickname(ctx, locale)),
      code: way === 'NONE' ? undefined : newResetCode(),
    })
    if (made.size % GROUP === 0) await pause()
  }
  return made
}

interface Created {
  /** By row. */
  readonly ids: ReadonlyMap<number, number>
  readonly list: readonly Slip[]
}

async function createUsers(
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  rows: readonly PlannedRow[],
  made: ReadonlyMap<number, Made>,
): Promise<Created> {
  const list = rows.map(({ given }) => ({
    ...given,
    // Of an address or a name in any language, the slip shows the username where the file has none.
    name: given.nickname ?? given.username,
    ...made.get(given.row)!,
  }))
  const isForeign = !(await access.isSystemAdmin(tx, actor))
  const ids = await createManyUsers(ctx, tx, list, { createdBy: actor.userId, isForeign })
  return {
    ids: new Map(list.map(({ row }, i) => [row, ids[i]!])),
    list: list.flatMap(({ name, username, code, email, language }, i) =>
      code === undefined ? [] : [{ userId: ids[i]!, name, username, code, email, language }],
    ),
  }
}

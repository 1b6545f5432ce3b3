/** The participants of an activity as a table, with their passes, check-ins and answers. It is generated while it is sent. */

import type { AppContext } from '#context'
import { personOf, type RegistrationQuestion } from '#db/schema/activities.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { sendExport } from '#http/exports.ts'
import { columnsIn, tableFile, type TableFormat } from '#http/tables.ts'
import { zoneOf as zoneAsked } from '#http/validate.ts'
import { localTime } from '#lib/days.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'

import { zoneOf } from '../activities.rules.ts'
import { requireList } from '../check-in-lists/check-in-lists.service.ts'
import { listsWithAdmissions } from '../check-in-lists/check-in-lists.store.ts'
import { type PassStatus, statusOf } from '../passes/passes.rules.ts'
import { sortedIds } from '../registrations/filters.store.ts'
import { positionsOf } from '../registrations/registrations.service.ts'
import { registrationsPage } from '../registrations/registrations.store.ts'
import { type Asking, manageActivity, MANAGER_POINT, manages } from '../visibility/visibility.service.ts'
import { type Facts, factsOf, filterOf } from './listing.service.ts'
import type { ListQuery } from './participants.model.ts'
import * as store from './participants.store.ts'
import { ANSWER_WIDTH, COLUMNS, NOTE, SOURCES, STATUSES } from './table.rules.ts'

/** A sheet has room for 1,048,575 below its titles. */
const MAX_ROWS = 1_000_000
/** In orders that no index has. Their ids are in memory. */
const MAX_SORTED = 100_000
/** Questions that are no longer asked, of which the table has the answers. */
const MAX_EARLIER = 100

/** Check-in lists, with those that were deleted, of which the table has the admissions. */
const MAX_LISTS = 200
/** Of a check-in list, whose name follows. No list can so have the title of another column, or one that begins like a formula. */
const ADMISSIONS = { en: 'Admissions: ', zh: '入场次数：' } as const

const PASSES: Readonly<Record<PassStatus, Localized>> = {
  ISSUED: { en: 'Issued', zh: '有效' },
  USED: { en: 'Used', zh: '已使用' },
  EXPIRED: { en: 'Expired', zh: '已过期' },
  REVOKED: { en: 'Revoked', zh: '已撤销' },
}

interface Table {
  readonly format: TableFormat
  readonly locale: Locale
  readonly zone: string
  readonly lists: readonly { readonly id: number; readonly name: string }[]
  readonly questions: readonly Pick<RegistrationQuestion, 'key' | 'label'>[]
  readonly withNotes: boolean
  readonly now: number
}

type ExportQuery = ListQuery & { readonly format: TableFormat }

/** @throws AppError 404 and 403 if the caller may not see the registrations, 400 if a sheet has no room for them */
export const exportParticipants = async (
  ctx: AppContext,
  id: number,
  query: ExportQuery,
  asking: Asking,
  caller: Pick<Caller, 'locale' | 'signal'>,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, asking.viewer.userId, caller), async (reads) => {
    const withNotes = query.notes === true
    const row = await manageActivity(ctx, id, withNotes ? MANAGER_POINT : 'checkin:read', asking)
    const { registration, ...activity } = row
    const { userId } = asking.viewer
    const filter = filterOf(query, withNotes || (await manages(ctx, userId, row, MANAGER_POINT)))
    await requireList(ctx.db.read, id, filter.listId, 'query.listId')
    const { format, sort = '-createdAt', lang: locale = caller.locale } = query
    const isByTime = sort.endsWith('createdAt') && (filter.status?.length === 1 || !filter.status?.includes('PENDING'))
    const ids = isByTime ? undefined : await ctx.db.search(userId, (db) => sortedIds(db, id, filter, sort, MAX_SORTED))
    if (!isByTime && ids === undefined) throw tooManyRows(MAX_SORTED)
    const status = filter.status?.length === 1 ? filter.status[0] : undefined
    const { total } = ids
      ? { total: ids.length }
      : await registrationsPage(ctx.db.read, id, { status, sort: undefined, page: 1, size: 1 })
    if (total > MAX_ROWS) throw tooManyRows(MAX_ROWS)
    const zone = zoneAsked(query, zoneOf(activity))
    const asked = registration?.questions ?? []
    const earlier = (await store.answeredKeys(reads.read, id, MAX_EARLIER + asked.length))
      .filter((key) => asked.every((question) => question.key !== key))
      .map((key) => ({ key, label: key }))
    const lists = await listsWithAdmissions(reads.read, id, MAX_LISTS)
    const table = { format, locale, zone, lists, questions: [...asked, ...earlier], withNotes, now: ctx.clock.now() }
    const participants = { activityId: id, filter, newestFirst: sort !== 'createdAt' }
    const place = zone.replaceAll('/', '-')
    const sheet = {
      name: `${{ en: 'Participants', zh: '参与者' }[locale]} ${place}`,
      columns: [
        ...columnsIn(COLUMNS, locale, zone),
        ...lists.map((list) => ({ title: ADMISSIONS[locale] + list.name, width: ANSWER_WIDTH })),
        ...table.questions.map(({ label }) => ({ title: label, width: ANSWER_WIDTH })),
        ...(withNotes ? columnsIn([NOTE], locale, zone) : []),
      ],
      rows: ids ? rowsByIds(ctx, reads.read, id, ids, table) : rowsOf(ctx, reads.read, participants, table),
    }
    const day = localTime(table.now, zone).toPlainDate().toString().replaceAll('-', '')
    const name = `participants-${day}-${place.replace(':', '')}.${format}`
    return { ...(await tableFile(sheet, format, table.now)), name, rows: total }
  })

const tooManyRows = (most: number) =>
  badRequest(
    `A table in this order has at most ${most} registrations: select a status`,
    `按此顺序的表格最多包含 ${most} 条报名，请选择状态`,
  )

/** Rows read at once, which takes a few milliseconds. */
const ROWS_PER_READ = 250

async function* rowsOf(ctx: AppContext, db: Db, participants: store.Participants, table: Table) {
  for (let after: store.ParticipantRow | undefined; ;) {
    const rows = await store.participantsAfter(db, participants, after, ROWS_PER_READ)
    yield* cellsOfRows(
      ctx,
      db,
      rows.filter((row) => row.isMatch),
      table,
    )
    if (rows.length < ROWS_PER_READ) return
    after = rows.at(-1)!
    await pause()
  }
}

async function* rowsByIds(ctx: AppContext, db: Db, activityId: number, ids: readonly number[], table: Table) {
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const rows = await store.participantsByIds(db, activityId, ids.slice(at, at + ROWS_PER_READ))
    yield* cellsOfRows(ctx, db, rows, table)
    await pause()
  }
}

async function* cellsOfRows(
  ctx: AppContext,
  db: Db,
  rows: readonly store.ExportedRow[],
  table: Table,
): AsyncGenerator<readonly Cell[]> {
  const facts = await factsOf(db, rows[0]?.activityId ?? 0, rows)
  const positions = await positionsOf(ctx, rows)
  const admissions = table.lists.length === 0 ? undefined : await admissionsOf(db, rows[0]?.activityId ?? 0, facts.held)
  for (const row of rows) {
    const onLists = table.lists.map(({ id }) => admissions?.get(personOf(row))?.get(id) ?? null)
    yield cellsOf(row, positions.get(row.id) ?? null, { ...facts, onLists }, table)
  }
}

/** The admissions of each person to each check-in list, with all passes of the person. */
async function admissionsOf(db: Db, activityId: number, held: Facts['held']) {
  const people = new Map(held.map(({ id, person }) => [id, person]))
  const admissions = new Map<number, Map<number, number>>()
  for (const { passId, listId, usedCount } of await store.listUsesOf(db, activityId, [...people.keys()])) {
    const person = people.get(passId)!
    const ofPerson = admissions.get(person) ?? new Map<number, number>()
    admissions.set(person, ofPerson.set(listId, (ofPerson.get(listId) ?? 0) + usedCount))
  }
  return admissions
}

/** Cells of CSV are texts, and no row needs its seconds to be read. */
function timeIn({ format, zone }: Table, at: number): Cell {
  const time = localTime(at, zone)
  return format === 'csv' ? time.toString({ smallestUnit: 'minute' }).replace('T', ' ') : time
}

function cellsOf(
  row: store.ExportedRow,
  position: number | null,
  { passes, checkIns, onLists }: Facts & { readonly onLists: readonly (number | null)[] },
  table: Table,
): Cell[] {
  const { locale, questions, withNotes, now } = table
  const { nickname, status, source, email, language, createdAt, confirmedAt, answers, note } = row
  const pass = passes.get(personOf(row))
  const checkedInAt = checkIns.get(personOf(row))
  return [
    nickname,
    STATUSES[status][locale],
    position,
    SOURCES[source][locale],
    email,
    language,
    timeIn(table, createdAt),
    confirmedAt === null ? null : timeIn(table, confirmedAt),
    pass?.id ?? null,
    pass === undefined ? null : PASSES[statusOf(pass, now)][locale],
    checkedInAt === undefined ? null : timeIn(table, checkedInAt),
    pass?.usedCount ?? null,
    ...onLists,
    ...questions.map(({ key }) => answers[key] ?? null),
    ...(withNotes ? [note || null] : []),
  ]
}

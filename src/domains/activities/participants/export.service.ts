/** The participants of an activity as a table, with their passes, check-ins and answers. It is generated while it is sent. */

import type { AppContext } from '#context'
import { personOf, type RegistrationQuestion, type RegistrationStatus } from '#db/schema/activities.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { sendExport } from '#http/exports.ts'
import { columnsIn, tableFile, type TableFormat, type TitledColumn } from '#http/tables.ts'
import { zoneOf as zoneAsked } from '#http/validate.ts'
import { localTime } from '#lib/days.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'

import { zoneOf } from '../activities.rules.ts'
import { type PassStatus, statusOf } from '../passes/passes.rules.ts'
import type { ListQuery } from '../registrations/registrations.model.ts'
import { countWaitingBefore, registrationsPage } from '../registrations/registrations.store.ts'
import { type Asking, manageActivity } from '../visibility/visibility.service.ts'
import * as store from './participants.store.ts'

/** A sheet has room for 1,048,575 below its titles. */
const MAX_ROWS = 1_000_000
/** Questions that are no longer asked, of which the table has the answers. */
const MAX_EARLIER = 100

const COLUMNS = [
  { en: 'Name', zh: '姓名', width: 30 },
  { en: 'Status', zh: '状态', width: 12 },
  { en: 'Position', zh: '候补位次', width: 10 },
  { en: 'Registered', zh: '报名时间', width: 20, isTime: true },
  { en: 'Pass no.', zh: '通行证编号', width: 12 },
  { en: 'Pass', zh: '通行证', width: 12 },
  { en: 'Admissions', zh: '入场次数', width: 12 },
  { en: 'First check-in', zh: '首次签到', width: 20, isTime: true },
] as const satisfies readonly TitledColumn[]
const ANSWER_WIDTH = 24

const STATUSES: Readonly<Record<RegistrationStatus, Localized>> = {
  CONFIRMED: { en: 'Confirmed', zh: '已报名' },
  WAITING: { en: 'Waiting', zh: '候补' },
  CANCELLED: { en: 'Cancelled', zh: '已取消' },
  PENDING: { en: 'Pending', zh: '待确认' },
  REJECTED: { en: 'Rejected', zh: '未通过' },
}
const PASSES: Readonly<Record<PassStatus, Localized>> = {
  ISSUED: { en: 'Issued', zh: '有效' },
  USED: { en: 'Used', zh: '已使用' },
  EXPIRED: { en: 'Expired', zh: '已过期' },
  REVOKED: { en: 'Revoked', zh: '已撤销' },
}

interface Table {
  readonly locale: Locale
  readonly zone: string
  readonly questions: readonly Pick<RegistrationQuestion, 'key' | 'label'>[]
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
    const { registration, ...activity } = await manageActivity(ctx, id, 'checkin:read', asking)
    const { format, keyword, status, lang: locale = caller.locale } = query
    const { total } = await registrationsPage(ctx.db.read, id, { status, page: 1, size: 1 })
    if (total > MAX_ROWS) throw tooManyRows()
    const zone = zoneAsked(query, zoneOf(activity))
    const asked = registration?.questions ?? []
    const earlier = (await store.answeredKeys(reads.read, id, MAX_EARLIER + asked.length))
      .filter((key) => asked.every((question) => question.key !== key))
      .map((key) => ({ key, label: key }))
    const table = { locale, zone, questions: [...asked, ...earlier], now: ctx.clock.now() }
    const participants = { activityId: id, status, keyword, newestFirst: query.sort !== 'createdAt' }
    const place = zone.replaceAll('/', '-')
    const sheet = {
      name: `${{ en: 'Participants', zh: '参与者' }[locale]} ${place}`,
      columns: [
        ...columnsIn(COLUMNS, locale, zone),
        ...table.questions.map(({ label }) => ({ title: label, width: ANSWER_WIDTH })),
      ],
      rows: rowsOf(reads.read, participants, table),
    }
    const day = localTime(table.now, zone).toPlainDate().toString().replaceAll('-', '')
    const name = `participants-${day}-${place.replace(':', '')}.${format}`
    return { ...(await tableFile(sheet, format, table.now)), name, rows: total }
  })

const tooManyRows = () =>
  badRequest(
    `A table has at most ${MAX_ROWS} registrations: select a status`,
    `单个表格最多包含 ${MAX_ROWS} 条报名，请选择状态`,
  )

/** Rows read at once, which takes a few milliseconds. */
const ROWS_PER_READ = 250

async function* rowsOf(db: Db, participants: store.Participants, table: Table): AsyncGenerator<readonly Cell[]> {
  const { activityId, newestFirst } = participants
  let position: number | undefined
  for (let after: store.ParticipantRow | undefined; ;) {
    const rows = await store.participantsAfter(db, participants, after, ROWS_PER_READ)
    const facts = await factsOf(
      db,
      activityId,
      rows.filter((row) => row.isMatch),
    )
    for (const row of rows) {
      if (row.status === 'WAITING')
        position = position === undefined ? (await countWaitingBefore(db, row)) + 1 : position + (newestFirst ? -1 : 1)
      if (row.isMatch) yield cellsOf(row, row.status === 'WAITING' ? position! : null, facts, table)
    }
    if (rows.length < ROWS_PER_READ) return
    after = rows.at(-1)!
    await pause()
  }
}

interface Facts {
  /** Of each person the live pass, or else the newest one. */
  readonly passes: ReadonlyMap<number, Awaited<ReturnType<typeof store.passesOf>>[number]>
  readonly checkIns: ReadonlyMap<number, number>
}

async function factsOf(db: Db, activityId: number, rows: readonly store.ParticipantRow[]): Promise<Facts> {
  const found = await store.passesOf(db, activityId, rows)
  const byAge = [...found, ...found.filter(({ liveHolderId }) => liveHolderId !== null)]
  return {
    passes: new Map(byAge.map((pass) => [pass.person, pass])),
    checkIns: await store.firstCheckIns(db, activityId, rows),
  }
}

function cellsOf(
  row: store.ParticipantRow,
  position: number | null,
  { passes, checkIns }: Facts,
  { locale, zone, questions, now }: Table,
): Cell[] {
  const { nickname, status, createdAt, answers } = row
  const pass = passes.get(personOf(row))
  const checkedInAt = checkIns.get(personOf(row))
  return [
    nickname,
    STATUSES[status][locale],
    position,
    localTime(createdAt, zone),
    pass?.id ?? null,
    pass === undefined ? null : PASSES[statusOf(pass, now)][locale],
    pass?.usedCount ?? null,
    checkedInAt === undefined ? null : localTime(checkedInAt, zone),
    ...questions.map(({ key }) => answers[key] ?? null),
  ]
}

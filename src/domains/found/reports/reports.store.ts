import { and, asc, desc, eq, gt, inArray, isNotNull, lt, max, ne, type SQL, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { type FoundKind, foundMessages, foundReports, type FoundStatus } from '#db/schema/found.ts'
import { deleteSome, isAmongFirst } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import { FINDER_MESSAGES, OWNER_MESSAGES, THREAD_MS } from './reports.model.ts'

export type ReportRow = typeof foundReports.$inferSelect
export type MessageRow = typeof foundMessages.$inferSelect

const listed = pagedTable(foundReports, ['id', 'owner', 'status'])
const list = {
  orders: { id: ['id'] },
  sort: '-id',
  select: (db: Builders) => db.select().from(foundReports).$dynamic(),
} as const
const ofOwner = listed.list({ owner: ['owner'], ...list })
const ofStatus = listed.list({ owner: ['owner', 'status'], ...list })

/** Newest first. `kinds`: those of which the caller may see the reports. */
export function reportsPage(
  db: Db,
  owner: OwnerKey,
  { status, ...page }: PageInput & { readonly status?: FoundStatus | undefined },
  kind: FoundKind | undefined,
): Promise<Page<ReportRow>> {
  if (kind === undefined)
    return status === undefined ? ofOwner.page(db, { owner }, page) : ofStatus.page(db, { owner, status }, page)
  const where = and(
    eq(foundReports.owner, owner),
    eq(foundReports.kind, kind),
    status === undefined ? undefined : eq(foundReports.status, status),
  )
  return pageOf(db, foundReports, { where, orderBy: [desc(foundReports.id)], page })
}

const p = sql.placeholder
const byId = prepared((db) =>
  db
    .select()
    .from(foundReports)
    .where(eq(foundReports.id, p('id'))),
)
/** A report of any owner: the caller checks who may see it. */
export const findReport = async (db: Db | Tx, id: number): Promise<ReportRow | undefined> => (await byId(db, { id }))[0]

const bySecret = prepared((db) =>
  db
    .select()
    .from(foundReports)
    .where(and(eq(foundReports.secretHash, p('hash')), gt(foundReports.endsAt, p('now')))),
)
/** Undefined as soon as the conversation has ended. */
export const findBySecret = async (db: Db | Tx, hash: string, now: number): Promise<ReportRow | undefined> =>
  (await bySecret(db, { hash, now }))[0]

const ofReport = prepared((db) =>
  db
    .select()
    .from(foundMessages)
    .where(eq(foundMessages.reportId, p('reportId')))
    .orderBy(asc(foundMessages.id)),
)
/** At most `FINDER_MESSAGES` and `OWNER_MESSAGES`, in their order. */
export const messagesOf = (db: Db | Tx, reportId: number): Promise<MessageRow[]> => ofReport(db, { reportId })

/** The newest message of each of the reports. */
export async function newestMessages(db: Db, reportIds: readonly number[]): Promise<MessageRow[]> {
  if (reportIds.length === 0) return []
  const newest = db
    .select({ id: max(foundMessages.id) })
    .from(foundMessages)
    .where(inArray(foundMessages.reportId, [...reportIds]))
    .groupBy(foundMessages.reportId)
  return db.select().from(foundMessages).where(inArray(foundMessages.id, newest))
}

export type NewReport = Pick<
  ReportRow,
  'owner' | 'kind' | 'targetId' | 'title' | 'contact' | 'latitude' | 'longitude' | 'accuracy' | 'secretHash'
>

/** Inserts a report with its first message. */
export async function insertReport(tx: Tx, report: NewReport, message: string): Promise<ReportRow> {
  const at = { createdAt: tx.stamp, updatedAt: tx.stamp, endsAt: tx.stamp + THREAD_MS }
  const rows = await tx
    .insert(foundReports)
    .values({ ...report, ...at, finderMessages: 1 })
    .returning()
  const row = rows[0]!
  listed.inserted(tx, row)
  note(tx, { type: 'found_report.created', owner: row.owner, id: row.id })
  await insertMessage(tx, row.id, false, message)
  return row
}

async function insertMessage(tx: Tx, reportId: number, fromOwner: boolean, text: string): Promise<void> {
  await tx.insert(foundMessages).values({ reportId, fromOwner, text, createdAt: tx.stamp })
}

const SIDES = {
  finder: { count: 'finderMessages', most: FINDER_MESSAGES },
  owner: { count: 'ownerMessages', most: OWNER_MESSAGES },
} as const

/** Adds a message and prolongs the conversation. Undefined if it has ended, is closed or full. */
export async function addMessage(
  tx: Tx,
  side: keyof typeof SIDES,
  { id, owner }: ReportRow,
  text: string,
): Promise<ReportRow | undefined> {
  const { count, most } = SIDES[side]
  const [row] = await tx
    .update(foundReports)
    .set({ [count]: sql`${foundReports[count]} + 1`, endsAt: tx.stamp + THREAD_MS, updatedAt: tx.stamp })
    .where(
      and(
        eq(foundReports.id, id),
        eq(foundReports.owner, owner),
        gt(foundReports.endsAt, tx.stamp),
        ne(foundReports.status, 'CLOSED'),
        lt(foundReports[count], most),
      ),
    )
    .returning()
  if (row === undefined) return undefined
  await insertMessage(tx, id, side === 'owner', text)
  return row
}

/** Returns the row as it is now; undefined if it is gone. */
export async function setStatus(tx: Tx, before: ReportRow, status: FoundStatus): Promise<ReportRow | undefined> {
  const [row] = await tx
    .update(foundReports)
    .set({ status, updatedAt: tx.stamp })
    .where(and(eq(foundReports.id, before.id), eq(foundReports.owner, before.owner)))
    .returning()
  if (row !== undefined) listed.updated(tx, before, row)
  return row
}

/** The reports follow a thing to its new owner. At most some thousand: a thing gets 20 a day, which are kept for months. */
export async function giveReports(tx: Tx, kind: FoundKind, targetId: number, owner: OwnerKey): Promise<void> {
  const ofThing = and(eq(foundReports.kind, kind), eq(foundReports.targetId, targetId))
  const before = await tx.select().from(foundReports).where(ofThing)
  if (before.length === 0) return
  await tx.update(foundReports).set({ owner }).where(ofThing).returning({ id: foundReports.id })
  for (const row of before) listed.updated(tx, row, { ...row, owner })
}

/** Reports that one statement deletes. */
const DELETED_AT_ONCE = 500

export const ofThings = (kind: FoundKind, targetIds: readonly number[]): SQL =>
  and(eq(foundReports.kind, kind), isOneOf(foundReports.targetId, targetIds))!
export const ofOwnerKey = (owner: OwnerKey): SQL => eq(foundReports.owner, owner)
export const oneOf = ({ id, owner }: ReportRow): SQL => and(eq(foundReports.id, id), eq(foundReports.owner, owner))!
export const endedBefore = (time: number): SQL => lt(foundReports.endsAt, time)

/**
 * Deletes reports that meet `where`, at most `limit` of them or of their messages. Returns how many, which is less than `limit` if none is
 * left.
 */
export async function deleteReports(tx: Tx, where: SQL, limit: number): Promise<number> {
  const most = Math.min(limit, DELETED_AT_ONCE)
  const found = await tx.select({ id: foundReports.id }).from(foundReports).where(where).limit(most)
  if (found.length === 0) return 0
  const ids = found.map(({ id }) => id)
  const messages = await deleteSome(tx, foundMessages, inArray(foundMessages.reportId, ids), limit)
  // Further messages of these reports may be left.
  if (messages === limit) return limit
  const deleted = await tx.delete(foundReports).where(inArray(foundReports.id, ids)).returning(listed.columns)
  for (const row of deleted) listed.deleted(tx, row)
  return found.length === most ? limit : Math.min(messages + found.length, limit - 1)
}

/** Clears at most `limit` positions of reports that were sent before `time`. Returns how many. */
export async function clearPositions(tx: Tx, time: number, limit: number): Promise<number> {
  const where = and(lt(foundReports.createdAt, time), isNotNull(foundReports.latitude))
  const cleared = await tx
    .update(foundReports)
    .set({ latitude: null, longitude: null, accuracy: null })
    .where(isAmongFirst(tx, foundReports, { where, limit }))
    .returning({ id: foundReports.id })
  return cleared.length
}

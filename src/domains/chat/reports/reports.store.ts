import { and, count, desc, eq, lt, or } from 'drizzle-orm'

import { type Page, pageOfQuery } from '#db/paging.ts'
import { messageReports as reports, type MessageReportStatus } from '#db/schema/chat.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

import type { AdminReportsQuery } from './reports.model.ts'

export type ReportRow = typeof reports.$inferSelect

export async function findReport(db: Db | Tx, id: number): Promise<ReportRow | undefined> {
  const [row] = await db.select().from(reports).where(eq(reports.id, id))
  return row
}

/** The report of the user, which is stored unless there is one. */
export async function ensureReport(
  tx: Tx,
  report: Omit<ReportRow, 'id' | 'status' | 'handledAt' | 'createdAt'>,
): Promise<ReportRow> {
  const own = and(eq(reports.messageId, report.messageId), eq(reports.reporterId, report.reporterId))
  const [inserted] = await tx
    .insert(reports)
    .values({ ...report, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning()
  return inserted ?? (await tx.select().from(reports).where(own))[0]!
}

/** The newest first. */
export function reportsPage(db: Db, { status, ...page }: AdminReportsQuery): Promise<Page<ReportRow>> {
  const where = status === undefined ? undefined : eq(reports.status, status)
  return pageOfQuery(
    page,
    db.select().from(reports).where(where).orderBy(desc(reports.createdAt), desc(reports.id)),
    db.select({ n: count() }).from(reports).where(where),
  )
}

/** Ends all open reports of a message. Returns them. */
export const endReports = (tx: Tx, messageId: number, status: MessageReportStatus, now: number): Promise<ReportRow[]> =>
  tx
    .update(reports)
    .set({ status, handledAt: now })
    .where(and(eq(reports.messageId, messageId), eq(reports.status, 'OPEN')))
    .returning()

/** Deletes at most `limit` reports of and about a user. Returns their number. */
export const deleteReportsOf = (tx: Tx, userId: number, limit: number): Promise<number> =>
  deleteSome(tx, reports, or(eq(reports.senderId, userId), eq(reports.reporterId, userId))!, limit)

export const deleteOldReports = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, reports, lt(reports.createdAt, before), limit)

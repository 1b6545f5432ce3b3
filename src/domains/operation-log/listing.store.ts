import { and, asc, desc, eq, gte, lt, lte, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import type { Page, PageInput } from '#db/paging.ts'
import { adminLogs } from '#db/schema/operation-log.ts'
import type { Db } from '#db/store.ts'
import type { AdminList } from '#domains/admin/index.ts'

import type { LogQuery } from './operation-log.model.ts'
import { findHead, type LogRow, newestCheckpoint } from './operation-log.store.ts'

/** A range of ids, both inclusive. */
interface Range {
  readonly first: number
  readonly last: number
  /** Every id in it has a row. Ids of earlier versions can have gaps. */
  readonly isDense: boolean
}

/**
 * The rows of a period. Ids and times increase together, because logged writes run one after the other and each has a later stamp, so a
 * period is a range of ids, which every index of the table can be combined with.
 */
export async function rangeOf(db: Db, { from, to }: Pick<LogQuery, 'from' | 'to'>): Promise<Range> {
  const [head, checkpoint] = [await findHead(db), await newestCheckpoint(db)]
  const range = {
    first: (checkpoint?.rowId ?? 0) + 1,
    last: head?.rowId ?? 0,
    isDense: head !== undefined && head.rowCount === head.rowId,
  }
  const firstSince = async (time: number): Promise<number> => {
    const { createdAt, id } = adminLogs
    const rows = await db.select({ id }).from(adminLogs).where(gte(createdAt, time)).orderBy(asc(createdAt)).limit(1)
    return rows[0]?.id ?? range.last + 1
  }
  return {
    ...range,
    ...(from === undefined ? {} : { first: Math.max(range.first, await firstSince(from)) }),
    ...(to === undefined ? {} : { last: Math.min(range.last, (await firstSince(to)) - 1) }),
  }
}

/** Newest first, without a filter: the same cost for every page of a log of any length. */
export async function densePage(db: Db, { first, last }: Range, page: PageInput): Promise<Page<LogRow>> {
  const newest = last - (page.page - 1) * page.size
  const items =
    newest < first
      ? []
      : await db
          .select()
          .from(adminLogs)
          .where(and(gte(adminLogs.id, first), lte(adminLogs.id, newest)))
          .orderBy(desc(adminLogs.id))
          .limit(page.size)
  return { items, total: Math.max(0, last - first + 1), ...page }
}

interface Filters {
  /** Answered by one index, whose next column is the id. */
  readonly indexed: SQL | undefined
  /** Read row by row. */
  readonly others: SQL | undefined
}

export function filtersOf({ action, actorId, targetType, targetId, keyword }: LogQuery): Filters {
  const filters = {
    target:
      targetType === undefined || targetId === undefined
        ? undefined
        : and(eq(adminLogs.targetType, targetType), eq(adminLogs.targetId, targetId)),
    actor: actorId === undefined ? undefined : eq(adminLogs.actorId, actorId),
    action: action === undefined ? undefined : eq(adminLogs.action, action),
    targetType: targetType === undefined || targetId !== undefined ? undefined : eq(adminLogs.targetType, targetType),
  }
  const [indexed, ...others] = Object.values(filters).filter((filter) => filter !== undefined)
  const ofAnyType = targetType === undefined && targetId !== undefined ? eq(adminLogs.targetId, targetId) : undefined
  return {
    indexed,
    others: and(...others, ofAnyType, keyword ? contains(adminLogs.targetName, keyword) : undefined),
  }
}

const inRange = ({ first, last }: Range): SQL | undefined => and(gte(adminLogs.id, first), lte(adminLogs.id, last))

export const filteredList = (range: Range, { indexed, others }: Filters): AdminList<LogRow> => ({
  table: adminLogs,
  scope: indexed,
  period: { from: range.first, to: range.last + 1 },
  where: others,
  order: [adminLogs.id],
  isReversed: true,
  select: (db) => db.select().from(adminLogs).$dynamic() as never,
})

/**
 * For exports: rows of the range below `before`, newest first. `others` is decided for each of them, so that a call reads `limit` rows
 * however few match.
 */
export const rowsBefore = (db: Db, range: Range, { indexed, others }: Filters, before: number, limit: number) =>
  db
    .select({
      row: adminLogs,
      isMatch: others === undefined ? sql<number>`1` : sql<number>`case when ${others} then 1 else 0 end`,
    })
    .from(adminLogs)
    .where(and(indexed, inRange(range), lt(adminLogs.id, before)))
    .orderBy(desc(adminLogs.id))
    .limit(limit)

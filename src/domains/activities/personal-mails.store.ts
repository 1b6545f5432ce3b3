import { and, desc, eq, lt } from 'drizzle-orm'

import { activityNews as news } from '#db/schema/activity-messages.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

type NewsRow = typeof news.$inferSelect

/** In the order of `rows`. */
export async function insertNews(tx: Tx, rows: readonly Omit<NewsRow, 'id' | 'createdAt'>[]): Promise<number[]> {
  if (rows.length === 0) return []
  const inserted = await tx
    .insert(news)
    .values(rows.map((row) => ({ ...row, createdAt: tx.stamp })))
    .returning({ id: news.id })
  return inserted.map(({ id }) => id).toSorted((a, b) => a - b)
}

/** The result of a QUEUED mail. */
export async function settleNews(tx: Tx, id: number, to: Pick<NewsRow, 'state' | 'reason' | 'sentAt'>): Promise<void> {
  await tx
    .update(news)
    .set(to)
    .where(and(eq(news.id, id), eq(news.state, 'QUEUED')))
    .returning({ id: news.id })
}

/** The latest news to the person, at most `limit` rows, the latest first. */
export const newsOf = (db: Db, activityId: number, person: number, limit: number): Promise<NewsRow[]> =>
  db
    .select()
    .from(news)
    .where(and(eq(news.activityId, activityId), eq(news.person, person)))
    .orderBy(desc(news.id))
    .limit(limit)

/** Deletes at most `limit` rows that are older. Returns their number. */
export const deleteOldNews = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, news, lt(news.createdAt, before), limit)

/** Deletes at most `limit` rows of the activity. Returns their number. */
export const removeNews = (tx: Tx, activityId: number, limit: number): Promise<number> =>
  deleteSome(tx, news, eq(news.activityId, activityId), limit)

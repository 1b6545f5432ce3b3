import { asc, lte } from 'drizzle-orm'

import { adminLogCheckpoints, adminLogs } from '#db/schema/operation-log.ts'
import type { Tx } from '#db/store.ts'

export const oldestRows = (tx: Tx, limit: number) => tx.select().from(adminLogs).orderBy(asc(adminLogs.id)).limit(limit)

export const insertCheckpoint = async (tx: Tx, row: typeof adminLogCheckpoints.$inferInsert): Promise<void> =>
  void (await tx.insert(adminLogCheckpoints).values(row))

export const deleteUpTo = async (tx: Tx, rowId: number): Promise<void> =>
  void (await tx.delete(adminLogs).where(lte(adminLogs.id, rowId)))

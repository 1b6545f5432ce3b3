import { asc, inArray, lte, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { webhookScans as scans } from '#db/schema/webhooks.ts'
import type { Tx } from '#db/store.ts'

export interface Scanned {
  readonly qrCodeId: number
  readonly owner: OwnerKey
  readonly count: number
}

export type ScansRow = typeof scans.$inferSelect

export async function addScans(tx: Tx, list: readonly Scanned[], now: number): Promise<void> {
  // In the order in which other writes lock them.
  const rows = list.toSorted((a, b) => a.qrCodeId - b.qrCodeId)
  await tx
    .insert(scans)
    .values(rows.map((row) => ({ ...row, firstAt: now, lastAt: now })))
    .onConflictDoUpdate({
      target: scans.qrCodeId,
      set: { count: sql`${scans.count} + excluded.count`, lastAt: sql`excluded.last_at` },
    })
}

/** Takes at most `limit` codes that were scanned first at `until` or before. */
export async function takeScans(tx: Tx, until: number, limit: number): Promise<ScansRow[]> {
  const some = await tx
    .select({ id: scans.qrCodeId })
    .from(scans)
    .where(lte(scans.firstAt, until))
    .orderBy(asc(scans.firstAt))
    .limit(limit)
  return tx
    .delete(scans)
    .where(
      inArray(
        scans.qrCodeId,
        some.map(({ id }) => id),
      ),
    )
    .returning()
}

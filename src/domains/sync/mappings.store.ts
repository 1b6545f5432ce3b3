/** The rows that the local ids of devices stand for, and the results of pushes. */

import { and, eq, inArray, or, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { type SyncEntityName, syncMappings as mappings, syncReceipts as receipts } from '#db/schema/sync.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export interface Mapping {
  readonly id: number
  readonly serverId: number
  readonly isForced: boolean
}

const mappingColumns = {
  id: mappings.id,
  localId: mappings.localId,
  serverId: mappings.serverId,
  isForced: mappings.isForced,
}

export const findMappings = (db: Db | Tx, device: number, entity: SyncEntityName, localIds: readonly string[]) =>
  db
    .select(mappingColumns)
    .from(mappings)
    .where(and(eq(mappings.device, device), eq(mappings.entity, entity), inArray(mappings.localId, [...localIds])))

const insert = prepared((db) =>
  db
    .insert(mappings)
    .values({ device: p('device'), entity: p('entity'), localId: p('localId'), serverId: p('serverId') } as never)
    .onConflictDoNothing()
    .returning({ id: mappings.id }),
)

/** Undefined if the device has pushed a row with this local id meanwhile. */
export async function insertMapping(
  tx: Tx,
  values: { device: number; entity: SyncEntityName; localId: string; serverId: number },
): Promise<number | undefined> {
  return (await insert(tx, values))[0]?.id
}

const setRow = prepared((db) =>
  db
    .update(mappings)
    .set({ serverId: sql`${p('serverId')}` })
    .where(eq(mappings.id, p('id'))),
)

/** Completes a mapping that was inserted in the same write, before its row. */
export const setServerId = async (tx: Tx, id: number, serverId: number): Promise<void> =>
  void (await setRow(tx, { id, serverId }))

/** The local id now means another row. Results for the former one are forgotten. */
export async function changeRow(tx: Tx, id: number, serverId: number): Promise<void> {
  await tx
    .update(mappings)
    .set({ serverId, isForced: false, resendAt: sql`null` })
    .where(eq(mappings.id, id))
  await tx.delete(receipts).where(eq(receipts.mapping, id))
}

/** The rows come with the device's next pull, whatever its cursor. */
export async function resend(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx
    .update(mappings)
    .set({ resendAt: tx.stamp })
    .where(inArray(mappings.id, [...ids]))
}

/** False if another push has used it meanwhile. */
export async function useForce(tx: Tx, id: number): Promise<boolean> {
  const changed = await tx
    .update(mappings)
    .set({ isForced: false })
    .where(and(eq(mappings.id, id), eq(mappings.isForced, true)))
    .returning({ id: mappings.id })
  return changed.length > 0
}

export type Receipt = Omit<typeof receipts.$inferSelect, 'createdAt'>
export type ReceiptKey = Pick<Receipt, 'mapping' | 'baseVersion' | 'clientUpdatedAt'>

export const findReceipts = (db: Db | Tx, keys: readonly ReceiptKey[]): Promise<Receipt[]> =>
  db
    .select()
    .from(receipts)
    .where(
      or(
        ...keys.map(({ mapping, baseVersion, clientUpdatedAt }) =>
          and(
            eq(receipts.mapping, mapping),
            eq(receipts.baseVersion, baseVersion),
            eq(receipts.clientUpdatedAt, clientUpdatedAt),
          ),
        ),
      ),
    )

const insertOne = prepared((db) =>
  db
    .insert(receipts)
    .values({
      mapping: p('mapping'),
      baseVersion: p('baseVersion'),
      clientUpdatedAt: p('clientUpdatedAt'),
      status: p('status'),
      version: p('version'),
      updatedAt: p('updatedAt'),
      conflictId: p('conflictId'),
      dropped: p('dropped'),
      createdAt: p('createdAt'),
    } as never)
    .onConflictDoNothing()
    .returning({ mapping: receipts.mapping }),
)

/** False if the same record has been judged meanwhile. */
export const insertReceipt = async (tx: Tx, receipt: Receipt, now: number): Promise<boolean> =>
  (await insertOne(tx, { ...receipt, createdAt: now })).length > 0

/** When the same record comes again, it is judged again. */
export const deleteReceiptsOf = async (tx: Tx, mapping: number, conflictId: number): Promise<void> =>
  void (await tx.delete(receipts).where(and(eq(receipts.mapping, mapping), eq(receipts.conflictId, conflictId))))

/** Those of a device that name the row; the one with this local id first. */
export async function mappingsOfRow(
  tx: Tx,
  device: number,
  entity: SyncEntityName,
  row: { readonly serverId: number; readonly localId: string },
): Promise<Mapping[]> {
  const found = await tx
    .select(mappingColumns)
    .from(mappings)
    .where(and(eq(mappings.device, device), eq(mappings.entity, entity), eq(mappings.serverId, row.serverId)))
  return found.toSorted((a, b) => Number(b.localId === row.localId) - Number(a.localId === row.localId))
}

/** How the next push and pull of the device treat the row. */
export const setMapping = async (
  tx: Tx,
  id: number,
  change: { readonly isForced: boolean; readonly resendAt?: number },
): Promise<void> => void (await tx.update(mappings).set(change).where(eq(mappings.id, id)))

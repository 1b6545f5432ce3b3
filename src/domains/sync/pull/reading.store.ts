import { and, asc, between, eq, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { type SyncEntityName, syncMappings as mappings } from '#db/schema/sync.ts'
import type { Db } from '#db/store.ts'

const p = sql.placeholder
const fields = { serverId: mappings.serverId, localId: mappings.localId }

const inRange = prepared((db) =>
  db
    .select(fields)
    .from(mappings)
    .where(
      and(
        eq(mappings.device, p('device')),
        eq(mappings.entity, p('entity')),
        between(mappings.serverId, p('first'), p('last')),
      ),
    )
    .orderBy(asc(mappings.serverId))
    .limit(p('limit')),
)

/** A range is read if it has no more mappings than this for each id. */
const MAPPINGS_PER_ID = 4

/**
 * The ids that the device gave to those of the rows that it has pushed. Building a query with 500 ids takes longer than reading all mappings
 * of a range, of which most devices have few.
 */
export async function localIds(
  db: Db,
  device: number,
  entity: SyncEntityName,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  let first = Infinity
  let last = 0
  for (const id of ids) {
    if (id < first) first = id
    if (id > last) last = id
  }
  const limit = MAPPINGS_PER_ID * ids.length
  let rows = ids.length === 0 ? [] : await inRange(db, { device, entity, first, last, limit: limit + 1 })
  if (rows.length > limit)
    rows = await db
      .select(fields)
      .from(mappings)
      .where(and(eq(mappings.device, device), eq(mappings.entity, entity), isOneOf(mappings.serverId, ids)))
  return new Map(rows.map(({ serverId, localId }) => [serverId, localId]))
}

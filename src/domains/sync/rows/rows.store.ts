import { and, eq, gt } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { syncTombstones as tombstones, type TombstoneEntity } from '#db/schema/sync.ts'
import type { Db, Tx } from '#db/store.ts'

/** Tombstones of rows that were deleted permanently. Those of rows that only left the sight of some users are left out. */
export const findTombstones = (db: Db | Tx, entity: TombstoneEntity, ids: readonly number[]) =>
  db
    .select({
      id: tombstones.entityId,
      owner: tombstones.owner,
      version: tombstones.version,
      updatedAt: tombstones.stamp,
    })
    .from(tombstones)
    .where(and(eq(tombstones.entity, entity), isOneOf(tombstones.entityId, ids), gt(tombstones.version, 0)))

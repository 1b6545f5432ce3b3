import { and, asc, eq, gt, isNotNull, lte, ne, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { type SyncEntityName, syncMappings as mappings, syncTombstones as tombstones } from '#db/schema/sync.ts'
import type { Db } from '#db/store.ts'
import type { SyncRange } from '#domains/contributions.ts'

const p = sql.placeholder

export interface TombstoneRow {
  readonly entity: SyncEntityName
  readonly id: number
  readonly stamp: number
  readonly version: number
}

const ofOwner = prepared((db) =>
  db
    .select({
      entity: tombstones.entity,
      id: tombstones.entityId,
      stamp: tombstones.stamp,
      version: tombstones.version,
    })
    .from(tombstones)
    .where(
      and(
        eq(tombstones.owner, p('owner')),
        gt(tombstones.stamp, p('after')),
        lte(tombstones.stamp, p('until')),
        ne(tombstones.entity, sql`'location'`),
      ),
    )
    .orderBy(asc(tombstones.stamp), asc(tombstones.entity), asc(tombstones.entityId))
    .limit(p('limit')),
)

/** Of rows that devices keep, oldest first. */
export const tombstonesOf = async (db: Db, owner: OwnerKey, range: SyncRange, limit: number): Promise<TombstoneRow[]> =>
  (await ofOwner(db, { owner, ...range, limit })) as TombstoneRow[]

const resent = prepared((db) =>
  db
    .select({
      entity: mappings.entity,
      id: mappings.serverId,
      stamp: sql<number>`${mappings.resendAt}`.mapWith(Number),
    })
    .from(mappings)
    .where(
      and(
        eq(mappings.device, p('device')),
        isNotNull(mappings.resendAt),
        gt(mappings.resendAt, p('after')),
        lte(mappings.resendAt, p('until')),
      ),
    )
    .orderBy(asc(mappings.resendAt), asc(mappings.id))
    .limit(p('limit')),
)

/** Rows that the device gets once more, in the order of the stamps at which they come. */
export const rowsToResend = (db: Db, device: number, range: SyncRange, limit: number) =>
  resent(db, { device, ...range, limit })

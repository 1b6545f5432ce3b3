import { eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { assetReservations as reservations } from '#db/schema/reservations.ts'
import type { Db } from '#db/store.ts'

export const versionOfReservation = versionIn(reservations)

const orgById = prepared((db) =>
  db
    .select({ orgId: reservations.orgId })
    .from(reservations)
    .where(eq(reservations.id, sql.placeholder('id'))),
)

/** The organization of a reservation; undefined for an unknown id. */
export const organizationOfReservation = async (db: Db, id: number): Promise<number | undefined> =>
  (await orgById(db, { id }))[0]?.orgId

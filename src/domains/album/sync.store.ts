/** Photos as devices that synchronize read them. */

import { and, asc, eq, gt, lte, ne, sql } from 'drizzle-orm'

import { isInJson, isOneOf, notByIndex } from '#db/dialect.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { albumPhotos } from '#db/schema/album.ts'
import type { Db, Tx } from '#db/store.ts'
import type { SyncRange } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'

import { type PhotoRow, photosWithFiles } from './album.store.ts'

const p = sql.placeholder

const isPersonal = and(eq(albumPhotos.userId, p('owner')), eq(albumPhotos.orgId, 0).inlineParams())
const isOrganizations = and(eq(albumPhotos.orgId, p('owner')), ne(albumPhotos.orgId, 0).inlineParams())

const changesOf = (owned: typeof isPersonal) =>
  prepared((db) =>
    db
      .select({ id: albumPhotos.id, stamp: albumPhotos.updatedAt })
      .from(albumPhotos)
      .where(and(owned, gt(albumPhotos.updatedAt, p('after')), lte(albumPhotos.updatedAt, p('until'))))
      .orderBy(asc(albumPhotos.updatedAt), asc(albumPhotos.id))
      .limit(p('limit')),
  )
const personalChanges = changesOf(isPersonal)
const organizationsChanges = changesOf(isOrganizations)

/** The last changes in the range, oldest first. */
export function photoChanges(
  db: Db,
  owner: OwnerKey,
  { after, until }: SyncRange,
  limit: number,
): Promise<{ id: number; stamp: number }[]> {
  const changes = orgOf(owner) === 0 ? personalChanges : organizationsChanges
  return changes(db, { owner: Math.abs(owner), after, until, limit })
}

/** Those of the photos that belong to the owner and were last changed at `until` or before. */
export async function findPhotos(db: Db, owner: Owner, ids: readonly number[], until: number): Promise<PhotoRow[]> {
  const { userId, orgId } = owner
  const isTheirs = and(
    orgId === 0 ? eq(notByIndex(albumPhotos.userId), userId) : undefined,
    eq(notByIndex(albumPhotos.orgId), orgId),
  )
  return photosWithFiles(db).where(
    and(isOneOf(albumPhotos.id, ids), isTheirs, lte(notByIndex(albumPhotos.updatedAt), until)),
  )
}

const states = prepared((db) => {
  const { id, userId, orgId, version, updatedAt } = albumPhotos
  return db
    .select({ id, userId, orgId, version, updatedAt })
    .from(albumPhotos)
    .where(isInJson(id, p('ids')))
})

/** Photos of any owner. */
export const findStates = (db: Db | Tx, ids: readonly number[]) => states(db, { ids: JSON.stringify(ids) })

import { and, eq, gt, isNull, lte, ne, type SQL, sql } from 'drizzle-orm'

import { isInJson, notByIndex } from '#db/dialect.ts'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { categories, qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import type { Db, SQLiteColumn, Tx } from '#db/store.ts'
import type { SyncChange, SyncRange, SyncState } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'

import type { CategoryRow } from '../categories/categories.store.ts'
import { isLive, type QrCodeRow, shownCodes } from '../codes/codes.store.ts'
import type { ScanRow } from '../scans/scans.store.ts'

const p = sql.placeholder

const inRange = (stamp: SQLiteColumn): SQL | undefined => and(gt(stamp, p('after')), lte(stamp, p('until')))

// The literal 0 lets the planner use the partial indexes.
const personal = and(eq(qrCodes.userId, p('owner')), eq(qrCodes.orgId, 0).inlineParams())
const organizations = and(eq(qrCodes.orgId, p('owner')), ne(qrCodes.orgId, 0).inlineParams())

/** Each order is that of an index, so that nothing is sorted. PostgreSQL needs `deletedAt` in it although all values are null. */
const liveChanges = (owned: SQL | undefined) =>
  prepared((db) =>
    db
      .select({ id: qrCodes.id, stamp: qrCodes.updatedAt })
      .from(qrCodes)
      .where(and(owned, isLive, inRange(qrCodes.updatedAt)))
      .orderBy(qrCodes.deletedAt, qrCodes.updatedAt, qrCodes.createdAt, qrCodes.id)
      .limit(p('limit')),
  )
const trashChanges = (owned: SQL | undefined) =>
  prepared((db) =>
    db
      .select({ id: qrCodes.id, stamp: qrCodes.deletedAt })
      .from(qrCodes)
      .where(and(owned, inRange(qrCodes.deletedAt)))
      .orderBy(qrCodes.deletedAt, qrCodes.createdAt, qrCodes.id)
      .limit(p('limit')),
  )
const personalChanges = { live: liveChanges(personal), trash: trashChanges(personal) }
const organizationsChanges = { live: liveChanges(organizations), trash: trashChanges(organizations) }

/** If `limit` divides the codes of a stamp, those that were created first are in the result. */
export async function codeChanges(db: Db, owner: OwnerKey, range: SyncRange, limit: number): Promise<SyncChange[]> {
  const { live, trash } = owner < 0 ? personalChanges : organizationsChanges
  const given = { ...range, owner: Math.abs(owner), limit }
  const changes = [
    ...(await live(db, given)).map((row) => ({ ...row, isDeleted: false })),
    ...(await trash(db, given)).map((row) => ({ id: row.id, stamp: row.stamp!, isDeleted: true })),
  ]
  return changes.toSorted((a, b) => a.stamp - b.stamp || a.id - b.id).slice(0, limit)
}

const unchanged = (owned: SQL) =>
  prepared((db) =>
    shownCodes(db).where(
      and(
        isInJson(qrCodes.id, p('ids')),
        owned,
        isNull(notByIndex(qrCodes.deletedAt)),
        sql`${notByIndex(qrCodes.updatedAt)} <= ${p('until')}`,
      ),
    ),
  )
const unchangedPersonal = unchanged(
  sql`${notByIndex(qrCodes.userId)} = ${p('owner')} and ${notByIndex(qrCodes.orgId)} = 0`,
)
const unchangedOfOrganization = unchanged(sql`${notByIndex(qrCodes.orgId)} = ${p('owner')}`)

/** The owner's codes outside the trash among `ids` that have not changed since `until`. */
export function unchangedCodes(
  db: Db,
  { userId, orgId }: Owner,
  ids: readonly number[],
  until: number,
): Promise<QrCodeRow[]> {
  const given = { ids: JSON.stringify(ids), until }
  return orgId === 0
    ? unchangedPersonal(db, { ...given, owner: userId })
    : unchangedOfOrganization(db, { ...given, owner: orgId })
}

const statesOfCodes = prepared((db) => {
  const { id, userId, orgId, version, updatedAt, deletedAt } = qrCodes
  return db
    .select({ id, userId, orgId, version, updatedAt, deletedAt })
    .from(qrCodes)
    .where(isInJson(id, p('ids')))
})

export const codeStates = async (db: Db | Tx, ids: readonly number[]): Promise<SyncState[]> =>
  (await statesOfCodes(db, { ids: JSON.stringify(ids) })).map(codeState)

export const codeState = (
  row: Pick<QrCodeRow, 'id' | 'userId' | 'orgId' | 'version' | 'updatedAt' | 'deletedAt'>,
): SyncState => ({
  id: row.id,
  owner: ownerKey(row),
  version: row.version,
  updatedAt: row.deletedAt ?? row.updatedAt,
  isDeleted: row.deletedAt !== null,
})

/** Rows that only users have, and that are gone when they are deleted. Both tables have the columns that are read here. */
function personalRows<Row>(given: typeof categories | typeof scanRecords) {
  const table = given as typeof categories
  const isOwn = eq(table.userId, p('userId'))
  const changes = prepared((db) =>
    db
      .select({ id: table.id, stamp: table.updatedAt })
      .from(table)
      .where(and(isOwn, inRange(table.updatedAt)))
      .orderBy(table.updatedAt, table.id)
      .limit(p('limit')),
  )
  const unchangedRows = prepared((db) =>
    db
      .select()
      .from(given)
      .where(
        and(
          isInJson(table.id, p('ids')),
          sql`${notByIndex(table.userId)} = ${p('userId')}`,
          sql`${notByIndex(table.updatedAt)} <= ${p('until')}`,
        ),
      ),
  )
  const states = prepared((db) => {
    const { id, userId, version, updatedAt } = table
    return db
      .select({ id, userId, version, updatedAt })
      .from(table)
      .where(isInJson(id, p('ids')))
  })
  return {
    async changes(db: Db, owner: OwnerKey, range: SyncRange, limit: number): Promise<SyncChange[]> {
      const rows = await changes(db, { ...range, userId: -owner, limit })
      return rows.map((row) => ({ ...row, isDeleted: false }))
    },
    /** The user's rows among `ids` that have not changed since `until`. */
    async unchanged(db: Db, userId: number, ids: readonly number[], until: number): Promise<Row[]> {
      return (await unchangedRows(db, { ids: JSON.stringify(ids), userId, until })) as Row[]
    },
    async states(db: Db | Tx, ids: readonly number[]): Promise<SyncState[]> {
      return (await states(db, { ids: JSON.stringify(ids) })).map(personalState)
    },
  }
}

export const personalState = (
  row: Pick<CategoryRow | ScanRow, 'id' | 'userId' | 'version' | 'updatedAt'>,
): SyncState => ({
  id: row.id,
  owner: -row.userId,
  version: row.version,
  updatedAt: row.updatedAt,
  isDeleted: false,
})

export const categoryRows = personalRows<CategoryRow>(categories)
export const scanRows = personalRows<ScanRow>(scanRecords)

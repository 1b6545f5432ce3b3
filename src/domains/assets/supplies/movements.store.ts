import { and, asc, count, desc, eq, gte, inArray, lt, or, sql } from 'drizzle-orm'

import { isInJson } from '#db/dialect.ts'
import { insertFrom, jsonRows, wholeRows } from '#db/json-rows.ts'
import { pagedTable } from '#db/lists.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { supplies, supplyLoans, supplyMovements, supplyPlaces, supplyRequests } from '#db/schema/supplies.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, SQL, Tx } from '#db/store.ts'

import { personKey } from './supplies.rules.ts'

const p = sql.placeholder

export type MovementRow = typeof supplyMovements.$inferSelect
export type NewMovement = Omit<MovementRow, 'id' | 'createdAt'>
export type PlaceRow = typeof supplyPlaces.$inferSelect
export type LoanRow = typeof supplyLoans.$inferSelect

const listed = pagedTable(supplyMovements, ['id', 'owner', 'supplyId'])
const select = (db: Pick<Db, 'select'>) => db.select().from(supplyMovements).$dynamic()
const ofOwner = listed.list({
  owner: ['owner'],
  total: 'supply_movements.owner',
  orders: { id: ['id'] },
  sort: '-id',
  select,
})
const ofSupply = listed.list({
  owner: ['supplyId'],
  total: 'supply_movements.supply',
  orders: { id: ['id'] },
  sort: '-id',
  select,
})

/** All movements of the owner, newest first. */
export const movementsPage = (db: Db, owner: OwnerKey, page: PageInput): Promise<Page<MovementRow>> =>
  ofOwner.page(db, { owner }, page)

/** The movements of a supply, newest first. The caller has checked that it is one of the owner's. */
export const movementsOfSupply = (db: Db, supplyId: number, page: PageInput): Promise<Page<MovementRow>> =>
  ofSupply.page(db, { supplyId }, page)

export interface MovementFilters {
  readonly supplyId?: number | undefined
  readonly type?: MovementRow['type'] | undefined
  readonly userId?: number | undefined
  readonly locationIds?: readonly number[] | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

function movementsWhere(owner: OwnerKey, given: MovementFilters): SQL {
  const { supplyId, type, userId, locationIds, from, to } = given
  const { locationId, toLocationId, createdAt } = supplyMovements
  return and(
    eq(supplyMovements.owner, owner),
    supplyId === undefined ? undefined : eq(supplyMovements.supplyId, supplyId),
    type === undefined ? undefined : eq(supplyMovements.type, type),
    userId === undefined ? undefined : eq(supplyMovements.userId, userId),
    locationIds && or(inArray(locationId, [...locationIds]), inArray(toLocationId, [...locationIds])),
    from === undefined ? undefined : gte(createdAt, from),
    to === undefined ? undefined : lt(createdAt, to),
  )!
}

export const filteredMovements = (
  db: Db,
  owner: OwnerKey,
  given: MovementFilters,
  page: PageInput,
): Promise<Page<MovementRow>> =>
  pageOf(db, supplyMovements, {
    where: movementsWhere(owner, given),
    // A period is one range of an index; movements of one moment are in the order of their ids.
    orderBy: [
      ...(given.from === undefined && given.to === undefined ? [] : [desc(supplyMovements.createdAt)]),
      desc(supplyMovements.id),
    ],
    page,
  })

/** At most `limit` of them with ids below `before`, newest first. */
export const movementsBefore = (
  db: Db,
  owner: OwnerKey,
  given: MovementFilters,
  before: number,
  limit: number,
): Promise<MovementRow[]> =>
  db
    .select()
    .from(supplyMovements)
    .where(and(movementsWhere(owner, given), lt(supplyMovements.id, before)))
    .orderBy(desc(supplyMovements.id))
    .limit(limit)

export async function hasMovements(db: Db | Tx, supplyId: number): Promise<boolean> {
  const rows = await db
    .select({ id: supplyMovements.id })
    .from(supplyMovements)
    .where(eq(supplyMovements.supplyId, supplyId))
    .limit(1)
  return rows.length > 0
}

export async function findMovement(db: Db | Tx, owner: OwnerKey, id: number): Promise<MovementRow | undefined> {
  const rows = await db
    .select()
    .from(supplyMovements)
    .where(and(eq(supplyMovements.id, id), eq(supplyMovements.owner, owner)))
  return rows[0]
}

/** Of one owner, in the order of the ids. */
export async function movementsByIds(db: Db | Tx, owner: OwnerKey, ids: readonly number[]): Promise<MovementRow[]> {
  if (ids.length === 0) return []
  const rows = await db
    .select()
    .from(supplyMovements)
    .where(and(inArray(supplyMovements.id, [...ids]), eq(supplyMovements.owner, owner)))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The organization of a movement: 0 for a personal one, undefined for an unknown id. */
export async function organizationOfMovement(db: Db, id: number): Promise<number | undefined> {
  const [row] = await db
    .select({ owner: supplyMovements.owner })
    .from(supplyMovements)
    .where(eq(supplyMovements.id, id))
  return row && orgOf(row.owner)
}

/** The reversals of these movements, by the ids of the movements. */
export async function reversalsOf(db: Db | Tx, ids: readonly number[]): Promise<Map<number, MovementRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select()
    .from(supplyMovements)
    .where(inArray(supplyMovements.reverses, [...ids]))
  return new Map(rows.map((row) => [row.reverses!, row]))
}

const newRows = wholeRows('given', supplyMovements, ['id'])
const insertAll = prepared((db) => insertFrom(db, supplyMovements, newRows).returning({ id: supplyMovements.id }))

/** Returns the rows in the same order, which is that of their ids. */
export async function insertMovements(tx: Tx, given: readonly NewMovement[]): Promise<MovementRow[]> {
  const values = given.map((row) => ({ ...row, createdAt: tx.stamp }))
  const inserted = await insertAll(tx, newRows.values(values))
  const ids = inserted.map(({ id }) => id).toSorted((a, b) => a - b)
  const rows = values.map((row, i) => ({ ...row, id: ids[i]! }))
  for (const row of rows) listed.inserted(tx, row)
  return rows
}

// Numbers.

export const placesOf = (db: Db | Tx, supplyIds: readonly number[]): Promise<PlaceRow[]> =>
  supplyIds.length === 0 ? Promise.resolve([]) : ofSupplies(db, { ids: JSON.stringify(supplyIds) })
const ofSupplies = prepared((db) =>
  db
    .select()
    .from(supplyPlaces)
    .where(isInJson(supplyPlaces.supplyId, p('ids')))
    .orderBy(asc(supplyPlaces.supplyId), asc(supplyPlaces.locationId)),
)

/** The loans of these people, by `<supply> <key of the person>`. */
export async function loansOf(
  tx: Tx,
  keys: readonly { readonly supplyId: number; readonly userId: number; readonly nameKey: string }[],
): Promise<Map<string, LoanRow>> {
  const found = new Map<string, LoanRow>()
  for (const { supplyId, userId, nameKey } of keys) {
    const [row] = await oneLoan(tx, { supplyId, userId, nameKey })
    if (row !== undefined) found.set(loanKey(row), row)
  }
  return found
}
const oneLoan = prepared((db) =>
  db
    .select()
    .from(supplyLoans)
    .where(
      and(
        eq(supplyLoans.supplyId, p('supplyId')),
        eq(supplyLoans.userId, p('userId')),
        eq(supplyLoans.nameKey, p('nameKey')),
      ),
    ),
)
export const loanKey = ({ supplyId, userId, nameKey }: Pick<LoanRow, 'supplyId' | 'userId' | 'nameKey'>): string =>
  `${supplyId} ${userId === 0 ? personKey(null, nameKey) : personKey(userId, '')}`

const places = jsonRows('given', { supplyId: 'int', locationId: 'int', quantity: 'int' })
const setSome = prepared((db) =>
  insertFrom(db, supplyPlaces, places).onConflictDoUpdate({
    target: [supplyPlaces.supplyId, supplyPlaces.locationId],
    set: { quantity: sql`excluded.quantity` },
  }),
)
const deletePlace = prepared((db) =>
  db
    .delete(supplyPlaces)
    .where(and(eq(supplyPlaces.supplyId, p('supplyId')), eq(supplyPlaces.locationId, p('locationId')))),
)

/** Sets how many are at these places. */
export async function setPlaces(tx: Tx, given: readonly PlaceRow[]): Promise<void> {
  for (const { supplyId, locationId, quantity } of given)
    if (quantity === 0) await deletePlace(tx, { supplyId, locationId })
  const present = given.filter(({ quantity }) => quantity > 0)
  if (present.length > 0) await setSome(tx, places.values(present))
}

export async function setLoan(tx: Tx, loan: LoanRow): Promise<void> {
  const { supplyId, userId, nameKey, quantity, dueAt, givenDueAt } = loan
  if (quantity === 0) {
    await tx
      .delete(supplyLoans)
      .where(and(eq(supplyLoans.supplyId, supplyId), eq(supplyLoans.userId, userId), eq(supplyLoans.nameKey, nameKey)))
    return
  }
  await tx
    .insert(supplyLoans)
    .values(loan)
    .onConflictDoUpdate({
      target: [supplyLoans.supplyId, supplyLoans.userId, supplyLoans.nameKey],
      set: { quantity, dueAt, givenDueAt },
    })
}

/** The loans of a supply, those of people without an account first. */
export function loansPage(
  db: Db,
  supplyId: number,
  userId: number | undefined,
  page: PageInput,
): Promise<Page<LoanRow>> {
  const where = and(
    eq(supplyLoans.supplyId, supplyId),
    userId === undefined ? undefined : eq(supplyLoans.userId, userId),
  )
  return pageOfQuery(
    page,
    db.select().from(supplyLoans).where(where).orderBy(asc(supplyLoans.userId), asc(supplyLoans.nameKey)),
    db.select({ n: count() }).from(supplyLoans).where(where),
  )
}

// Repetitions.

const requestsOf = prepared((db) =>
  db
    .select()
    .from(supplyRequests)
    .where(and(eq(supplyRequests.userId, p('userId')), eq(supplyRequests.requestId, p('requestId')))),
)
/** The ids of the movements that this request made; undefined for a new one. */
export const findRequest = async (db: Db | Tx, userId: number, requestId: string): Promise<number[] | undefined> =>
  (await requestsOf(db, { userId, requestId }))[0]?.movementIds

export async function insertRequest(tx: Tx, userId: number, requestId: string, movementIds: number[]): Promise<void> {
  await tx.insert(supplyRequests).values({ userId, requestId, movementIds, createdAt: tx.stamp })
}

export const deleteRequestsBefore = (tx: Tx, time: number, limit: number): Promise<number> =>
  deleteSome(tx, supplyRequests, lt(supplyRequests.createdAt, time), limit)

// Rows of accounts and organizations that ended.

/** Removes the names of a user whose account ended from at most `limit` movements. Returns their number. */
export async function forgetNames(tx: Tx, userId: number, limit: number): Promise<number> {
  const { id, personName, operatorName } = supplyMovements
  const forget = async (name: 'personName' | 'operatorName', where: SQL | undefined, most: number): Promise<number> => {
    if (most === 0) return 0
    const rows = await tx.select({ id }).from(supplyMovements).where(where).limit(most)
    const ids = rows.map((row) => row.id)
    if (ids.length > 0)
      await tx
        .update(supplyMovements)
        .set({ [name]: '' })
        .where(inArray(id, ids))
        .returning({ id })
    return ids.length
  }
  const ofPerson = and(eq(supplyMovements.userId, userId), sql`${personName} <> ''`)
  const named = await forget('personName', ofPerson, limit)
  const ofOperator = and(eq(supplyMovements.operatorId, userId), sql`${operatorName} <> ''`)
  return named + (await forget('operatorName', ofOperator, limit - named))
}

/** Deletes at most `limit` movements of an owner that was deleted. Returns their number. */
export async function purgeMovements(tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  const some = await tx
    .select({ id: supplyMovements.id })
    .from(supplyMovements)
    .where(eq(supplyMovements.owner, owner))
    .limit(limit)
  const ids = some.map((row) => row.id)
  if (ids.length === 0) return 0
  const { id, supplyId } = supplyMovements
  const rows = await tx
    .delete(supplyMovements)
    .where(inArray(id, ids))
    .returning({ id, supplyId, owner: supplyMovements.owner })
  for (const row of rows) listed.deleted(tx, row)
  return ids.length
}

/** The names and units of supplies, also of deleted ones. */
export async function supplyNames(
  db: Db | Tx,
  ids: readonly number[],
): Promise<Map<number, { readonly name: string; readonly supplyNo: string; readonly unit: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: supplies.id, name: supplies.name, supplyNo: supplies.supplyNo, unit: supplies.unit })
    .from(supplies)
    .where(inArray(supplies.id, [...new Set(ids)]))
  return new Map(rows.map((row) => [row.id, row]))
}

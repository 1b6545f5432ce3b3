import { and, eq, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { descending, isOneOf } from '#db/dialect.ts'
import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { holdPlaces } from '#db/list-totals.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { type BlankKind, type BlankStatus, qrBatches, qrBlanks } from '#db/schema/qr-blanks.ts'
import type { Db, Tx } from '#db/store.ts'

import { listOf } from '../codes/codes.store.ts'
import type { BlanksQuery } from './blanks.model.ts'

export type BatchRow = typeof qrBatches.$inferSelect
export type BlankRow = typeof qrBlanks.$inferSelect

const p = sql.placeholder

const batchById = prepared((db) =>
  db
    .select()
    .from(qrBatches)
    .where(and(eq(qrBatches.id, p('id')), eq(qrBatches.owner, p('owner')))),
)

export const findBatch = async (db: Db | Tx, owner: OwnerKey, id: number): Promise<BatchRow | undefined> =>
  (await batchById(db, { owner, id }))[0]

/** 0 for a personal batch, undefined for an unknown id. */
export async function organizationOfBatch(db: Db, id: number): Promise<number | undefined> {
  const [row] = await db.select({ owner: qrBatches.owner }).from(qrBatches).where(eq(qrBatches.id, id))
  return row && orgOf(row.owner)
}

export async function batchOfRequest(db: Db | Tx, owner: OwnerKey, requestId: string): Promise<BatchRow | undefined> {
  const isIts = and(eq(qrBatches.owner, owner), eq(qrBatches.requestId, requestId), isNotNull(qrBatches.requestId))
  return (await db.select().from(qrBatches).where(isIts))[0]
}

/** Newest first. */
export const batchesPage = (db: Db, owner: OwnerKey, page: PageInput): Promise<Page<BatchRow>> =>
  pageOf(db, qrBatches, { where: eq(qrBatches.owner, owner), orderBy: [descending(qrBatches.id)], page })

async function hold(tx: Tx, key: OwnerKey, by: number): Promise<void> {
  const [list, owner] = listOf(key)
  await holdPlaces(tx, list, owner, by)
}

type NewBatch = Pick<BatchRow, 'owner' | 'userId' | 'name' | 'prefix' | 'digits' | 'designId' | 'requestId'>

/** The numbers of the new batch follow those of the last one with its prefix. */
export async function insertBatch(tx: Tx, values: NewBatch, labels: number): Promise<BatchRow> {
  const isSame = and(eq(qrBatches.owner, values.owner), eq(qrBatches.prefix, values.prefix))
  const [before] = await tx
    .select({ last: sql<number>`coalesce(max(${qrBatches.last}), 0)`.mapWith(Number) })
    .from(qrBatches)
    .where(isSame)
  const first = before!.last + 1
  const [row] = await tx
    .insert(qrBatches)
    .values({ ...values, first, last: first + labels - 1, createdAt: tx.stamp })
    // On PostgreSQL, a write that meets a batch which it did not see runs again.
    .onConflictDoNothing()
    .returning()
  await hold(tx, values.owner, labels)
  return row!
}

const given = jsonRows('given', { slug: 'text', nth: 'int', number: 'text', batchId: 'int', owner: 'int' })
const insertGiven = prepared((db) =>
  insertFrom(db, qrBlanks, {
    rows: given.rows,
    slug: given.slug,
    nth: given.nth,
    number: given.number,
    batchId: given.batchId,
    owner: given.owner,
  })
    .onConflictDoNothing()
    .returning({ nth: qrBlanks.nth }),
)

/** Returns how many were inserted: labels whose number exists already are left out. */
export async function insertBlanks(
  tx: Tx,
  rows: readonly Pick<BlankRow, 'slug' | 'nth' | 'number' | 'batchId' | 'owner'>[],
): Promise<number> {
  return (await insertGiven(tx, given.values(rows))).length
}

const blankBySlug = prepared((db) =>
  db
    .select()
    .from(qrBlanks)
    .where(eq(qrBlanks.slug, p('slug'))),
)

/** A label of any owner. `slug` in lower case. */
export const findBlank = async (db: Db | Tx, slug: string): Promise<BlankRow | undefined> =>
  (await blankBySlug(db, { slug }))[0]

/** Newest batches first, in the order of numbers. */
export const blanksPage = (db: Db, owner: OwnerKey, query: BlanksQuery): Promise<Page<BlankRow>> =>
  pageOf(db, qrBlanks, {
    where: and(
      eq(qrBlanks.owner, owner),
      query.batchId === undefined ? undefined : eq(qrBlanks.batchId, query.batchId),
      query.status === undefined ? undefined : eq(qrBlanks.status, query.status),
      query.kind === undefined ? undefined : eq(qrBlanks.kind, query.kind),
      query.targetId === undefined ? undefined : eq(qrBlanks.targetId, query.targetId),
      query.keyword ? or(contains(qrBlanks.number, query.keyword), contains(qrBlanks.slug, query.keyword)) : undefined,
    ),
    orderBy: [descending(qrBlanks.batchId), sql`${qrBlanks.nth}`],
    page: query,
  })

/** All labels of an owner, whatever their status is. */
export async function countBlanks(db: Db, owner: OwnerKey): Promise<number> {
  const n = sql<number>`coalesce(sum(${qrBatches.last} - ${qrBatches.first} + 1), 0)`.mapWith(Number)
  return (await db.select({ n }).from(qrBatches).where(eq(qrBatches.owner, owner)))[0]!.n
}

/** Labels of a batch whose place in it is after `nth`, in order. */
export const blanksAfter = (db: Db, { owner, id }: BatchRow, nth: number, limit: number): Promise<BlankRow[]> =>
  db
    .select()
    .from(qrBlanks)
    .where(and(eq(qrBlanks.owner, owner), eq(qrBlanks.batchId, id), sql`${qrBlanks.nth} > ${nth}`))
    .orderBy(qrBlanks.nth)
    .limit(limit)

const EMPTY = { kind: null, targetId: null, boundBy: null, boundAt: null }
export type Binding = Pick<BlankRow, 'kind' | 'targetId' | 'boundBy' | 'boundAt'>

/**
 * Changes the status of a label that has the status `from`, and what follows from it: the figures of its batch, and the places in the quota.
 * Returns undefined, with nothing changed, if the label has another status by now.
 */
export async function changeStatus(
  tx: Tx,
  row: BlankRow,
  status: BlankStatus,
  binding: Binding = EMPTY,
): Promise<BlankRow | undefined> {
  const isIt = and(eq(qrBlanks.slug, row.slug), eq(qrBlanks.status, row.status))
  const [after] = await tx
    .update(qrBlanks)
    .set({ status, ...binding })
    .where(isIt)
    .returning()
  if (after !== undefined) await addToFigures(tx, [{ ...row, to: status }])
  return after
}

/** Names the thing of a label that this write has bound. */
export async function setTarget(tx: Tx, { slug }: BlankRow, targetId: number): Promise<BlankRow> {
  const [row] = await tx.update(qrBlanks).set({ targetId }).where(eq(qrBlanks.slug, slug)).returning()
  return row!
}

type Changed = Pick<BlankRow, 'batchId' | 'owner' | 'status'> & { readonly to: BlankStatus }

/** Notes labels that had `status` and have the status `to` now. */
async function addToFigures(tx: Tx, changes: readonly Changed[]): Promise<void> {
  const batches = new Map<number, { owner: OwnerKey; bound: number; voided: number }>()
  for (const { batchId, owner, status, to } of changes) {
    const figures = batches.get(batchId) ?? { owner, bound: 0, voided: 0 }
    figures.bound += Number(to === 'BOUND') - Number(status === 'BOUND')
    figures.voided += Number(to === 'VOID') - Number(status === 'VOID')
    batches.set(batchId, figures)
  }
  for (const [id, { owner, bound, voided }] of batches) {
    await tx
      .update(qrBatches)
      .set({ bound: sql`${qrBatches.bound} + ${bound}`, voided: sql`${qrBatches.voided} + ${voided}` })
      .where(eq(qrBatches.id, id))
    await hold(tx, owner, -bound - voided)
  }
}

/** Frees the labels of things that are deleted. Returns them. */
export async function freeBlanksOf(tx: Tx, kind: BlankKind, targetIds: readonly number[]): Promise<BlankRow[]> {
  const rows = await tx
    .update(qrBlanks)
    .set({ status: 'FREE', ...EMPTY })
    .where(and(eq(qrBlanks.kind, kind), isOneOf(qrBlanks.targetId, targetIds), isNotNull(qrBlanks.targetId)))
    .returning()
  await addToFigures(
    tx,
    rows.map((row) => ({ ...row, status: 'BOUND', to: 'FREE' })),
  )
  return rows
}

/** Voids at most `limit` labels of an owner who is gone: those that lead nowhere. Returns their number. */
export async function voidBlanks(tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  const leadsNowhere: SQL | undefined = and(
    eq(qrBlanks.owner, owner),
    or(eq(qrBlanks.status, 'FREE'), eq(qrBlanks.kind, 'LOCATION')),
  )
  const rows = await tx.select().from(qrBlanks).where(leadsNowhere).limit(limit)
  if (rows.length === 0) return 0
  await tx
    .update(qrBlanks)
    .set({ status: 'VOID', ...EMPTY })
    .where(
      inArray(
        qrBlanks.slug,
        rows.map(({ slug }) => slug),
      ),
    )
  await addToFigures(
    tx,
    rows.map((row) => ({ ...row, to: 'VOID' })),
  )
  return rows.length
}

const counted = jsonRows('counted', { slug: 'text', scans: 'int' })
const addScans = prepared((db) =>
  db
    .update(qrBlanks)
    .set({ scanCount: sql`${qrBlanks.scanCount} + ${counted.scans}` })
    .from(counted.rows)
    .where(eq(qrBlanks.slug, counted.slug)),
)

/** Adds scans by slug. Others than those of labels are ignored. */
export async function addToScanCounts(tx: Tx, scans: readonly (readonly [slug: string, count: number])[]) {
  await addScans(tx, counted.values(scans.map(([slug, n]) => ({ slug, scans: n }))))
}

/** Writes the rows of an import of supplies, and undoes it. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { SupplyImportUndo } from '#db/schema/supplies.ts'
import { inSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { can, partyOf } from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { importPlaces, rowsHaveErrors } from '#http/imports.ts'
import { noPermission } from '#http/permissions.ts'
import { MAX_WAIT_MS } from '#http/places.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { isPoolReserved } from '../bookings.store.ts'
import { type Created, NEW, removeCreated } from '../importing/creating.service.ts'
import { tooLateToUndo } from '../importing/importing.errors.ts'
import type { Names } from '../importing/names.service.ts'
import { Chains } from '../importing/snapshots.service.ts'
import { numberKey } from '../numbers.rules.ts'
import { knownCategories, userNames } from '../register/register.store.ts'
import { bookItems, reverseAll } from '../supplies/booking.service.ts'
import { movementsByIds, reversalsOf } from '../supplies/movements.store.ts'
import { suppliesByNumbers } from '../supplies/numbers.store.ts'
import { EMPTY, type SupplyChange } from '../supplies/supplies.rules.ts'
import { changeSupplies, insertSupplies, removeSupplies } from '../supplies/supplies.service.ts'
import { lockSupplies, suppliesByIds, type SupplyRow } from '../supplies/supplies.store.ts'
import type { PreparedRow, RowReader } from './reading.service.ts'
import type { SupplyImportRun } from './supply-imports.model.ts'
import * as store from './supply-imports.store.ts'

const UNDO_MS = DAY
const HISTORY_MS = 90 * DAY
const MAX_WRITE_MS = 5 * MINUTE
const MAX_FILE_NAME = 200
/** Rows whose supplies are written together. */
const ROWS_PER_WRITE = 200
/** Supplies that an answer names. */
const MAX_KEPT = 1000
const NOTE = { en: 'Import', undo: 'Undo of the import' }

interface Given {
  /** In groups. */
  readonly items: AsyncIterable<readonly PreparedRow[]> | Iterable<readonly PreparedRow[]>
  /** The numbers in the file, as they are compared: none of them is generated for a row without one. */
  readonly numbers: ReadonlySet<string>
  /** Of new supplies whose row names none. */
  readonly unit: string
  readonly fileName: string
  readonly counts: { readonly created: number; readonly updated: number; readonly unchanged: number }
  /** The categories and locations that it has created. */
  readonly made: Created
  /** Learns how many rows have been written. */
  report(rows: number): void
}

/** A supply as it was before an import. */
interface Snapshot {
  readonly id: number
  /** After the import. */
  version: number
  /** Before the import; absent for a supply that it created. */
  readonly versionBefore?: number
  /** The former values of the columns that changed; null for a supply that the import created. */
  before: SupplyChange | null
  readonly movementIds: number[]
}

/** A supply that an undo gave its former state back: version and last movement before the import, and those that stand for them now. */
interface Returned {
  readonly id: number
  readonly version: readonly [before: number, now: number]
  readonly movement: readonly [before: number, now: number]
}

/** A part of the former values of an import, which is kept sealed for its undo. */
interface Part {
  readonly owner: number
  readonly snapshots: readonly Snapshot[]
  /** After the undo, in place of all else. */
  readonly returned?: readonly Returned[]
  /** In the last part. */
  readonly made?: Created
}

/** Returns the id of the import. @throws AppError 400 if rows have become wrong since they were checked */
export async function writeRows(ctx: AppContext, tx: Tx, owner: Owner, given: Given): Promise<number> {
  const names = await userNames(tx, owner.orgId, [owner.userId])
  const importId = await store.insertRun(tx, {
    owner: ownerKey(owner),
    userId: owner.userId,
    userName: names.get(owner.userId) ?? '',
    fileName: given.fileName.toWellFormed().slice(0, MAX_FILE_NAME),
    ...given.counts,
  })
  const snapshots = new Map<number, Snapshot>()
  const created = new Map<number, SupplyRow>()
  let waiting: PreparedRow[] = []
  let written = 0
  const { unit, numbers } = given
  const flush = async (): Promise<void> => {
    await writeSome(ctx, tx, owner, { items: waiting, unit, numbers, created, snapshots })
    given.report((written += waiting.length))
    waiting = []
    await tx.pause()
  }
  for await (const items of given.items) {
    waiting.push(...items)
    if (waiting.length >= ROWS_PER_WRITE) await flush()
  }
  await flush()
  const all = [...snapshots.values()]
  for (let at = 0; at < all.length; at += ROWS_PER_WRITE) {
    const part: Part = { owner: ownerKey(owner), snapshots: all.slice(at, at + ROWS_PER_WRITE) }
    const isLast = at + ROWS_PER_WRITE >= all.length
    const rows = ctx.seal.seal(JSON.stringify(isLast ? { ...part, made: given.made } : part))
    await store.insertSnapshot(tx, { importId, part: at / ROWS_PER_WRITE + 1, owner: part.owner, rows })
  }
  return importId
}

/** Prepares the rows of a file in the write. @throws AppError 400 if rows have become wrong since they were checked */
export async function* preparedRows(reader: RowReader, groups: AsyncGenerator<SheetRow[]>) {
  for await (const rows of groups) {
    const { items, problems } = await reader.prepare(rows)
    if (problems.length > 0)
      throw rowsHaveErrors(
        problems.length,
        problems.map(({ row, key, text }): FieldProblem => ({ path: `rows.${row}.${key ?? ''}`, text })),
      )
    yield items
  }
}

/** Rows that were prepared before the write, in groups, with the ids of categories and locations that the import has created since. */
export function* placedRows(rows: readonly PreparedRow[], { categories, locations }: Names) {
  const idOf = (paths: Names['categories'], path: string, current: number | null) => {
    const id = paths.find(path, current)
    return typeof id === 'number' ? id : NEW
  }
  for (let at = 0; at < rows.length; at += ROWS_PER_WRITE)
    yield rows.slice(at, at + ROWS_PER_WRITE).map((item): PreparedRow => {
      const { newCategory, newLocation, change, count, existing } = item
      return {
        ...item,
        change:
          newCategory === undefined
            ? change
            : { ...change, categoryId: idOf(categories, newCategory, existing?.categoryId ?? null) },
        count:
          newLocation === undefined || count === undefined
            ? count
            : { ...count, locationId: idOf(locations, newLocation, null) },
      }
    })
}

interface Rows extends Pick<Given, 'unit' | 'numbers'> {
  readonly items: readonly PreparedRow[]
  /** The supplies that rows above have created, by the rows. */
  readonly created: Map<number, SupplyRow>
  readonly snapshots: Map<number, Snapshot>
}

async function writeSome(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { items, unit, numbers, created, snapshots }: Rows,
): Promise<void> {
  const added = items.filter(({ action }) => action === 'CREATE')
  const rows = await insertSupplies(
    ctx,
    tx,
    owner,
    added.map(({ row, change }) => ({
      fields: { ...EMPTY, name: '', unit, ...change },
      path: `rows.${row.number}`,
    })),
    numbers,
  )
  for (const [i, supply] of rows.entries()) {
    created.set(added[i]!.row.number, supply)
    snapshots.set(supply.id, { id: supply.id, version: supply.version, before: null, movementIds: [] })
  }
  const known = items.filter(({ action, existing }) => action === 'UPDATE' && existing !== undefined)
  const locked = new Map(
    (
      await lockSupplies(
        tx,
        ownerKey(owner),
        known.map(({ existing }) => existing!.id),
      )
    ).map((supply) => [supply.id, supply]),
  )
  // A row that only adds a place changes nothing else.
  const changed = known
    .filter(({ first }) => first === undefined)
    .map(({ row, existing, change }) => ({ before: locked.get(existing!.id)!, change, path: `rows.${row.number}` }))
  const changedRows = await changeSupplies(ctx, tx, owner, changed)
  for (const [i, { before, change }] of changed.entries()) {
    const after = changedRows[i]!
    locked.set(after.id, after)
    const former = Object.fromEntries(Object.keys(change).map((name) => [name, before[name as keyof SupplyRow]]))
    const kept = { id: after.id, version: after.version, versionBefore: before.version, before: former }
    snapshots.set(after.id, { ...kept, movementIds: [] })
  }
  // A row above, of which only the place is named here, can have changed nothing.
  for (const { id, version } of locked.values())
    if (!snapshots.has(id)) snapshots.set(id, { id, version, versionBefore: version, before: {}, movementIds: [] })
  const counts = items.flatMap(({ row, count, existing, first }) => {
    const supply = existing === undefined ? created.get(first ?? row.number) : locked.get(existing.id)
    return count === undefined || supply === undefined ? [] : [{ supply, count, path: `rows.${row.number}` }]
  })
  const fresh = counts.map(({ supply, count, path }) => ({
    item: { supplyId: supply.id, type: 'COUNT' as const, ...count, note: NOTE.en },
    path,
    isExact: true as const,
  }))
  const supplies = await currentRows(
    tx,
    owner,
    [...rows, ...locked.values()],
    counts.map(({ supply }) => supply.id),
  )
  for (const { id, supplyId } of await bookItems(ctx, tx, owner, supplies, fresh))
    snapshots.get(supplyId)!.movementIds.push(id)
}

/** The rows of supplies in the order of their ids. Those in `known` are as they are now. */
async function currentRows(
  tx: Tx,
  owner: Owner,
  known: readonly SupplyRow[],
  ids: readonly number[],
): Promise<SupplyRow[]> {
  const byId = new Map(known.map((row) => [row.id, row]))
  const others = ids.filter((id) => !byId.has(id))
  const rows = others.length === 0 ? [] : await lockSupplies(tx, ownerKey(owner), others)
  for (const row of rows) byId.set(row.id, row)
  return [...new Set(ids)].toSorted((a, b) => a - b).flatMap((id) => byId.get(id) ?? [])
}

// Undo.

export async function organizationOfImport(db: Db, id: number): Promise<number | undefined> {
  const owner = await store.ownerOfRun(db, id)
  return owner === undefined ? undefined : orgOf(owner)
}

export async function listImports(
  ctx: AppContext,
  owner: Owner,
  page: { page: number; size: number },
): Promise<Page<SupplyImportRun>> {
  const now = ctx.clock.now()
  const rows = await store.runsPage(ctx.db.read, ownerKey(owner), now - HISTORY_MS, page)
  return mapPage(rows, (run) => ({
    id: run.id,
    fileName: run.fileName,
    userId: run.userId,
    userName: run.userName,
    createdAt: run.createdAt,
    created: run.created,
    updated: run.updated,
    unchanged: run.unchanged,
    undoableUntil: isUndoable(run, now) ? run.createdAt + UNDO_MS : null,
    undoneAt: run.undoneAt,
  }))
}

const isUndoable = (run: store.RunRow, now: number): boolean =>
  run.undo === null && run.created + run.updated > 0 && now < run.createdAt + UNDO_MS

/** @throws AppError 400 after a day, 403, 404 */
export async function undoImport(
  ctx: AppContext,
  owner: Owner,
  id: number,
  { dryRun = false }: { readonly dryRun?: boolean },
  caller: Caller,
): Promise<SupplyImportUndo> {
  const run = await store.findRun(ctx.db.read, ownerKey(owner), id)
  if (run === undefined) throw notFound()
  const may = (point: 'asset:update' | 'asset:delete') =>
    can(ctx, owner.userId, owner.orgId === 0 ? 'APP' : 'ORG', owner.orgId, point)
  if (!(await may('asset:update'))) throw noPermission
  if (run.userId !== owner.userId && !(await may('asset:delete'))) throw noPermission
  const party = await partyOf(ctx, owner.userId, caller)
  const work = await importPlaces(ctx).openShared('imports', party, run.created + run.updated)
  try {
    return await work.run(async () => {
      if (dryRun) return undo(ctx, ctx.db.read, owner, id)
      return ctx.db.write('supplies.undoImport', (tx) => undo(ctx, tx, owner, id), { maxMs: MAX_WRITE_MS })
    }, MAX_WAIT_MS)
  } finally {
    await work.close()
  }
}

/** Writes only with a `Tx`. */
async function undo(ctx: AppContext, db: Db | Tx, owner: Owner, id: number): Promise<SupplyImportUndo> {
  const key = ownerKey(owner)
  const run = await store.findRun(db, key, id)
  if (run === undefined) throw notFound()
  if (run.undo !== null) return run.undo
  if (!isUndoable(run, ctx.clock.now())) throw tooLateToUndo()
  const answer = { restored: 0, deleted: 0, kept: [] as SupplyImportUndo['kept'][number][], keptCount: 0 }
  const tx = isTx(db) ? db : undefined
  let made: Created | undefined
  const returned: Returned[] = []
  const replaced = await replacedSince(ctx, db, key, run)
  for await (const { snapshots, ...part } of partsOf(ctx, db, key, id)) {
    made = part.made ?? made
    const ids = snapshots.map((snapshot) => snapshot.id)
    const rows = tx === undefined ? await suppliesByIds(db, key, ids) : await lockSupplies(tx, key, ids)
    const byId = new Map(rows.map((row) => [row.id, row]))
    const lasts = await store.lastMovements(db, ids)
    const undone: Undone[] = []
    for (const snapshot of snapshots) {
      const row = byId.get(snapshot.id)
      const reason = await reasonToKeep(db, row, snapshot, { ...replaced, lasts }, ctx.clock.now())
      if (reason !== undefined || row === undefined) {
        answer.keptCount += 1
        if (answer.kept.length < MAX_KEPT)
          answer.kept.push({ supplyId: snapshot.id, supplyNo: row?.supplyNo ?? '', reason: reason ?? 'DELETED' })
        continue
      }
      answer[snapshot.before === null ? 'deleted' : 'restored'] += 1
      undone.push({ row, snapshot })
    }
    if (tx !== undefined) returned.push(...(await undoSome(ctx, tx, owner, undone)))
    await tx?.pause()
  }
  if (tx !== undefined && made !== undefined) await removeCreated(ctx, tx, owner, made)
  if (tx !== undefined) {
    await store.markUndone(tx, id, answer)
    for (let at = 0; at < returned.length; at += ROWS_PER_WRITE) {
      const part: Part = { owner: key, snapshots: [], returned: returned.slice(at, at + ROWS_PER_WRITE) }
      const rows = ctx.seal.seal(JSON.stringify(part))
      await store.insertSnapshot(tx, { importId: id, part: at / ROWS_PER_WRITE + 1, owner: key, rows })
    }
  }
  return answer
}

interface Replaced {
  readonly versions: Chains
  readonly movements: Chains
}

/** The versions and movements that replaced those of this import when later imports were undone. */
async function replacedSince(ctx: AppContext, db: Db | Tx, owner: OwnerKey, run: store.RunRow): Promise<Replaced> {
  const [versions, movements] = [new Chains(), new Chains()]
  for (const id of await store.laterUndone(db, owner, run))
    for await (const { returned = [] } of partsOf(ctx, db, owner, id))
      for (const one of returned) {
        versions.add(one.id, ...one.version)
        movements.add(one.id, ...one.movement)
      }
  return { versions, movements }
}

const isTx = (db: Db | Tx): db is Tx => db.kind === 'write'

/** Supplies that were changed or moved since stay as they are. */
async function reasonToKeep(
  db: Db | Tx,
  row: SupplyRow | undefined,
  { version, before, movementIds }: Snapshot,
  { versions, movements, lasts }: Replaced & { readonly lasts: ReadonlyMap<number, number> },
  now: number,
) {
  if (row === undefined) return 'DELETED'
  if (before === null && row.lent > 0) return 'LENT'
  if (before === null && (await isPoolReserved(db, row.id, now))) return 'RESERVED'
  if (row.version !== versions.follow(row.id, version)) return 'CHANGED'
  if (before !== null && movementIds.length === 0) return undefined
  const last = movements.follow(row.id, Math.max(0, ...movementIds))
  return (lasts.get(row.id) ?? 0) > last ? 'CHANGED' : undefined
}

/** A supply that is as the import left it, and as it was before. */
interface Undone {
  readonly row: SupplyRow
  readonly snapshot: Snapshot
}

/** Returns the present versions and movements of the supplies that existed before the import. */
async function undoSome(ctx: AppContext, tx: Tx, owner: Owner, undone: readonly Undone[]): Promise<Returned[]> {
  if (undone.length === 0) return []
  const supplies = await undoMovements(ctx, tx, owner, undone)
  await removeSupplies(
    ctx,
    tx,
    undone.flatMap(({ row, snapshot }) => (snapshot.before === null ? [supplies.get(row.id)!] : [])),
  )
  const restored = undone.flatMap(({ row, snapshot }) =>
    snapshot.before === null
      ? []
      : [{ before: supplies.get(row.id)!, change: { ...snapshot.before }, path: 'row', snapshot }],
  )
  const key = ownerKey(owner)
  const categories = await knownCategories(tx, key, [
    ...new Set(restored.flatMap(({ change }) => change.categoryId ?? [])),
  ])
  const numbers = restored.flatMap(({ change }) => (change.supplyNo === undefined ? [] : [numberKey(change.supplyNo)]))
  const numbered = await suppliesByNumbers(tx, key, numbers)
  for (const { before, change } of restored) {
    if (change.categoryId != null && !categories.has(change.categoryId)) change.categoryId = null
    // Another supply may have the former number now.
    const holder = change.supplyNo === undefined ? undefined : numbered.get(numberKey(change.supplyNo))
    if (holder !== undefined && holder.id !== before.id) delete change.supplyNo
  }
  const rows = await changeSupplies(ctx, tx, owner, restored)
  const lasts = await store.lastMovements(
    tx,
    rows.map(({ id }) => id),
  )
  const returned: Returned[] = []
  for (const [i, { id, version }] of rows.entries()) {
    const { versionBefore = version, movementIds } = restored[i]!.snapshot
    const movement: Returned['movement'] =
      movementIds.length === 0
        ? [0, 0]
        : [await store.movementBefore(tx, id, Math.min(...movementIds)), lasts.get(id) ?? 0]
    returned.push({ id, version: [versionBefore, version], movement })
  }
  return returned
}

/** Reverses the movements of the import, the last one of each supply first. Returns the supplies as they are now. */
async function undoMovements(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  undone: readonly Undone[],
): Promise<Map<number, SupplyRow>> {
  const key = ownerKey(owner)
  const supplies = new Map(undone.map(({ row }) => [row.id, row]))
  const ids = undone.flatMap(({ snapshot }) => snapshot.movementIds)
  const reversed = await reversalsOf(tx, ids)
  const booked = (await movementsByIds(tx, key, ids)).filter(({ id }) => !reversed.has(id))
  const waiting = Map.groupBy(booked, ({ supplyId }) => supplyId)
  while (waiting.size > 0) {
    const items = [...waiting].map(([id, movements]) => ({ supply: supplies.get(id)!, movement: movements.pop()! }))
    await reverseAll(ctx, tx, owner, items, NOTE.undo)
    // Their numbers have changed.
    for (const row of await lockSupplies(tx, key, [...waiting.keys()])) supplies.set(row.id, row)
    for (const [id, movements] of waiting) if (movements.length === 0) waiting.delete(id)
  }
  return supplies
}

/** The kept rows of an import. Those that were sealed with another key, or for another owner, are left out. */
async function* partsOf(ctx: AppContext, db: Db | Tx, owner: OwnerKey, importId: number): AsyncGenerator<Part> {
  for (let part = 0; ;) {
    const found = await store.nextSnapshot(db, owner, importId, part)
    if (found === undefined) return
    part = found.part
    const opened = ctx.seal.open(found.rows)
    const kept = opened === undefined ? undefined : (JSON.parse(opened) as Part)
    if (kept?.owner === owner) yield kept
  }
}

/** Former values are kept for a day, the history for 90. */
export async function deleteOldImports(ctx: AppContext): Promise<void> {
  const before = (age: number) => ctx.clock.now() - age
  await inSlices(ctx, 'supplies.deleteSnapshots', (tx, limit) =>
    store.deleteSnapshotsBefore(tx, before(UNDO_MS), limit),
  )
  await inSlices(ctx, 'supplies.deleteImports', (tx, limit) => store.deleteRunsBefore(tx, before(HISTORY_MS), limit))
}

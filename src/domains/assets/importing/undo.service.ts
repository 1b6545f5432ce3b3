/** The history of imports, and their undo: one write, as the import was. */

import { type AppContext } from '#context'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { ImportKept, ImportUndo } from '#db/schema/asset-imports.ts'
import { inSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { applyAll, checkValues } from '#domains/metadata/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { importPlaces } from '#http/imports.ts'
import { noPermission } from '#http/permissions.ts'
import { MAX_WAIT_MS } from '#http/places.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { markAllDeleted } from '../assets.service.ts'
import { reservedAmong } from '../bookings.store.ts'
import { entitiesOf } from '../entities.service.ts'
import { type AssetRow, assetsByIds, openLoans } from '../register/register.store.ts'
import { Handovers } from '../transfers/transfers.service.ts'
import { referenceProblems, updateAssets } from '../writing.service.ts'
import { removeCreated } from './creating.service.ts'
import { tooLateToUndo } from './importing.errors.ts'
import type { AssetImportRun } from './importing.model.ts'
import * as store from './runs.store.ts'
import { keepReturned, type Returned, type Snapshot, snapshotsOf, versionFinder } from './snapshots.service.ts'

const UNDO_MS = DAY
const HISTORY_MS = 90 * DAY
const MAX_WRITE_MS = 5 * MINUTE
/** Assets in an answer that stay as they are. */
const MAX_KEPT = 1000
const NOTE = 'Undo of an import'

export async function listRuns(ctx: AppContext, owner: Owner, page: PageInput): Promise<Page<AssetImportRun>> {
  return mapPage(
    await store.runsPage(ctx.db.read, ownerKey(owner), ctx.clock.now() - HISTORY_MS, page),
    ({ id, fileName, userId, userName, created, updated, unchanged, undoable, undoneAt, createdAt }) => ({
      id,
      fileName,
      userId,
      userName,
      createdAt,
      created,
      updated,
      unchanged,
      undoableUntil: undoable && undoneAt === null ? createdAt + UNDO_MS : null,
      undoneAt,
    }),
  )
}

export async function organizationOfRun(db: Db, id: number): Promise<number | undefined> {
  const owner = await store.ownerOfRun(db, id)
  return owner === undefined ? undefined : orgOf(owner)
}

/** @throws AppError 400 after a day, 403, 404 */
export async function undoImport(
  ctx: AppContext,
  owner: Owner,
  id: number,
  { dryRun = false }: { readonly dryRun?: boolean },
  caller: Caller,
): Promise<ImportUndo> {
  const key = ownerKey(owner)
  const run = await store.findRun(ctx.db.read, key, id)
  if (run === undefined) throw notFound()
  const may = (point: 'asset:update' | 'asset:delete') =>
    access.can(ctx, owner.userId, owner.orgId === 0 ? 'APP' : 'ORG', owner.orgId, point)
  if (!(await may('asset:update'))) throw noPermission
  if (run.userId !== owner.userId && !(await may('asset:delete'))) throw noPermission
  const rows = run.created + run.updated
  const party = await access.partyOf(ctx, owner.userId, caller)
  const work = await importPlaces(ctx).openShared('imports', party, rows)
  try {
    return await work.run(async () => {
      if (dryRun) return preview(ctx, owner, run)
      return ctx.db.write('assets.undoImport', (tx) => undo(ctx, tx, owner, id), { maxMs: MAX_WRITE_MS })
    }, MAX_WAIT_MS)
  } finally {
    await work.close()
  }
}

async function preview(ctx: AppContext, owner: Owner, run: store.RunRow): Promise<ImportUndo> {
  if (run.undo !== null) return run.undo
  checkIsUndoable(ctx, run)
  const counts = new Counts()
  const db = ctx.db.read
  const versionOf = await versionFinder(ctx, db, ownerKey(owner), run.id)
  for await (const snapshots of snapshotsOf(ctx, db, ownerKey(owner), run.id))
    counts.add(await sorted(db, ownerKey(owner), snapshots, versionOf, ctx.clock.now()))
  return counts.answer
}

function checkIsUndoable(ctx: AppContext, run: store.RunRow): void {
  if (!run.undoable || ctx.clock.now() >= run.createdAt + UNDO_MS) throw tooLateToUndo()
}

async function undo(ctx: AppContext, tx: Tx, owner: Owner, id: number): Promise<ImportUndo> {
  const key = ownerKey(owner)
  const run = await store.findRun(tx, key, id)
  if (run === undefined) throw notFound()
  if (run.undo !== null) return run.undo
  checkIsUndoable(ctx, run)
  const counts = new Counts()
  const handovers = new Handovers()
  const returned: Returned[] = []
  const versionOf = await versionFinder(ctx, tx, key, id)
  for await (const snapshots of snapshotsOf(ctx, tx, key, id)) {
    const found = await sorted(tx, key, snapshots, versionOf, ctx.clock.now())
    counts.add(found)
    const created = found.created.map(({ row }) => row)
    await markAllDeleted(ctx, tx, key, created)
    returned.push(...(await restore(ctx, tx, owner, found.updated, handovers)))
    await tx.pause()
  }
  await removeCreated(ctx, tx, owner, run)
  await handovers.notify(ctx, tx, owner)
  await store.markUndone(tx, key, id, counts.answer)
  await keepReturned(ctx, tx, key, id, returned)
  return counts.answer
}

interface Kept {
  readonly assetId: number
  readonly assetNo: string
  readonly reason: ImportKept
}

interface Sorted {
  /** Assets that the import created, and those that it updated. */
  readonly created: readonly Undone[]
  readonly updated: readonly Undone[]
  readonly kept: readonly Kept[]
}

interface Undone {
  readonly row: AssetRow
  readonly snapshot: Snapshot
}

class Counts {
  #restored = 0
  #deleted = 0
  #keptCount = 0
  readonly #kept: Kept[] = []

  add({ created, updated, kept }: Sorted): void {
    this.#restored += updated.length
    this.#deleted += created.length
    this.#keptCount += kept.length
    this.#kept.push(...kept.slice(0, MAX_KEPT - this.#kept.length))
  }

  get answer(): ImportUndo {
    return { restored: this.#restored, deleted: this.#deleted, kept: this.#kept, keptCount: this.#keptCount }
  }
}

/** Decides about each asset: those that were changed since, or are in use, stay as they are. */
async function sorted(
  db: Db | Tx,
  owner: OwnerKey,
  snapshots: readonly Snapshot[],
  versionOf: (snapshot: Snapshot) => number,
  now: number,
): Promise<Sorted> {
  const ids = snapshots.map(({ id }) => id)
  const rows = new Map((await assetsByIds(db, owner, ids)).map((row) => [row.id, row]))
  const numbers = await store.numbersOf(
    db,
    owner,
    ids.filter((id) => !rows.has(id)),
  )
  const added = snapshots.filter(({ id, before }) => before === null && rows.has(id)).map(({ id }) => id)
  const lent = new Set(added.length === 0 ? [] : (await openLoans(db, added)).map(({ assetId }) => assetId))
  const reserved = await reservedAmong(db, added, now)
  const counted = await store.inRunningInventories(db, owner, added)
  const [created, updated, kept]: [Undone[], Undone[], Kept[]] = [[], [], []]
  for (const snapshot of snapshots) {
    const { id, before } = snapshot
    const row = rows.get(id)
    const reason =
      row === undefined
        ? 'DELETED'
        : lent.has(id)
          ? 'ON_LOAN'
          : reserved.has(id)
            ? 'RESERVED'
            : counted.has(id)
              ? 'IN_INVENTORY'
              : row.version === versionOf(snapshot)
                ? undefined
                : 'CHANGED'
    if (reason !== undefined || row === undefined)
      kept.push({ assetId: id, assetNo: row?.assetNo ?? numbers.get(id) ?? '', reason: reason ?? 'DELETED' })
    else (before === null ? created : updated).push({ row, snapshot })
  }
  return { created, updated, kept }
}

/** Gives assets their former values. They lose references to things that are gone. Answers which versions they have now. */
async function restore(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  items: readonly Undone[],
  handovers: Handovers,
): Promise<Returned[]> {
  if (items.length === 0) return []
  const changes = items.map(({ row, snapshot }, i) => ({ row, change: { ...snapshot.before }, path: `rows.${i}` }))
  for (const { path } of await referenceProblems(tx, owner, changes)) {
    const [, at, name] = path.split('.') as [string, string, 'categoryId' | 'locationId' | 'custodianId']
    changes[Number(at)]!.change[name] = null
  }
  const entities = new Map(
    (
      await entitiesOf(
        tx,
        items.map(({ row }) => row),
      )
    ).map((entity) => [entity.id, entity]),
  )
  const given = items.map(({ row, snapshot }, i) => {
    const entity = entities.get(row.id)
    return { ...(entity && { entity }), values: [...snapshot.values], path: `rows.${i}.values` }
  })
  const first = await checkValues(ctx, tx, owner, 'asset', given as never)
  const lost = new Set(first.problems.map(({ path }) => path.split('.').slice(0, 4).join('.')))
  const possible = given.map((one) => ({
    ...one,
    values: one.values.filter((_, at) => !lost.has(`${one.path}.${at}`)),
  }))
  const { plans } = lost.size === 0 ? first : await checkValues(ctx, tx, owner, 'asset', possible as never)
  const { rows, transfers } = await updateAssets(
    ctx,
    tx,
    owner,
    changes.map((one, i) => ({ ...one, touched: plans[i]?.changes ?? false })),
    { note: NOTE, isRestore: true, acceptScrapped: true },
  )
  const planned = plans.map((plan, i) => ({ entityId: items[i]!.row.id, plan }))
  await applyAll(ctx, tx, owner, 'asset', planned)
  const byAsset = Map.groupBy(transfers, ({ assetId }) => assetId)
  for (const row of rows) {
    const own = byAsset.get(row.id)
    if (own !== undefined) handovers.take(owner, row, own)
  }
  return rows.flatMap(({ id, version }, i): Returned[] => {
    const { versionBefore } = items[i]!.snapshot
    return versionBefore === undefined ? [] : [[id, versionBefore, version]]
  })
}

/** Former values are kept for a day, the history for 90. */
export async function deleteOldRuns(ctx: AppContext): Promise<void> {
  const before = (age: number) => ctx.clock.now() - age
  await inSlices(ctx, 'assets.deleteSnapshots', (tx, limit) => store.deleteSnapshotsBefore(tx, before(UNDO_MS), limit))
  await inSlices(ctx, 'assets.deleteImportRuns', (tx, limit) => store.deleteRunsBefore(tx, before(HISTORY_MS), limit))
}

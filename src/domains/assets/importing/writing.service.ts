/** The write of an import: all rows or none. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { applyAll } from '#domains/metadata/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { rowsHaveErrors } from '#http/imports.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'

import { Handovers } from '../transfers/transfers.service.ts'
import { insertAssets, type Limits, limitsOf, updateAssets } from '../writing.service.ts'
import type { CheckedRows } from './checked.service.ts'
import { createMissing, type Missing } from './creating.service.ts'
import type { ImportedRow, RowReader } from './preparing.service.ts'
import { Recorder } from './snapshots.service.ts'

export interface Written {
  /** In the history. */
  readonly importId: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

export interface ImportOfRows {
  readonly fileName: string
  /** The paths of things that have to be created. */
  readonly missing: Pick<Missing, 'categories' | 'locations'>
  /** Undefined if the rows have to be prepared again. */
  readonly checked: CheckedRows | undefined
  reader(tx: Tx): Promise<RowReader>
  groups(): AsyncGenerator<SheetRow[]>
  readonly maxMs: number
  /** Called with the number of rows that have been written. */
  report(rows: number): void
}

/** Assets that are written between two pauses. */
const MAX_AT_ONCE = 100

/** @throws AppError 400 if something that the rows need has changed since they were checked; 429 if the quota does not allow them */
export async function writeRows(ctx: AppContext, owner: Owner, given: ImportOfRows): Promise<Written> {
  const limits = await limitsOf(ctx)
  return ctx.db.write(
    'assets.import',
    async (tx) => {
      const checked = (await given.checked?.areCurrent(tx)) ? given.checked : undefined
      const created = await createMissing(ctx, tx, owner, given.missing)
      const recorder = await Recorder.open(ctx, tx, owner, given.fileName)
      const writer = new Writer(ctx, tx, owner, limits, given, recorder)
      const rows =
        checked === undefined
          ? preparedRows(tx, given)
          : (isNumbered: boolean) => checked.groups(tx, isNumbered, MAX_AT_ONCE)
      // Numbers are made for the rows without one, and for further pieces of the others, when all other numbers are taken.
      await writer.writeAll(rows(true))
      await writer.createPieces()
      await writer.writeAll(rows(false))
      await writer.handovers.notify(ctx, tx, owner)
      await recorder.end({ ...writer.written, ...created })
      return { ...writer.written, importId: recorder.importId }
    },
    { maxMs: given.maxMs },
  )
}

/** Returns a function that prepares the rows with a number, or those without one, in groups. */
function preparedRows(tx: Tx, given: ImportOfRows) {
  let opened: RowReader | undefined
  return async function* (isNumbered: boolean): AsyncGenerator<ImportedRow[]> {
    const reader = (opened ??= await given.reader(tx))
    for await (const group of given.groups()) {
      const rows = group.filter((row) => (reader.numberIn(row) !== '') === isNumbered)
      if (rows.length === 0) continue
      const { items, problems } = await reader.prepare(rows)
      if (problems.length > 0)
        throw rowsHaveErrors(
          problems.length,
          problems.map(({ row, key, text }) => ({ path: `rows.${row}${key === null ? '' : `.${key}`}`, text })),
        )
      yield items.map(({ imported }) => imported)
    }
  }
}

class Writer {
  readonly written = { created: 0, updated: 0, unchanged: 0 }
  #done = 0
  readonly #later: ImportedRow[] = []
  readonly handovers = new Handovers()

  constructor(
    readonly ctx: AppContext,
    readonly tx: Tx,
    readonly owner: Owner,
    readonly limits: Limits,
    readonly given: ImportOfRows,
    readonly recorder: Recorder,
  ) {}

  async writeAll(groups: AsyncGenerator<ImportedRow[]>): Promise<void> {
    for await (const rows of groups) {
      await this.#createAll(rows.filter(({ action }) => action === 'CREATE'))
      await this.#update(rows.filter(({ action }) => action === 'UPDATE'))
      this.written.unchanged += rows.filter(({ action }) => action === 'UNCHANGED').length
      this.given.report((this.#done += rows.length))
      await this.tx.pause()
    }
  }

  /** The first piece of a row has its number. The others wait until all numbers of the file are taken. */
  async #createAll(items: readonly ImportedRow[]): Promise<void> {
    const now: ImportedRow[] = []
    for (const item of items) {
      const { assetNo, serialNo: _, ...change } = item.change
      const other = { ...item, change }
      const others = Array.from({ length: item.pieces - 1 }, () => other)
      now.push(item)
      if (assetNo === undefined) now.push(...others)
      else this.#later.push(...others)
    }
    await this.#createSome(now)
  }

  createPieces(): Promise<void> {
    return this.#createSome(this.#later)
  }

  async #createSome(pieces: readonly ImportedRow[]): Promise<void> {
    for (let at = 0; at < pieces.length; at += MAX_AT_ONCE) {
      await this.#create(pieces.slice(at, at + MAX_AT_ONCE))
      await this.tx.pause()
    }
  }

  async #create(items: readonly ImportedRow[]): Promise<void> {
    if (items.length === 0) return
    const { ctx, tx, owner, limits } = this
    const created = items.map(({ change, path }) => ({ name: change.name!, change, path }))
    const rows = await insertAssets(ctx, tx, owner, limits, created, { acceptScrapped: true })
    const planned = rows.map(({ id }, i) => ({ entityId: id, plan: items[i]!.plan }))
    await applyAll(ctx, tx, owner, 'asset', planned)
    this.written.created += rows.length
    await this.recorder.take(items, rows)
    // The history of an asset begins without a row for its first custodian, who is notified all the same.
    for (const row of rows) this.handovers.take(owner, row, [{ fromUserId: null, toUserId: row.custodianId }])
  }

  async #update(items: readonly ImportedRow[]): Promise<void> {
    if (items.length === 0) return
    const { ctx, tx, owner } = this
    const changed = items.map(({ existing, change, plan, path }) => ({
      row: existing!,
      change,
      touched: plan.changes,
      path,
    }))
    const { rows, transfers } = await updateAssets(ctx, tx, owner, changed)
    const planned = items.map(({ existing, plan }) => ({ entityId: existing!.id, plan }))
    await applyAll(ctx, tx, owner, 'asset', planned)
    this.written.updated += rows.length
    await this.recorder.take(items, rows)
    const byAsset = Map.groupBy(transfers, ({ assetId }) => assetId)
    for (const row of rows) {
      const own = byAsset.get(row.id)
      if (own !== undefined) this.handovers.take(owner, row, own)
    }
  }
}

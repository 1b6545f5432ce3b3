/**
 * The rows of a file as the check has prepared them. While an import writes, all writes of others wait on SQLite, and preparing rows takes longer than
 * writing them. So the write uses these rows if all that they depend on is still as the check found it, and otherwise prepares the file again.
 */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import { numbered } from '../numbers.store.ts'
import { type AssetRow, assetsByIds } from '../register/register.store.ts'
import type { RowOptions } from './cells.service.ts'
import { NEW } from './creating.service.ts'
import { fieldsOf, Names } from './names.service.ts'
import type { ImportedRow, RowReader } from './preparing.service.ts'

/** Rows that are kept in memory, a kilobyte each. Larger files are prepared again. */
const MAX_KEPT = 20_000
const NUMBERS_AT_ONCE = 1000

type Fields = Awaited<ReturnType<typeof fieldsOf>>

export class CheckedRows {
  readonly rows: ImportedRow[] = []

  private constructor(
    readonly ctx: AppContext,
    readonly owner: Owner,
    readonly names: Names,
    readonly fields: Fields,
  ) {}

  /** Undefined if the file has too many rows, or if its rows depend on more than `areCurrent` compares. */
  static forFile(ctx: AppContext, owner: Owner, reader: RowReader, fields: Fields, total: number) {
    const { cells } = reader
    if (total > MAX_KEPT || dependOnMore(cells.options, cells.fields.length > 0)) return undefined
    if (cells.fields.some(({ column }) => FILES.includes(column.field.type))) return undefined
    return new CheckedRows(ctx, owner, cells.names, fields)
  }

  /** Whether all that the rows depend on is in the write as it was in the check. */
  async areCurrent(tx: Tx): Promise<boolean> {
    if (JSON.stringify(await fieldsOf(tx, this.owner)) !== JSON.stringify(this.fields)) return false
    if (!(await this.names.areCurrent(tx))) return false
    const rows = this.rows.filter((row) => row.numberKey !== '')
    for (let at = 0; at < rows.length; at += NUMBERS_AT_ONCE) {
      const some = rows.slice(at, at + NUMBERS_AT_ONCE)
      const found = await numbered(
        tx,
        ownerKey(this.owner),
        some.map((row) => row.numberKey),
      )
      const isCurrent = ({ numberKey, existing }: ImportedRow) => {
        const asset = found.get(numberKey)
        return asset?.id === existing?.id && asset?.version === existing?.version
      }
      if (!some.every(isCurrent)) return false
    }
    return true
  }

  /** The rows in groups, with the present rows of their assets, and with the ids of new categories and locations. */
  async *groups(tx: Tx, isWanted: (row: ImportedRow) => boolean, size: number): AsyncGenerator<ImportedRow[]> {
    const rows = this.rows.filter(isWanted)
    const names = rows.some(isOfNew) ? await Names.load(this.ctx, tx, this.owner) : this.names
    for (let at = 0; at < rows.length; at += size) {
      const some = rows.slice(at, at + size)
      const ids = some.flatMap(({ action, existing }) => (action === 'UPDATE' ? [existing!.id] : []))
      // Some columns change without the version: the day of the last count, for example.
      const assets = ids.length === 0 ? [] : await assetsByIds(tx, ownerKey(this.owner), ids)
      const present = new Map(assets.map((asset) => [asset.id, asset]))
      yield some.map((row) => placed(withPresent(row, present), names))
    }
  }
}

/** Serial numbers can name assets, and templates can forbid to clear a value. */
const dependOnMore = ({ matchSerial, clearEmpty }: RowOptions, hasFields: boolean): boolean =>
  matchSerial || (clearEmpty && hasFields)

const FILES: readonly string[] = ['ATTACHMENT', 'PHOTO']

const isOfNew = ({ newPaths }: ImportedRow): boolean =>
  newPaths.category !== undefined || newPaths.location !== undefined

function withPresent(row: ImportedRow, present: ReadonlyMap<number, AssetRow>): ImportedRow {
  const existing = row.existing && present.get(row.existing.id)
  return existing === undefined ? row : { ...row, existing }
}

function placed(row: ImportedRow, names: Names): ImportedRow {
  if (!isOfNew(row)) return row
  const { change, existing, newPaths } = row
  const idOf = (paths: Names['categories'], path: string | undefined, current: number | null | undefined) => {
    const id = path === undefined ? undefined : paths.find(path, current ?? null)
    return typeof id === 'number' ? id : NEW
  }
  return {
    ...row,
    change: {
      ...change,
      ...(change.categoryId === NEW && {
        categoryId: idOf(names.categories, newPaths.category, existing?.categoryId),
      }),
      ...(change.locationId === NEW && { locationId: idOf(names.locations, newPaths.location, existing?.locationId) }),
    },
  }
}

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
import { charactersIn, MAX_KEPT_CHARACTERS } from './head.service.ts'
import { fieldsOf, Names } from './names.service.ts'
import type { ImportedRow, PreparedRow, RowReader } from './preparing.service.ts'

/** A kilobyte each. */
const MAX_KEPT_ROWS = 20_000
const NUMBERS_AT_ONCE = 1000

type Fields = Awaited<ReturnType<typeof fieldsOf>>

/** The present row of an asset is read again by the write. */
type KeptRow = Omit<ImportedRow, 'existing'> & { readonly asset: Pick<AssetRow, 'id' | 'version'> | undefined }

export class CheckedRows {
  #rows: KeptRow[] = []
  #characters = 0

  private constructor(
    readonly ctx: AppContext,
    readonly owner: Owner,
    readonly names: Names,
    readonly fields: Fields,
  ) {}

  /** Undefined if the rows of the file depend on more than `areCurrent` compares. */
  static forFile(ctx: AppContext, owner: Owner, reader: RowReader, fields: Fields): CheckedRows | undefined {
    const { cells } = reader
    if (dependOnMore(cells.options, cells.fields.length > 0)) return undefined
    if (cells.fields.some(({ column }) => FILES.includes(column.field.type))) return undefined
    return new CheckedRows(ctx, owner, cells.names, fields)
  }

  /** Keeps rows. False if they are too many, or too long, to be kept in memory. */
  take(rows: readonly PreparedRow[]): boolean {
    this.#characters += charactersIn(rows.map(({ row }) => row))
    for (const { imported } of rows) {
      const { existing, ...row } = imported
      this.#rows.push({ ...row, asset: existing && { id: existing.id, version: existing.version } })
    }
    return this.#rows.length <= MAX_KEPT_ROWS && this.#characters <= MAX_KEPT_CHARACTERS
  }

  /** Whether everything that the rows depend on is still the same in the write as in the check. */
  async areCurrent(tx: Tx): Promise<boolean> {
    if (JSON.stringify(await fieldsOf(tx, this.owner)) !== JSON.stringify(this.fields)) return false
    if (!(await this.names.areCurrent(tx))) return false
    const rows = this.#rows.filter((row) => row.numberKey !== '')
    for (let at = 0; at < rows.length; at += NUMBERS_AT_ONCE) {
      const some = rows.slice(at, at + NUMBERS_AT_ONCE)
      const found = await numbered(
        tx,
        ownerKey(this.owner),
        some.map((row) => row.numberKey),
      )
      const isCurrent = ({ numberKey, asset }: KeptRow) => {
        const now = found.get(numberKey)
        return now?.id === asset?.id && now?.version === asset?.version
      }
      if (!some.every(isCurrent)) return false
    }
    return true
  }

  /** The rows in groups, with the present rows of their assets, and with the ids of new categories and locations. */
  async *groups(tx: Tx, isNumbered: boolean, size: number): AsyncGenerator<ImportedRow[]> {
    const rows = this.#rows.filter(({ numberKey }) => (numberKey !== '') === isNumbered)
    const names = rows.some(isOfNew) ? await Names.load(this.ctx, tx, this.owner) : this.names
    for (let at = 0; at < rows.length; at += size) {
      const some = rows.slice(at, at + size)
      const ids = some.flatMap(({ action, asset }) => (action === 'UPDATE' ? [asset!.id] : []))
      // Some columns change without the version: the day of the last count, for example.
      const assets = ids.length === 0 ? [] : await assetsByIds(tx, ownerKey(this.owner), ids)
      const present = new Map(assets.map((asset) => [asset.id, asset]))
      yield some.map((row) => placed({ ...row, existing: row.asset && present.get(row.asset.id) }, names))
    }
  }
}

/** Serial numbers can name assets, and templates can forbid to clear a value. */
const dependOnMore = ({ matchSerial, clearEmpty }: RowOptions, hasFields: boolean): boolean =>
  matchSerial || (clearEmpty && hasFields)

const FILES: readonly string[] = ['ATTACHMENT', 'PHOTO']

const isOfNew = ({ newPaths }: Pick<ImportedRow, 'newPaths'>): boolean =>
  newPaths.category !== undefined || newPaths.location !== undefined

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

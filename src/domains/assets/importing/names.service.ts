/** Finds the things that cells name by texts: categories and locations by path, users by name, targets of references. */

import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import type { RefTarget } from '#domains/contributions.ts'
import { isEnabled, refSource, visibleFields } from '#domains/metadata/index.ts'
import type { Owner } from '#http/endpoint.ts'

import { categoryPaths } from '../categories/categories.service.ts'
import { type AssetRow, assetsBySerials } from '../register/register.store.ts'
import { columnsFor, pathKey } from '../sheets.rules.ts'
import { locationPaths, personTexts } from '../sheets.store.ts'
import { peopleIn } from './foreign.rules.ts'
import { type Names as ColumnNames, namesFor } from './headings.rules.ts'

/** The visible fields of assets of the owner. */
export const fieldsOf = async (db: Db | Tx, owner: Owner) =>
  (await isEnabled(db, 'asset')) ? visibleFields(db, 'asset', owner) : []

/** The columns that an import of the owner can have. */
export const columnsOf = async (db: Db | Tx, owner: Owner): Promise<ColumnNames> =>
  namesFor(columnsFor(await fieldsOf(db, owner)))

/** Of a query. */
const TEXTS_AT_ONCE = 200

/** Things with unique paths, mostly: two that are called the same cannot be told apart by a path. */
class Paths {
  readonly #ids = new Map<string, number | 'ambiguous'>()

  constructor(readonly paths: ReadonlyMap<number, string>) {
    for (const [id, path] of paths) this.#ids.set(pathKey(path), this.#ids.has(pathKey(path)) ? 'ambiguous' : id)
  }

  /** `current` stays if it has this path too. */
  find(path: string, current: number | null): number | 'ambiguous' | undefined {
    const key = pathKey(path)
    if (current !== null && pathKey(this.paths.get(current) ?? '') === key) return current
    return this.#ids.get(key)
  }
}

/** The answers to texts that were looked up before: the same names occur in most rows. */
class Texts {
  readonly #ids = new Map<string, number | undefined>()

  constructor(
    readonly db: Db | Tx,
    readonly byTexts: (db: Db | Tx, texts: readonly string[]) => Promise<ReadonlyMap<string, number>>,
  ) {}

  async look(texts: readonly string[]): Promise<void> {
    const wanted = [...new Set(texts)].filter((text) => !this.#ids.has(text))
    if (wanted.length === 0) return
    const found = await this.byTexts(this.db, wanted)
    for (const text of wanted) this.#ids.set(text, found.get(text))
  }

  /** Whether all texts that were looked up still lead to the same rows in the write. */
  async areCurrent(tx: Tx): Promise<boolean> {
    const known = [...this.#ids]
    for (let at = 0; at < known.length; at += TEXTS_AT_ONCE) {
      const some = known.slice(at, at + TEXTS_AT_ONCE)
      const found = await this.byTexts(
        tx,
        some.map(([text]) => text),
      )
      if (some.some(([text, id]) => found.get(text) !== id)) return false
    }
    return true
  }

  find(text: string): number | undefined {
    return this.#ids.get(text)
  }
}

const areSame = <Key, Value>(a: ReadonlyMap<Key, Value>, b: ReadonlyMap<Key, Value>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)

/** The names of one owner's things that the user sees, as they are in one write or one check. */
export class Names {
  readonly #refs = new Map<RefTarget, Texts>()
  readonly #people = new Map<number, string>()
  readonly #owner: OwnerKey

  private constructor(
    readonly ctx: AppContext,
    readonly db: Db | Tx,
    readonly owner: Owner,
    readonly categories: Paths,
    readonly locations: Paths,
  ) {
    this.#owner = ownerKey(owner)
  }

  static async load(ctx: AppContext, db: Db | Tx, owner: Owner): Promise<Names> {
    const key = ownerKey(owner)
    const categories = new Paths(await categoryPaths(ctx, db, owner))
    return new Names(ctx, db, owner, categories, new Paths(await locationPaths(db, key)))
  }

  refs(target: RefTarget): Texts {
    let texts = this.#refs.get(target)
    if (texts === undefined) {
      const source = refSource(this.ctx, target)
      texts = new Texts(this.db, async (db, wanted) => source?.byTexts(db, this.#owner, wanted) ?? new Map())
      this.#refs.set(target, texts)
    }
    return texts
  }

  /** Reads how these users are named in spreadsheets. */
  async lookPeople(ids: readonly (number | null)[]): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => id !== null && !this.#people.has(id)) as number[]
    for (const [id, text] of await personTexts(this.db, this.#owner, wanted)) this.#people.set(id, text)
  }

  /** Whether these names are still the same in the write. */
  async areCurrent(tx: Tx): Promise<boolean> {
    const now = await Names.load(this.ctx, tx, this.owner)
    if (!areSame(now.categories.paths, this.categories.paths)) return false
    if (!areSame(now.locations.paths, this.locations.paths)) return false
    await now.lookPeople([...this.#people.keys()])
    if (!areSame(now.#people, this.#people)) return false
    for (const texts of this.#refs.values()) if (!(await texts.areCurrent(tx))) return false
    return true
  }

  /** `current` stays if a spreadsheet names it like this. */
  findPerson(text: string, current: number | null): number | undefined {
    if (current !== null && this.#people.get(current) === text) return current
    return peopleIn(text)
      .map((one) => this.refs('USER').find(one))
      .find((id) => id !== undefined)
  }
}

/** The assets with the serial numbers of a file, which are looked up once each: lists have words such as "none" in many rows. */
export class Serials {
  readonly #found = new Map<string, AssetRow | 'several' | undefined>()
  readonly #rows = new Map<string, number>()

  constructor(
    readonly db: Db | Tx,
    readonly owner: OwnerKey,
  ) {}

  async look(serials: readonly string[]): Promise<void> {
    const wanted = [...new Set(serials)].filter((serial) => serial !== '' && !this.#found.has(serial))
    if (wanted.length === 0) return
    const found = Map.groupBy(await assetsBySerials(this.db, this.owner, wanted), ({ serialNo }) => serialNo)
    for (const serial of wanted) {
      const [first, second] = found.get(serial) ?? []
      this.#found.set(serial, second === undefined ? first : 'several')
    }
  }

  /** The asset with this serial number, and the first row above this one that has it too. */
  find(serial: string, row: number) {
    if (serial === '') return { found: undefined, first: undefined }
    const first = this.#rows.get(serial)
    if (first === undefined || row < first) this.#rows.set(serial, row)
    return { found: this.#found.get(serial), first: first !== undefined && first < row ? first : undefined }
  }
}

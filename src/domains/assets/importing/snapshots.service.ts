/** Keeps the former values of the rows that an import writes, sealed, so that it can be undone. */

import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import type { AssetChange } from '../register/register.rules.ts'
import type { AssetRow } from '../register/register.store.ts'
import { userNames } from '../register/register.store.ts'
import type { ImportedRow } from './preparing.service.ts'
import * as store from './runs.store.ts'

/** Changed rows of an import that can be undone. */
export const MAX_UNDO_ROWS = 20_000
const MAX_FILE_NAME = 200
/** Parts that an undo takes together, each with the rows of a group of the import, 25 to 100: a few milliseconds, as few statements as possible. */
const PARTS = 2

/** A row as it was before an import. */
export interface Snapshot {
  readonly id: number
  /** After the import. */
  readonly version: number
  /** Before the import; absent for an asset that it created. */
  readonly versionBefore?: number
  /** The former values of the columns that changed; null for an asset that the import created. */
  readonly before: AssetChange | null
  readonly values: readonly { readonly fieldId: number; readonly value: unknown }[]
}

export class Recorder {
  #rows = 0
  #part = 0

  private constructor(
    readonly ctx: AppContext,
    readonly tx: Tx,
    readonly owner: OwnerKey,
    readonly importId: number,
  ) {}

  static async open(ctx: AppContext, tx: Tx, owner: Owner, fileName: string): Promise<Recorder> {
    const names = await userNames(tx, owner.orgId, [owner.userId])
    const importId = await store.insertRun(tx, {
      owner: ownerKey(owner),
      userId: owner.userId,
      userName: names.get(owner.userId) ?? '',
      fileName: fileName.toWellFormed().slice(0, MAX_FILE_NAME),
    })
    return new Recorder(ctx, tx, ownerKey(owner), importId)
  }

  /** `rows`: as they are now, in the order of the items. */
  async take(items: readonly ImportedRow[], rows: readonly AssetRow[]): Promise<void> {
    const isTooMany = this.#rows > MAX_UNDO_ROWS
    this.#rows += rows.length
    if (isTooMany) return
    if (this.#rows > MAX_UNDO_ROWS) return store.deleteSnapshots(this.tx, this.owner, this.importId)
    const snapshots = rows.map(({ id, version }, i): Snapshot => {
      const { existing, change, valuesBefore } = items[i]!
      const before =
        existing === undefined
          ? null
          : Object.fromEntries(Object.keys(change).map((name) => [name, existing[name as keyof AssetRow]]))
      return { id, version, ...(existing && { versionBefore: existing.version }), before, values: valuesBefore }
    })
    const sealed = this.ctx.seal.seal(JSON.stringify({ owner: this.owner, snapshots }))
    await store.insertSnapshot(this.tx, {
      importId: this.importId,
      part: (this.#part += 1),
      owner: this.owner,
      rows: sealed,
    })
  }

  end(result: Omit<store.RunEnd, 'undoable'>): Promise<void> {
    const undoable = this.#rows > 0 && this.#rows <= MAX_UNDO_ROWS
    return store.endRun(this.tx, this.owner, this.importId, { ...result, undoable })
  }
}

/** An asset that an undo gave its state of a version back, which now has another version. */
export type Returned = readonly [assetId: number, versionBefore: number, version: number]

/** Keeps the versions that an undo gave to assets, in place of its snapshots: an earlier import finds its assets by them. */
export async function keepReturned(
  ctx: AppContext,
  tx: Tx,
  owner: OwnerKey,
  importId: number,
  all: readonly Returned[],
): Promise<void> {
  await store.deleteSnapshots(tx, owner, importId)
  for (let at = 0; at < all.length; at += RETURNED) {
    const rows = ctx.seal.seal(JSON.stringify({ owner, returned: all.slice(at, at + RETURNED) }))
    await store.insertSnapshot(tx, { importId, part: at / RETURNED + 1, owner, rows })
  }
}
/** In a part. */
const RETURNED = 2000

/**
 * The version that an asset has now if it is as this import left it: its version after the import, or the one that undos of later imports
 * gave it.
 */
export async function versionFinder(
  ctx: AppContext,
  db: Db | Tx,
  owner: OwnerKey,
  importId: number,
): Promise<(snapshot: Snapshot) => number> {
  const later = await store.laterUndone(db, owner, importId)
  if (later.length === 0) return ({ version }) => version
  const ids = new Set<number>()
  for await (const snapshots of snapshotsOf(ctx, db, owner, importId)) for (const { id } of snapshots) ids.add(id)
  const chains = new Chains()
  for (const run of later)
    for await (const part of partsOf(ctx, db, owner, run))
      for (const [id, before, version] of part.returned ?? []) if (ids.has(id)) chains.add(id, before, version)
  return ({ id, version }) => chains.follow(id, version)
}

/** By which numbers undos replaced those of rows, such as versions. */
export class Chains {
  readonly #next = new Map<string, number>()

  add(id: number, from: number, to: number): void {
    if (from !== to) this.#next.set(`${id}:${from}`, to)
  }

  /** The number that replaces it now; the same if none does. */
  follow(id: number, from: number): number {
    const next = this.#next.get(`${id}:${from}`)
    return next === undefined ? from : this.follow(id, next)
  }
}

/** The kept rows of an import, in groups. Those that were sealed with another key, or for another owner, are left out. */
export async function* snapshotsOf(
  ctx: AppContext,
  db: Db | Tx,
  owner: OwnerKey,
  importId: number,
): AsyncGenerator<readonly Snapshot[]> {
  for await (const { snapshots = [] } of partsOf(ctx, db, owner, importId)) if (snapshots.length > 0) yield snapshots
}

interface Part {
  readonly snapshots?: readonly Snapshot[]
  readonly returned?: readonly Returned[]
}

async function* partsOf(ctx: AppContext, db: Db | Tx, owner: OwnerKey, importId: number): AsyncGenerator<Part> {
  for (let after = 0; ;) {
    const parts = await store.nextSnapshots(db, owner, importId, after, PARTS)
    if (parts.length === 0) return
    after = parts.at(-1)!.part
    const opened = parts.flatMap(({ rows }) => {
      const text = ctx.seal.open(rows)
      const part = text === undefined ? undefined : (JSON.parse(text) as Part & { readonly owner: number })
      return part?.owner === owner ? [part] : []
    })
    yield {
      snapshots: opened.flatMap(({ snapshots = [] }) => snapshots),
      returned: opened.flatMap(({ returned = [] }) => returned),
    }
  }
}

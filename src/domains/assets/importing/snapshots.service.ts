/** Keeps the former values of the rows that an import writes, sealed, so that it can be undone. */

import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import type { AssetChange } from '../register/register.rules.ts'
import type { AssetRow } from '../register/register.store.ts'
import { userNames } from '../register/register.store.ts'
import type { PreparedRow } from './preparing.service.ts'
import * as store from './runs.store.ts'

/** Changed rows of an import that can be undone. */
export const MAX_UNDO_ROWS = 20_000
const MAX_FILE_NAME = 200
/** Parts that an undo takes together, each with the rows of a group of the import: a few milliseconds, as few statements as possible. */
const PARTS = 4

/** A row as it was before an import. */
export interface Snapshot {
  readonly id: number
  /** After the import. */
  readonly version: number
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
  async take(items: readonly PreparedRow[], rows: readonly AssetRow[]): Promise<void> {
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
      return { id, version, before, values: valuesBefore }
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

/** The kept rows of an import, in groups. Those that were sealed with another key, or for another owner, are left out. */
export async function* snapshotsOf(
  ctx: AppContext,
  db: Db | Tx,
  owner: OwnerKey,
  importId: number,
): AsyncGenerator<readonly Snapshot[]> {
  for (let after = 0; ;) {
    const parts = await store.nextSnapshots(db, owner, importId, after, PARTS)
    if (parts.length === 0) return
    after = parts.at(-1)!.part
    const kept = parts.flatMap(({ rows }) => {
      const opened = ctx.seal.open(rows)
      const part = opened === undefined ? undefined : (JSON.parse(opened) as { owner: number; snapshots: Snapshot[] })
      return part?.owner === owner ? part.snapshots : []
    })
    if (kept.length > 0) yield kept
  }
}

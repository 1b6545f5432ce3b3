/** Writes planned values of one or many entities. The number of statements grows with every 1,000 rows, not with each entity. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { attachFile, findFiles, releaseFile } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'

import { noteWritten } from '../fields/retyping.service.ts'
import type { Part } from '../types/types.rules.ts'
import type { FieldRow, ValueRow } from './values.model.ts'
import { changeOfFiles, changeOfParts, isFileField } from './values.rules.ts'
import * as store from './values.store.ts'

/** A value that differs from the present one. */
export interface NewValue {
  readonly field: FieldRow
  readonly before: readonly ValueRow[]
  readonly after: readonly Part[]
  readonly path: string
}

export async function writeValues(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  objectName: string,
  entities: readonly { readonly entityId: number; readonly values: readonly NewValue[] }[],
): Promise<void> {
  const key = ownerKey(owner)
  const deleted: number[] = []
  const released: number[] = []
  const moved: number[] = []
  const updated: store.ChangedRow[] = []
  const inserted: (store.NewRow & { readonly value: NewValue })[] = []
  for (const { entityId, values } of entities) {
    const fieldIds = values.map(({ field }) => field.id)
    noteWritten(ctx, entityId, fieldIds)
    for (const value of values) {
      const { field, before, after } = value
      const isFile = isFileField(field)
      const change = isFile ? changeOfFiles(before, after) : changeOfParts(before, after)
      deleted.push(...change.deleted.map(({ id }) => id))
      if (isFile) {
        released.push(...change.deleted.map(({ number }) => number!))
        moved.push(...change.updated.map(({ id }) => id))
      }
      updated.push(...change.updated.map((row) => ({ ...row, entityId, fieldId: field.id })))
      inserted.push(...change.inserted.map((row) => ({ ...row, entityId, fieldId: field.id, value })))
    }
  }
  await store.deleteValues(tx, key, deleted)
  for (const fileId of released) await releaseFile(ctx, tx, fileId)
  await store.clearPositions(tx, key, moved)
  await store.replaceValues(tx, { objectName, owner: key }, updated)
  const ids = await store.insertValues(tx, { objectName, owner: key }, inserted)
  for (const [i, { part, value }] of inserted.entries())
    if (isFileField(value.field)) await attach(tx, owner, part.number!, ids[i]!, value.path)
}

/** A file of any type of upload: types tell apart what the files of an owner are for, and a value can be of any thing. */
async function attach(tx: Tx, owner: Owner, fileId: number, valueId: number, path: string): Promise<void> {
  const [file] = await findFiles(tx, [fileId])
  const type = file?.type ?? 'other'
  await attachFile(tx, owner, fileId, { type, entityType: 'META_VALUE', entityId: valueId, path })
}

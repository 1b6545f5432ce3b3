/**
 * Changing the type of a field that has values. A field can have a million of them, so they are compared with the new type in steps
 * before the write; values that are written meanwhile are noted, and compared inside it.
 */

import { type AppContext, perContext } from '#context'
import type { FieldType } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'
import { badRequest } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { fits, type TypedField } from '../../types/rules.ts'
import { hasSeveralParts } from '../rules.ts'
import type { FieldRow } from '../store.ts'
import * as store from './store.ts'

/** Values that one statement reads. */
const VALUES_PER_QUERY = 1000

/** The values of a field, compared with a type. `written`: entities whose value has been written since. */
export interface Comparison {
  readonly fieldId: number
  readonly type: FieldType
  readonly written: ReadonlySet<number>
  end(): void
}

const comparisons = perContext(() => new Set<{ readonly fieldId: number; readonly written: Set<number> }>())

/** To be called by every write of values, for fields that may be changing their type. */
export function noteWritten(ctx: AppContext, entityId: number, fieldIds: readonly number[]): void {
  for (const { fieldId, written } of comparisons(ctx)) if (fieldIds.includes(fieldId)) written.add(entityId)
}

/**
 * Compares all values of a field with a new type. The caller ends the comparison after its write.
 *
 * @throws AppError 400 with the number of the values that do not fit
 */
export async function compareValues(ctx: AppContext, row: FieldRow, next: TypedField): Promise<Comparison> {
  const comparison = { fieldId: row.id, written: new Set<number>() }
  comparisons(ctx).add(comparison)
  const end = () => void comparisons(ctx).delete(comparison)
  try {
    const misfits = await countMisfits(ctx.db.readInWorker, row, next)
    if (misfits > 0) throw doNotFit(misfits)
  } catch (error) {
    end()
    throw error
  }
  return { ...comparison, type: row.type, end }
}

async function countMisfits(db: Db, row: FieldRow, next: TypedField): Promise<number> {
  if (next.type === 'COMPUTED') return store.countValues(db, row.id)
  let misfits = 0
  let after: store.ValueRow | undefined
  for (;;) {
    const rows = await store.nextFirstParts(db, row.id, after, VALUES_PER_QUERY)
    misfits += await misfitsAmong(db, row, next, rows)
    after = rows.at(-1)
    if (rows.length < VALUES_PER_QUERY) return misfits
  }
}

async function misfitsAmong(
  db: Db,
  row: FieldRow,
  next: TypedField,
  first: readonly store.ValueRow[],
): Promise<number> {
  if (!hasSeveralParts(row.type)) return first.filter((part) => !fits(next, [part])).length
  const entityIds = first.map(({ entityId }) => entityId)
  return misfitsOf(await store.allParts(db, row.objectName, row.id, entityIds), next)
}

function misfitsOf(parts: readonly store.ValueRow[], next: TypedField): number {
  const values = Map.groupBy(parts, ({ entityId }) => entityId).values()
  return values.filter((value) => !fits(next, value)).toArray().length
}

/** Inside the write that changes the type. @throws AppError 400 if a value that was written meanwhile does not fit */
export async function refuseMisfits(
  tx: Tx,
  row: FieldRow,
  next: TypedField,
  comparison: Comparison | undefined,
): Promise<void> {
  if (comparison?.fieldId !== row.id || comparison.type !== row.type) throw changedMeanwhile()
  const written = [...comparison.written]
  let misfits = 0
  for (let i = 0; i < written.length; i += VALUES_PER_QUERY) {
    const ids = written.slice(i, i + VALUES_PER_QUERY)
    misfits += misfitsOf(await store.allParts(tx, row.objectName, row.id, ids), next)
  }
  if (misfits > 0) throw doNotFit(misfits)
}

const doNotFit = (count: number) =>
  invalid(
    'body.type',
    `cannot be changed: ${count} values do not fit the new type`,
    `无法修改：有 ${count} 个值不符合新类型`,
  )

const changedMeanwhile = () => badRequest('The field has been changed meanwhile: try again', '字段已被修改，请重试')

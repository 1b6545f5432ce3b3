/**
 * Changing the type of a field that has values. A field can have a million of them, so they are compared with the new type in steps
 * before the write; values that are written meanwhile are found, and compared inside it.
 */

import { type AppContext, perContext } from '#context'
import type { FieldType } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'
import { markWrites, type WriteMark } from '#db/write-marks.ts'
import { badRequest } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { MAX_PATTERN_STEPS } from '../types/types.model.ts'
import {
  canFollow,
  converted,
  isStoredAlike,
  type Part,
  patternStepsOf,
  type TypedField,
  valueOf,
} from '../types/types.rules.ts'
import { hasSeveralParts } from './fields.rules.ts'
import type { FieldRow } from './fields.store.ts'
import * as store from './retyping.store.ts'

/** Values that one statement reads. */
const VALUES_PER_QUERY = 1000
/** Values that are written again, in one write, if the new type stores them in another way. */
const MAX_CONVERTED = 10_000
/** Steps of patterns after which other requests get a turn: about 15 ms. */
const STEPS_PER_TURN = 1_000_000

/** The values of a field, compared with a type. */
export interface Comparison {
  readonly fieldId: number
  readonly type: FieldType
  /** Entities whose value has been written since, on SQLite. */
  readonly written: ReadonlySet<number>
  /** To find them on PostgreSQL, where other processes may have written them. */
  readonly since: WriteMark | undefined
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
    const since = await markWrites(ctx.db.read)
    const misfits = await countMisfits(ctx.db.readInWorker, row, next)
    if (misfits > 0) throw doNotFit(misfits)
    return { ...comparison, type: row.type, since, end }
  } catch (error) {
    end()
    throw error
  }
}

async function countMisfits(db: Db, row: FieldRow, next: TypedField): Promise<number> {
  if (!canFollow(row.type, next.type)) return store.countValues(db, row.id)
  let misfits = 0
  let values = 0
  let after: store.ValueRow | undefined
  for (;;) {
    const rows = await store.nextFirstParts(db, row.id, after, VALUES_PER_QUERY)
    values += rows.length
    if (values > MAX_CONVERTED && !isStoredAlike(row.type, next.type)) throw tooManyToConvert()
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
  if (!hasSeveralParts(row.type))
    return misfitsInTurns(
      first.map((part) => [part]),
      row,
      next,
    )
  const entityIds = first.map(({ entityId }) => entityId)
  return misfitsInTurns(byEntity(await store.allParts(db, row.objectName, row.id, entityIds)), row, next)
}

const byEntity = (parts: readonly store.ValueRow[]): Part[][] => [
  ...Map.groupBy(parts, ({ entityId }) => entityId).values(),
]

const misfitsOf = (values: readonly (readonly Part[])[], row: TypedField, next: TypedField): number =>
  values.filter((parts) => converted(row, next, parts) === undefined).length

/** The same outside a write, where other requests get a turn. */
async function misfitsInTurns(
  values: readonly (readonly Part[])[],
  row: TypedField,
  next: TypedField,
): Promise<number> {
  let misfits = 0
  let steps = 0
  for (const parts of values) {
    steps += stepsFor(parts, row, next)
    if (steps > STEPS_PER_TURN) {
      steps = 0
      await Bun.sleep(0)
    }
    misfits += misfitsOf([parts], row, next)
  }
  return misfits
}

/** That the pattern of the new type takes for a value. */
const stepsFor = (parts: readonly Part[], row: TypedField, next: TypedField): number =>
  patternStepsOf(next, String(valueOf(row, parts)))

/** Inside the write that changes the type. @throws AppError 400 if a value that was written meanwhile does not fit */
export async function refuseMisfits(
  tx: Tx,
  row: FieldRow,
  next: TypedField,
  comparison: Comparison | undefined,
): Promise<void> {
  if (comparison?.fieldId !== row.id || comparison.type !== row.type) throw changedMeanwhile()
  const { since } = comparison
  const written = since === undefined ? [...comparison.written] : await store.writtenSince(tx, row.id, since)
  let misfits = 0
  for (let i = 0; i < written.length; i += VALUES_PER_QUERY) {
    const ids = written.slice(i, i + VALUES_PER_QUERY)
    misfits += misfitsOf(byEntity(await store.allParts(tx, row.objectName, row.id, ids)), row, next)
  }
  if (misfits > 0) throw doNotFit(misfits)
}

/** Writes the values again if the new type stores them in another way. Such types have one part for each value. */
export async function convertValues(tx: Tx, row: FieldRow, next: TypedField): Promise<void> {
  if (isStoredAlike(row.type, next.type)) return
  const rows = await store.firstParts(tx, row.id, MAX_CONVERTED + 1)
  if (rows.length === 0) return
  const steps = rows.reduce((sum, stored) => sum + stepsFor([stored], row, next), 0)
  if (rows.length > MAX_CONVERTED || steps > MAX_PATTERN_STEPS) throw tooManyToConvert()
  const parts = rows.map((stored) => converted(row, next, [stored])?.[0])
  const misfits = parts.filter((part) => part === undefined).length
  if (misfits > 0) throw doNotFit(misfits)
  const written = rows.map((stored, i) => ({ ...stored, ...parts[i]! }))
  await store.replaceValues(tx, row.id, written)
}

const doNotFit = (count: number) =>
  invalid(
    'body.type',
    `cannot be changed: ${count} values do not fit the new type`,
    `无法修改：有 ${count} 个值不符合新类型`,
  )

const tooManyToConvert = () =>
  invalid(
    'body.type',
    `cannot be changed: the field has too many values to convert (at most ${MAX_CONVERTED})`,
    `无法修改：需要转换的值过多（最多 ${MAX_CONVERTED} 个）`,
  )

const changedMeanwhile = () => badRequest('The field has been changed meanwhile: try again', '字段已被修改，请重试')

/** Decisions about values of fields. Pure. */

import type { Part } from '../types/types.rules.ts'
import { type FieldRow, FILE_FIELD_TYPES, type ValueRow } from './values.model.ts'

export const isFileField = ({ type }: Pick<FieldRow, 'type'>): boolean => FILE_FIELD_TYPES.has(type)

/** What to do with the rows of one value so that they hold its new parts. Rows that stay the same are not touched. */
export interface RowChange {
  readonly deleted: readonly ValueRow[]
  readonly updated: readonly { readonly id: number; readonly position: number; readonly part: Part }[]
  readonly inserted: readonly { readonly position: number; readonly part: Part }[]
}

const isSame = (a: Part, b: Part): boolean => a.text === b.text && a.key === b.key && a.number === b.number

export const areSame = (before: readonly Part[], after: readonly Part[]): boolean =>
  before.length === after.length && before.every((part, i) => isSame(part, after[i]!))

/** `before` in the order of the positions. */
export function changeOfParts(before: readonly ValueRow[], after: readonly Part[]): RowChange {
  return {
    deleted: before.slice(after.length),
    updated: before.flatMap((row, i) => {
      const part = after[i]
      return part === undefined || isSame(row, part) ? [] : [{ id: row.id, position: row.position, part }]
    }),
    inserted: after.slice(before.length).map((part, i) => ({ position: before.length + i, part })),
  }
}

/** The same for files: each belongs to its row, so a file that stays keeps its row, and the row gets another position. */
export function changeOfFiles(before: readonly ValueRow[], after: readonly Part[]): RowChange {
  const rowOf = new Map(before.map((row) => [row.number, row]))
  const kept = new Set(after.map((part) => part.number))
  const moves = after.map((part, position) => ({ row: rowOf.get(part.number), position, part }))
  return {
    deleted: before.filter((row) => !kept.has(row.number)),
    updated: moves.flatMap(({ row, position, part }) =>
      row === undefined || row.position === position ? [] : [{ id: row.id, position, part }],
    ),
    inserted: moves.flatMap(({ row, position, part }) => (row === undefined ? [{ position, part }] : [])),
  }
}

/** Finds fields by id, or by key: of fields with the same key, that of the narrower scope (USER, then ORG, then GLOBAL). */
export class FieldFinder {
  readonly byId: ReadonlyMap<number, FieldRow>
  readonly #byKey = new Map<string, FieldRow>()

  constructor(readonly fields: readonly FieldRow[]) {
    this.byId = new Map(fields.map((field) => [field.id, field]))
    for (const field of fields) {
      const other = this.#byKey.get(field.key)
      if (other === undefined || narrowness(field) > narrowness(other)) this.#byKey.set(field.key, field)
    }
  }

  find({ fieldId, key }: { readonly fieldId?: number; readonly key?: string }): FieldRow | undefined {
    if (fieldId !== undefined) return this.byId.get(fieldId)
    return key === undefined ? undefined : this.#byKey.get(key)
  }
}

const narrowness = ({ owner }: FieldRow): number => (owner < 0 ? 2 : Math.sign(owner))

/** Rows by entity and field, in the order of their positions. */
export class StoredValues {
  readonly #rows = new Map<number, Map<number, ValueRow[]>>()

  constructor(rows: readonly ValueRow[]) {
    for (const row of rows.toSorted((a, b) => a.position - b.position)) {
      let ofEntity = this.#rows.get(row.entityId)
      if (ofEntity === undefined) this.#rows.set(row.entityId, (ofEntity = new Map()))
      const ofField = ofEntity.get(row.fieldId)
      if (ofField === undefined) ofEntity.set(row.fieldId, [row])
      else ofField.push(row)
    }
  }

  get(entityId: number, fieldId: number): readonly ValueRow[] {
    return this.#rows.get(entityId)?.get(fieldId) ?? NONE
  }
}

const NONE: readonly ValueRow[] = []

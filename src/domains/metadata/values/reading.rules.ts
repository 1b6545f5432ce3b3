/** The values of one entity: stored, in fixed columns, or computed when they are asked for. Pure. */

import type { MetaEntity } from '#domains/contributions.ts'
import type { Formula, Operand } from '#lib/formula/index.ts'

import {
  columnParts,
  compute,
  formulaOf,
  operandOf,
  operandOfResult,
  type Part,
  valueOf,
} from '../types/types.rules.ts'
import type { FieldRow } from './values.model.ts'
import { FieldFinder, type StoredValues } from './values.rules.ts'

/** The visible fields of an object, and the formulas of its COMPUTED fields. */
export class FieldSet extends FieldFinder {
  readonly #formulas = new Map<number, Formula>()

  /** `uses`: for each COMPUTED field, the fields that its formula names, by their keys. `zone`: in which times become days. */
  constructor(
    fields: readonly FieldRow[],
    readonly uses: ReadonlyMap<number, ReadonlyMap<string, number>>,
    readonly zone: string,
  ) {
    super(fields)
  }

  formulaOf(field: FieldRow): Formula {
    let formula = this.#formulas.get(field.id)
    if (formula === undefined) this.#formulas.set(field.id, (formula = formulaOf(field.config)))
    return formula
  }

  /** The field, and for a COMPUTED one those that its formula needs, directly or not. */
  neededBy(field: FieldRow): FieldSet {
    const needed = new Set([field])
    for (const { id } of needed)
      for (const usedId of this.uses.get(id)?.values() ?? []) {
        const used = this.byId.get(usedId)
        if (used !== undefined) needed.add(used)
      }
    return new FieldSet([...needed], this.uses, this.zone)
  }

  /** The COMPUTED fields, each after those that its formula names. */
  inOrder(): readonly FieldRow[] {
    if (this.#ordered !== undefined) return this.#ordered
    const ordered = new Set<FieldRow>()
    const entered = new Set<FieldRow>()
    // A stack of its own: hundreds of formulas can need each other in a row.
    const open = this.fields.filter(({ type }) => type === 'COMPUTED').toReversed()
    for (let field = open.at(-1); field !== undefined; field = open.at(-1)) {
      const used = entered.has(field) ? [] : this.#computedUses(field).filter((one) => !entered.has(one))
      entered.add(field)
      if (used.length > 0) open.push(...used)
      else {
        ordered.add(field)
        open.pop()
      }
    }
    return (this.#ordered = [...ordered])
  }
  #ordered: readonly FieldRow[] | undefined

  #computedUses({ id }: FieldRow): FieldRow[] {
    const used = [...(this.uses.get(id)?.values() ?? [])].flatMap((usedId) => this.byId.get(usedId) ?? [])
    return used.filter(({ type }) => type === 'COMPUTED')
  }

  operandOf(formula: FieldRow, key: string): FieldRow | undefined {
    const id = this.uses.get(formula.id)?.get(key)
    return id === undefined ? undefined : this.byId.get(id)
  }
}

type Computed = ReturnType<typeof compute>

export class EntityValues {
  readonly #computed = new Map<number, Computed>()

  constructor(
    readonly fields: FieldSet,
    readonly entity: MetaEntity,
    readonly stored: StoredValues,
  ) {}

  /** The parts of a value that is not computed. */
  partsOf(field: FieldRow): readonly Part[] {
    return field.entityColumn === null
      ? this.stored.get(this.entity.id, field.id)
      : columnParts(field, this.entity.columns[field.entityColumn] ?? null)
  }

  /** As JSON, with ids for references and files. Null if there is none. */
  get(field: FieldRow): unknown {
    return field.type === 'COMPUTED' ? this.#compute(field) : valueOf(field, this.partsOf(field))
  }

  #compute(field: FieldRow): Computed {
    const known = this.#computed.get(field.id)
    if (known !== undefined) return known
    // Formulas have no cycles. If rows of the database were changed by hand, a field that needs itself is empty.
    this.#computed.set(field.id, null)
    const result = compute(field.config, this.fields.formulaOf(field), (key) =>
      this.#operand(this.fields.operandOf(field, key)),
    )
    this.#computed.set(field.id, result)
    return result
  }

  #operand(field: FieldRow | undefined): Operand {
    if (field === undefined) return null
    return field.type === 'COMPUTED'
      ? operandOfResult(field.config, this.#compute(field))
      : operandOf(field, this.partsOf(field), this.fields.zone)
  }
}

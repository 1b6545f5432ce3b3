/**
 * Checks new values of any number of entities with a bounded number of queries, and writes them. Everything is checked before anything
 * is written, so that all problems are reported together.
 */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { EntityColumn } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'
import type { ColumnValues, MetaEntity, RefTarget } from '#domains/contributions.ts'
import { type FileRow, findFiles } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'

import { templatesInForce } from '../bindings/bindings.store.ts'
import { visibleFields } from '../fields/fields.store.ts'
import { isEnabled } from '../objects/objects.store.ts'
import { MAX_PATTERN_STEPS, MAX_PATTERN_STEPS_AT_ONCE } from '../types/types.model.ts'
import {
  columnParts,
  columnValue,
  fileProblem,
  isProblem,
  parseValue,
  type Part,
  patternStepsOf,
  valueOf,
} from '../types/types.rules.ts'
import { pauseIn, refSource, seesTargets, targetOf, titlesIn } from './reading.service.ts'
import {
  noField,
  objectDisabled,
  repeatedField,
  requiredByTemplate,
  tooManyParts,
  tooMuchMatching,
  tooMuchText,
  unknownField,
  unknownTarget,
  unusableFile,
} from './values.errors.ts'
import { type FieldRow, MAX_PARTS, MAX_TEXTS } from './values.model.ts'
import { FieldFinder, isFileField, StoredValues } from './values.rules.ts'
import * as store from './values.store.ts'
import { type NewValue, writeValues } from './writing.service.ts'

/** The field is named by its id or by its key. */
export interface ValueInput {
  readonly fieldId?: number
  readonly key?: string
  readonly value: unknown
}

export interface ValuesOfEntity {
  /** Undefined if it is about to be created. */
  readonly entity: MetaEntity | undefined
  readonly values: readonly ValueInput[]
  /** Of `values`, for problems: `body.values`. */
  readonly path: string
}

export interface ValuePlan {
  /** New values of fixed columns that differ from the present ones. The caller writes them. */
  readonly columns: ColumnValues
  /** The paths of the values for `columns`, for problems that the caller finds. */
  readonly columnPaths: Readonly<Partial<Record<EntityColumn, string>>>
  /** Whether `apply` changes anything. */
  readonly changes: boolean
  /** Writes all other values, in the write in which they were planned. @throws AppError 400 if a file was used meanwhile */
  apply(entityId: number): Promise<void>
  /** For `applyAll`. */
  readonly values: readonly NewValue[]
}

interface Draft {
  readonly entity: MetaEntity | undefined
  readonly columns: Partial<Record<EntityColumn, string | number | null>>
  readonly columnPaths: Partial<Record<EntityColumn, string>>
  readonly values: NewValue[]
  /** Fields that are cleared, with the paths of their values. */
  readonly cleared: Map<number, string>
}

/** @throws AppError 400 with all problems, at `<path>.<i>.value` */
export async function planValues(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  objectName: string,
  items: readonly ValuesOfEntity[],
): Promise<ValuePlan[]> {
  const { plans, problems } = await checkValues(ctx, tx, owner, objectName, items)
  if (problems.length > 0) throw invalidAll(problems)
  return plans
}

/** The same for callers that report problems in their own way. With a `Db` nothing can be applied: for a dry run. */
export async function checkValues(
  ctx: AppContext,
  db: Db | Tx,
  owner: Owner,
  objectName: string,
  items: readonly ValuesOfEntity[],
): Promise<{ readonly plans: ValuePlan[]; readonly problems: readonly FieldProblem[] }> {
  const given = items.filter(({ values }) => values.length > 0)
  if (given.length === 0) return { plans: items.map(() => NOTHING), problems: [] }
  if (!(await isEnabled(db, objectName)))
    return { plans: [], problems: given.map(({ path }) => ({ path, text: objectDisabled })) }
  const checker = new Checker(ctx, db, owner, objectName)
  const drafts = await checker.draft(items)
  await checker.checkTexts(drafts)
  await checker.checkTargets(drafts)
  await checker.checkFiles(drafts)
  await checker.checkRequired(drafts)
  return { plans: drafts.map((draft) => checker.planOf(draft)), problems: checker.problems }
}

const NOTHING: ValuePlan = { columns: {}, columnPaths: {}, changes: false, apply: async () => {}, values: [] }

const charactersOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { text, key }) => sum + (text ?? key ?? '').length, 0)

/** Steps of patterns between two pauses, unless one text takes more: about 15 ms. */
const STEPS_AT_ONCE = 1_000_000

class Checker {
  readonly problems: FieldProblem[] = []
  /** That the patterns of the values so far can take. */
  #steps = 0
  /** Since the last pause. */
  #stepsAtOnce = 0
  /** Of the fields that the owner sees. */
  #fieldIds: readonly number[] = []

  constructor(
    readonly ctx: AppContext,
    readonly db: Db | Tx,
    readonly owner: Owner,
    readonly objectName: string,
  ) {}

  #refuse(path: string, text: Localized): void {
    this.problems.push({ path, text })
  }

  /** Everything that the fields alone decide. */
  async draft(items: readonly ValuesOfEntity[]): Promise<Draft[]> {
    const fields = new FieldFinder(await visibleFields(this.db, this.objectName, this.owner))
    this.#fieldIds = [...fields.byId.keys()]
    const named = items.map(({ values, path }) => this.#fieldsOf(fields, values, path))
    const stored = await this.#storedValues(items, new Set(named.flat().map((input) => input?.field)))
    const drafts: Draft[] = []
    for (const [i, { entity, path }] of items.entries())
      drafts.push(await this.#draftOf(entity, named[i]!, stored, path))
    return drafts
  }

  /** The field of each value; undefined where there is a problem. */
  #fieldsOf(fields: FieldFinder, values: readonly ValueInput[], path: string) {
    const seen = new Set<FieldRow>()
    return values.map((input, i) => {
      const field = fields.find(input)
      const isNamed = input.fieldId !== undefined || input.key !== undefined
      const problem =
        field === undefined ? (isNamed ? unknownField : noField) : seen.has(field) ? repeatedField : undefined
      if (field !== undefined) seen.add(field)
      if (problem !== undefined) this.#refuse(`${path}.${i}.value`, problem)
      return field === undefined || problem !== undefined ? undefined : { field, value: input.value }
    })
  }

  async #storedValues(
    items: readonly ValuesOfEntity[],
    fields: ReadonlySet<FieldRow | undefined>,
  ): Promise<StoredValues> {
    const fieldIds = [...fields].flatMap((field) => (field?.entityColumn === null ? [field.id] : []))
    const entityIds = items.flatMap(({ entity }) => entity?.id ?? [])
    const entities = { objectName: this.objectName, owners: [ownerKey(this.owner)], entityIds }
    return new StoredValues(await store.findValues(this.db, entities, fieldIds))
  }

  async #draftOf(
    entity: MetaEntity | undefined,
    inputs: readonly ({ readonly field: FieldRow; readonly value: unknown } | undefined)[],
    stored: StoredValues,
    path: string,
  ): Promise<Draft> {
    const draft: Draft = { entity, columns: {}, columnPaths: {}, values: [], cleared: new Map() }
    let parts = 0
    let steps = 0
    for (const [i, input] of inputs.entries()) {
      if (input === undefined) continue
      const { field } = input
      const at = `${path}.${i}.value`
      const rows = entity === undefined || field.entityColumn !== null ? [] : stored.get(entity.id, field.id)
      const before =
        field.entityColumn === null ? rows : columnParts(field, entity?.columns[field.entityColumn] ?? null)
      const needed = patternStepsOf(field, input.value)
      steps += needed
      this.#steps += needed
      if (steps > MAX_PATTERN_STEPS || this.#steps > MAX_PATTERN_STEPS_AT_ONCE) {
        this.#refuse(at, tooMuchMatching)
        continue
      }
      this.#stepsAtOnce += needed
      if (this.#stepsAtOnce > STEPS_AT_ONCE) {
        this.#stepsAtOnce = needed
        await pauseIn(this.db)
      }
      const after = parseValue(field, input.value, before)
      if (isProblem(after)) {
        this.#refuse(at, after)
        continue
      }
      parts += after.length
      if (after.length === 0) draft.cleared.set(field.id, at)
      // As values, not as parts: the parts are in the order of the options, which may have changed.
      if (Bun.deepEquals(valueOf(field, before), valueOf(field, after))) continue
      if (field.entityColumn === null) draft.values.push({ field, before: rows, after, path: at })
      else {
        draft.columns[field.entityColumn] = columnValue(field, after)
        draft.columnPaths[field.entityColumn] = at
      }
    }
    if (parts > MAX_PARTS) this.#refuse(path, tooManyParts)
    return draft
  }

  /** The texts of an entity are limited together. Those that become shorter are always accepted. */
  async checkTexts(drafts: readonly Draft[]): Promise<void> {
    const growth = ({ values }: Draft): number =>
      values.reduce((sum, { before, after }) => sum + charactersOf(after) - charactersOf(before), 0)
    const growing = drafts.filter((draft) => growth(draft) > 0)
    const entityIds = growing.flatMap(({ entity }) => entity?.id ?? [])
    const of = { objectName: this.objectName, owners: [ownerKey(this.owner)], entityIds }
    const present = await store.textLengths(this.db, of, this.#fieldIds)
    for (const draft of growing) {
      if ((present.get(draft.entity?.id ?? 0) ?? 0) + growth(draft) <= MAX_TEXTS) continue
      const [longest] = draft.values.toSorted((a, b) => charactersOf(b.after) - charactersOf(a.after))
      this.#refuse(longest!.path, tooMuchText)
    }
  }

  /** New targets of references must exist, belong to the same owner, and be visible to the caller. */
  async checkTargets(drafts: readonly Draft[]): Promise<void> {
    const byTarget = new Map<RefTarget, { id: number; path: string }[]>()
    for (const { field, after, path } of drafts.flatMap(({ values }) => values))
      if (field.type === 'REF' && after.length > 0) {
        const refs = byTarget.get(targetOf(field)) ?? []
        byTarget.set(targetOf(field), refs)
        refs.push({ id: after[0]!.number!, path })
      }
    const owner = ownerKey(this.owner)
    for (const [target, refs] of byTarget) {
      const source = refSource(this.ctx, target)
      const known =
        source !== undefined && (await seesTargets(this.ctx, this.owner, owner, source))
          ? await titlesIn(this.db, source, owner, [...new Set(refs.map(({ id }) => id))])
          : new Map<number, string>()
      for (const { id, path } of refs) if (!known.has(id)) this.#refuse(path, unknownTarget)
    }
  }

  /** New files must be unused uploads of the caller for the same owner, of a kind that the field takes. */
  async checkFiles(drafts: readonly Draft[]): Promise<void> {
    const values = drafts.flatMap(({ values }) => values).filter(({ field }) => isFileField(field))
    const added = values.map(({ before, after }) => {
      const kept = new Set(before.map((row) => row.number))
      return after.flatMap(({ number }) => (kept.has(number) ? [] : [number!]))
    })
    const found = new Map((await findFiles(this.db, added.flat())).map((file) => [file.id, file]))
    const used = new Set<number>()
    for (const [i, { field, path }] of values.entries())
      for (const id of added[i]!) {
        const file = found.get(id)
        const isUsable = file !== undefined && this.#isUsable(file) && !used.has(id)
        used.add(id)
        const problem = isUsable ? fileProblem(field, file) : unusableFile
        if (problem !== undefined) {
          this.#refuse(path, problem)
          break
        }
      }
  }

  #isUsable = ({ uploaderId, orgId, entityType }: FileRow): boolean =>
    uploaderId === this.owner.userId && orgId === this.owner.orgId && entityType === null

  /** Fields that a template in force requires cannot be cleared. */
  async checkRequired(drafts: readonly Draft[]): Promise<void> {
    const clearing = drafts.filter(({ entity, cleared }) => entity !== undefined && cleared.size > 0)
    const fieldIds = new Set(clearing.flatMap(({ cleared }) => [...cleared.keys()]))
    if (!(await store.isRequiredAnywhere(this.db, [...fieldIds]))) return
    const bound = await store.boundEntities(
      this.db,
      this.objectName,
      clearing.map(({ entity }) => entity!.id),
    )
    // Entities without templates of their own share those of their category.
    const known = new Map<string, ReadonlySet<number>>()
    for (const { entity, cleared } of clearing) {
      const name = bound.has(entity!.id) ? `entity ${entity!.id}` : entity!.templateIds.join()
      let required = known.get(name)
      if (required === undefined) {
        const { fields } = await templatesInForce(this.db, this.objectName, entity!, this.owner)
        required = new Set(fields.filter((field) => field.required).map((field) => field.fieldId))
        known.set(name, required)
      }
      for (const [fieldId, path] of cleared) if (required.has(fieldId)) this.#refuse(path, requiredByTemplate)
    }
  }

  planOf({ columns, columnPaths, values }: Draft): ValuePlan {
    const { ctx, db, owner, objectName } = this
    return {
      columns,
      columnPaths,
      changes: values.length > 0,
      async apply(entityId) {
        if (!('stamp' in db)) throw new Error('values that were planned with a reader cannot be written')
        await writeValues(ctx, db, owner, objectName, [{ entityId, values }])
      },
      values,
    }
  }
}

/** Applies the plans of many entities, whose number does not decide that of the statements. */
export async function applyAll(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  objectName: string,
  items: readonly { readonly entityId: number; readonly plan: ValuePlan }[],
): Promise<void> {
  const changed = items.filter(({ plan }) => plan.changes)
  if (changed.length === 0) return
  const planned = changed.map(({ entityId, plan: { values } }) => ({ entityId, values }))
  await writeValues(ctx, tx, owner, objectName, planned)
}

/** Fields: creating, changing and deleting them in every scope, and the formulas that name them. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { EntityColumn, FieldConfig, FieldType } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Actor, LoggedActor, Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { FormulaError, parseFormula } from '#lib/formula/index.ts'
import type { Locale } from '#lib/localized.ts'

import { checkScope, tooManyOf, unknownObject, unknownOwner, widerScope } from '../metadata.errors.ts'
import { GLOBAL, ownerOf, scopeOf, storedFieldName, typeOfColumn } from '../metadata.rules.ts'
import { requireObject } from '../objects/objects.service.ts'
import { findObject } from '../objects/objects.store.ts'
import { existsOwner } from '../owners.store.ts'
import { checkConfig } from '../types/types.rules.ts'
import { reportSome } from './broken.service.ts'
import { ordersOptionsAnew, raiseVersions } from './changes.service.ts'
import {
  type AllFieldsQuery,
  type CreateAnyField,
  type CreateField,
  type FieldView,
  MAX_CONFIGS,
  MAX_FIELDS,
  MAX_FORMULAS,
  type OrgFieldsQuery,
  type UpdateField,
} from './fields.model.ts'
import { makesCycle } from './fields.rules.ts'
import * as store from './fields.store.ts'
import type { FieldRow } from './fields.store.ts'
import { loggedField, toFieldView } from './fields.view.ts'
import { compareValues, type Comparison, convertValues, refuseMisfits } from './retyping.service.ts'

/** Fields of scope GLOBAL and of the organization. */
export async function listOrgFields(
  ctx: AppContext,
  { userId, orgId }: Owner,
  objectName: string,
  { scope, ...query }: OrgFieldsQuery,
  locale: Locale,
): Promise<Page<FieldView>> {
  await requireObject(ctx.db.read, objectName)
  const owners = [GLOBAL, orgId].filter((one) => scope === undefined || scopeOf(one) === scope)
  return pageOfFields(ctx, userId, objectName, owners, query, locale)
}

export async function pageOfFields(
  ctx: AppContext,
  userId: number,
  objectName: string,
  owners: readonly number[],
  query: OrgFieldsQuery,
  locale: Locale,
  ids?: readonly number[],
): Promise<Page<FieldView>> {
  const pageIn = (db: Db) => store.fieldsPage(db, objectName, owners, query, ids)
  const page = await (query.keyword ? ctx.db.search(userId, pageIn) : pageIn(ctx.db.read))
  return mapPage(page, (row) => toFieldView(row, locale))
}

/** Fields of every scope. Counting them looks at the fields of all users, so it is done on the worker. */
export async function listAllFields(
  ctx: AppContext,
  actor: Actor,
  query: AllFieldsQuery,
  locale: Locale,
): Promise<Page<FieldView>> {
  const pageIn = (db: Db) => store.allFieldsPage(db, query)
  const page = await (query.keyword ? ctx.db.search(actor.userId, pageIn) : pageIn(ctx.db.readInWorker))
  return mapPage(page, (row) => toFieldView(row, locale))
}

/** Creates a field of the organization, or of the user. */
export async function createField(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  input: CreateField,
  locale: Locale,
): Promise<FieldView> {
  await requireObject(ctx.db.read, objectName)
  const field = newField(ownerKey(owner), objectName, null, input)
  return ctx.db.write('metadata.createField', async (tx) => {
    if (!(await existsOwner(tx, field.owner))) throw notFound()
    return toFieldView(await insertField(tx, field), locale)
  })
}

/** Creates a field of any scope. */
export async function createAnyField(
  ctx: AppContext,
  actor: LoggedActor,
  input: CreateAnyField,
  locale: Locale,
): Promise<FieldView> {
  checkScope(input)
  if ((await findObject(ctx.db.read, input.objectName)) === undefined) throw unknownObject('body.objectName')
  const field = newField(ownerOf(input), input.objectName, columnFor(input), input)
  return actor.write('metadata.createField', async (tx) => {
    if (!(await existsOwner(tx, field.owner))) throw unknownOwner(input)
    const row = await insertField(tx, field)
    return {
      result: toFieldView(row, locale),
      logged: { targetId: row.id, targetName: row.name, after: loggedField(row) },
    }
  })
}

/** The fixed column that the value of a new field is in. Names in snake_case are accepted, as in all requests. */
function columnFor({ entityColumn, objectName, scope, type }: CreateAnyField): EntityColumn | null {
  if (!entityColumn) return null
  const column = entityColumn.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const needed = scope === 'GLOBAL' ? typeOfColumn(objectName, column) : undefined
  if (needed === undefined)
    throw invalid(
      'body.entityColumn',
      'must be a fixed column of the object, and is only possible for scope GLOBAL',
      '必须是该对象的固定列，且范围须为 GLOBAL',
    )
  if (type !== needed)
    throw invalid('body.type', `must be ${needed} for this column`, `该列对应的字段类型必须为 ${needed}`)
  return column as EntityColumn
}

function newField(
  owner: number,
  objectName: string,
  entityColumn: EntityColumn | null,
  { name, type, key, config, description, sortOrder }: CreateField,
): store.NewField {
  return {
    objectName,
    owner,
    key: key ?? undefined,
    name: storedFieldName({ name, entityColumn }),
    type,
    entityColumn,
    config: checkedConfig(type, entityColumn, config),
    description: description ?? '',
    sortOrder: sortOrder ?? 0,
  }
}

/** Prices have two decimals in their column. */
function checkedConfig(type: FieldType, column: EntityColumn | null, given: unknown): FieldConfig {
  const config = checkConfig(type, given ?? {}, 'body.config')
  if (column !== 'purchasePrice') return config
  if (config['precision'] !== undefined && config['precision'] !== 2)
    throw invalid('body.config.precision', 'must be 2 for this column', '该列的小数位数必须为 2')
  return { ...config, precision: 2 }
}

/** Inserts a field whose values have been checked alone. */
async function insertField(tx: Tx, field: store.NewField): Promise<FieldRow> {
  const row = await insertUnlinked(tx, field)
  await linkFormula(tx, row)
  return row
}

async function insertUnlinked(tx: Tx, field: store.NewField): Promise<FieldRow> {
  const { objectName, owner, key, entityColumn } = field
  const usage = await store.fieldUsage(tx, objectName, owner)
  if (usage.n >= MAX_FIELDS) throw tooManyOf(MAX_FIELDS, 'fields of an object', '同一对象的字段')
  checkConfigSize(usage, field)
  if (key !== undefined && (await store.fieldWithKey(tx, objectName, owner, key)))
    throw invalid('body.key', 'is the key of another field', '已被其他字段使用')
  if (entityColumn !== null && (await store.columnIsTaken(tx, objectName, entityColumn)))
    throw invalid('body.entityColumn', 'has a field already', '该列已有对应的字段')
  return store.insertField(tx, field)
}

/** `others`: the other fields of the owner. */
function checkConfigSize(others: store.FieldUsage, { type, config }: Pick<FieldRow, 'type' | 'config'>): void {
  const size = JSON.stringify(config).length
  if (others.characters + size > MAX_CONFIGS)
    throw invalid(
      'body.config',
      `is too long: the configurations of all your fields of an object can have ${MAX_CONFIGS} characters together`,
      `过长：同一对象所有字段的配置合计最多 ${MAX_CONFIGS} 个字符`,
    )
  if (type === 'COMPUTED' && others.formulas + size > MAX_FORMULAS)
    throw formulaProblem(
      `is too long: the configurations of all your COMPUTED fields of an object can have ${MAX_FORMULAS} characters together`,
      `过长：同一对象所有计算字段的配置合计最多 ${MAX_FORMULAS} 个字符`,
    )
}

/** Stores which fields the formula of a COMPUTED field names. Its keys stand for the narrowest fields that it sees now. */
async function linkFormula(tx: Tx, row: FieldRow): Promise<void> {
  if (row.type !== 'COMPUTED') return
  const formula = parseFormula(String(row.config['formula']))
  if (formula instanceof FormulaError) throw formulaProblem(formula.message, formula.message)
  const keys = await store.keysFor(tx, row.objectName, row.owner)
  const named = formula.keys.map((key) => {
    const id = keys.get(key)
    if (id === undefined) throw formulaProblem(`names an unknown field: ${key}`, `引用了不存在的字段：${key}`)
    return id
  })
  if (makesCycle(row.id, named, await store.formulaUses(tx, row.objectName, row.owner)))
    throw formulaProblem('leads back to the field itself', '形成了循环引用')
  await store.setFormulaUses(tx, row.id, [...new Set(named)])
}

const formulaProblem = (en: string, zh: string) => invalid('body.config.formula', en, zh)

/**
 * A field of the organization, or of the user, which the caller may change.
 *
 * @throws AppError 403 for a field of a wider scope that the caller sees, otherwise 404
 */
async function ownField(ctx: AppContext, owner: Owner, objectName: string, id: number): Promise<FieldRow> {
  await requireObject(ctx.db.read, objectName)
  const row = await store.findField(ctx.db.read, id)
  if (row === undefined || row.objectName !== objectName) throw notFound()
  if (row.owner === ownerKey(owner)) return row
  if (row.owner === GLOBAL || (await seesOrgField(ctx, owner, row))) throw widerScope()
  throw notFound()
}

/** Whether a user who works without an organization sees the field of an organization. */
const seesOrgField = async (ctx: AppContext, { userId, orgId }: Owner, row: FieldRow): Promise<boolean> =>
  orgId === 0 && row.owner > 0 && (await access.can(ctx, userId, 'ORG', row.owner, 'meta_field:read'))

/** A field of any scope. */
async function anyField(db: Db | Tx, id: number): Promise<FieldRow> {
  const row = await store.findField(db, id)
  if (row === undefined) throw notFound()
  return row
}

export async function getOwnField(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  id: number,
  locale: Locale,
): Promise<FieldView> {
  return toFieldView(await ownField(ctx, owner, objectName, id), locale)
}

export const getAnyField = async (ctx: AppContext, id: number, locale: Locale): Promise<FieldView> =>
  toFieldView(await anyField(ctx.db.read, id), locale)

export async function updateField(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  id: number,
  input: UpdateField,
  locale: Locale,
): Promise<FieldView> {
  const row = await ownField(ctx, owner, objectName, id)
  return withComparison(ctx, row, input, (comparison) =>
    ctx.db.write('metadata.updateField', async (tx) =>
      toFieldView(await applyChange(ctx, tx, await anyField(tx, id), input, comparison), locale),
    ),
  )
}

export async function updateAnyField(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  input: UpdateField,
  locale: Locale,
): Promise<FieldView> {
  return withComparison(ctx, await anyField(ctx.db.read, id), input, (comparison) =>
    actor.write('metadata.updateField', async (tx) => {
      const before = await anyField(tx, id)
      const after = await applyChange(ctx, tx, before, input, comparison)
      const logged = { targetId: id, targetName: before.name, before: loggedField(before), after: loggedField(after) }
      return { result: toFieldView(after, locale), logged }
    }),
  )
}

/** Runs the write of a change after comparing the values of the field with its new type, if it gets one. */
async function withComparison<T>(
  ctx: AppContext,
  row: FieldRow,
  input: UpdateField,
  write: (comparison: Comparison | undefined) => Promise<T>,
): Promise<T> {
  const { type = row.type, config = row.config } = changeOf(row, input)
  if (type === row.type) return write(undefined)
  const comparison = await compareValues(ctx, row, { type, config })
  try {
    return await write(comparison)
  } finally {
    comparison.end()
  }
}

/** The columns that differ from the row. */
function changeOf(row: FieldRow, input: UpdateField): Partial<FieldRow> {
  const { type = row.type } = input
  if (type !== row.type && row.entityColumn !== null)
    throw invalid('body.type', `must be ${row.type} for this column`, `该列对应的字段类型必须为 ${row.type}`)
  const given = input.config === undefined ? row.config : input.config
  const isConfigured = input.config !== undefined || type !== row.type
  const wanted: Partial<FieldRow> = {
    ...(input.name !== undefined && { name: storedFieldName({ ...row, name: input.name }) }),
    type,
    ...(isConfigured && { config: checkedConfig(type, row.entityColumn, given) }),
    ...(input.description !== undefined && { description: input.description ?? '' }),
    ...(input.sortOrder !== undefined && { sortOrder: input.sortOrder }),
  }
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !Bun.deepEquals(value, row[name as keyof FieldRow])),
  )
}

async function applyChange(
  ctx: AppContext,
  tx: Tx,
  row: FieldRow,
  input: UpdateField,
  comparison: Comparison | undefined,
): Promise<FieldRow> {
  const change = changeOf(row, input)
  if (change.type !== undefined) {
    const next = { ...row, ...change }
    await refuseMisfits(tx, row, next, comparison)
    await convertValues(tx, row, next)
  }
  if (change.config !== undefined)
    checkConfigSize(await store.fieldUsage(tx, row.objectName, row.owner, row.id), { ...row, ...change })
  const changed = Object.keys(change).length === 0 ? row : await store.updateField(tx, row, change)
  if (row.type === 'COMPUTED' && changed.type !== 'COMPUTED') await store.setFormulaUses(tx, row.id, [])
  if (change.type !== undefined || input.config !== undefined) await linkFormula(tx, changed)
  if (change.type !== undefined || ordersOptionsAnew(row, changed)) await raiseVersions(ctx, tx, changed)
  return changed
}

export async function deleteField(ctx: AppContext, owner: Owner, objectName: string, id: number): Promise<void> {
  await ownField(ctx, owner, objectName, id)
  await ctx.db.write('metadata.deleteField', async (tx) => removeField(ctx, tx, await anyField(tx, id)))
}

export function deleteAnyField(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  return actor.write('metadata.deleteField', async (tx) => {
    const row = await anyField(tx, id)
    await removeField(ctx, tx, row)
    return { result: undefined, logged: { targetId: id, targetName: row.name, before: loggedField(row) } }
  })
}

/** Formulas of narrower scopes name it in vain from now on. Users could otherwise keep administrators from deleting a field. */
async function removeField(ctx: AppContext, tx: Tx, row: FieldRow): Promise<void> {
  const uses = await store.formulaUses(tx, row.objectName, row.owner)
  if ([...uses.values()].some((named) => named.includes(row.id)))
    throw badRequest('A formula uses the field: change the formula first', '有公式使用该字段，请先修改公式')
  await store.deleteField(tx, row)
  await reportSome(ctx, tx, row)
  await raiseVersions(ctx, tx, row)
}

/**
 * Gives an organization its own copies of GLOBAL fields. Fields for fixed columns stay GLOBAL, and a field of the organization with the
 * same key and type is used again. Returns the ids to use, by the ids of the sources.
 */
export async function copyFields(tx: Tx, orgId: number, sources: readonly FieldRow[]): Promise<Map<number, number>> {
  const ids = new Map<number, number>()
  const copies: FieldRow[] = []
  for (const source of sources) {
    if (source.entityColumn !== null) {
      ids.set(source.id, source.id)
      continue
    }
    const { objectName, key, name, type, config, description, sortOrder } = source
    const existing = await store.fieldWithKey(tx, objectName, orgId, key)
    if (existing !== undefined && existing.type !== type) throw keyOfAnotherType(key, existing.type)
    if (existing === undefined) {
      const values = { objectName, key, name, type, config, description, sortOrder, entityColumn: null, owner: orgId }
      copies.push(await insertUnlinked(tx, values))
    }
    ids.set(source.id, existing?.id ?? copies.at(-1)!.id)
  }
  // A formula can name a field that is copied after it.
  for (const copy of copies) await linkFormula(tx, copy)
  return ids
}

const keyOfAnotherType = (key: string, type: FieldType) =>
  badRequest(
    `The organization has a field with the key ${key} and another type (${type})`,
    `组织已有键为 ${key} 但类型不同（${type}）的字段`,
  )

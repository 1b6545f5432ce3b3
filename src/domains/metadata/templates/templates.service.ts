/** Templates: creating, changing, copying and deleting them in every scope, and their fields. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { emit } from '#domains/domain.ts'
import type { Actor, LoggedActor, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid, invalidAll } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'

import { copyFields } from '../fields/fields.service.ts'
import { fieldsWithIds } from '../fields/fields.store.ts'
import { checkScope, tooManyOf, unknownObject, unknownOwner, widerScope } from '../metadata.errors.ts'
import { GLOBAL, ownerOf, shownTemplateName, storedTemplateName } from '../metadata.rules.ts'
import { requireObject } from '../objects/objects.service.ts'
import { findObject } from '../objects/objects.store.ts'
import { existsOwner } from '../owners.store.ts'
import {
  type AllTemplatesQuery,
  type CreateAnyTemplate,
  type CreateTemplate,
  type ForkTemplate,
  MAX_TEMPLATES,
  type OrgTemplatesQuery,
  type SetTemplateFields,
  type TemplateFields,
  type TemplatesOfOrgQuery,
  type TemplatesQuery,
  type TemplateView,
  type UpdateTemplate,
} from './templates.model.ts'
import * as store from './templates.store.ts'
import type { TemplateField, TemplateRow } from './templates.store.ts'
import { loggedTemplate, toTemplateFields, toTemplatePage, toTemplateView } from './templates.view.ts'

/** GLOBAL templates and the caller's own, or for categories of an organization GLOBAL templates and those of the organization. */
export async function listTemplates(
  ctx: AppContext,
  { userId }: Actor,
  objectName: string,
  { categoryScope, orgId, ...query }: TemplatesQuery,
  locale: Locale,
): Promise<Page<TemplateView>> {
  await requireObject(ctx.db.read, objectName)
  if (categoryScope !== 'ORG') return pageOfTemplates(ctx, userId, objectName, -userId, query, locale)
  if (orgId === undefined)
    throw invalid('query.orgId', 'is required for categoryScope ORG', 'categoryScope 为 ORG 时不能为空')
  await access.requirePoint(ctx, userId, orgId, 'meta_template:read')
  return pageOfTemplates(ctx, userId, objectName, orgId, query, locale)
}

/** GLOBAL templates and those of the organization. */
export async function listOrgTemplates(
  ctx: AppContext,
  { userId, orgId }: Owner,
  objectName: string,
  query: OrgTemplatesQuery,
  locale: Locale,
): Promise<Page<TemplateView>> {
  await requireObject(ctx.db.read, objectName)
  return pageOfTemplates(ctx, userId, objectName, orgId, query, locale)
}

async function pageOfTemplates(
  ctx: AppContext,
  userId: number,
  objectName: string,
  owner: number,
  query: OrgTemplatesQuery,
  locale: Locale,
): Promise<Page<TemplateView>> {
  const pageIn = (db: Db) => store.templatesPage(db, objectName, [GLOBAL, owner], query)
  const page = await (query.keyword ? ctx.db.search(userId, pageIn) : pageIn(ctx.db.read))
  return toTemplatePage(ctx.db.read, page, locale)
}

/** Templates of every scope. Counting them looks at those of all users, so it is done on the worker. */
export async function listAllTemplates(
  ctx: AppContext,
  actor: Actor,
  query: AllTemplatesQuery,
  locale: Locale,
): Promise<Page<TemplateView>> {
  const pageIn = (db: Db) => store.allTemplatesPage(db, query)
  const page = await (query.keyword ? ctx.db.search(actor.userId, pageIn) : pageIn(ctx.db.readInWorker))
  return toTemplatePage(ctx.db.read, page, locale)
}

/** @throws AppError 404 if there is no such organization */
export async function listTemplatesOfOrg(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  query: TemplatesOfOrgQuery,
  locale: Locale,
): Promise<Page<TemplateView>> {
  if (!(await existsOwner(ctx.db.read, orgId))) throw notFound()
  return listAllTemplates(ctx, actor, { ...query, orgId }, locale)
}

/** Creates a template of the organization, or of the user. */
export async function createTemplate(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  input: CreateTemplate,
  locale: Locale,
): Promise<TemplateView> {
  await requireObject(ctx.db.read, objectName)
  return ctx.db.write('metadata.createTemplate', async (tx) => {
    if (!(await existsOwner(tx, ownerKey(owner)))) throw notFound()
    return toTemplateView(tx, await insertTemplate(tx, ownerKey(owner), objectName, input), locale)
  })
}

/** Creates a template of any scope. */
export async function createAnyTemplate(
  ctx: AppContext,
  actor: LoggedActor,
  input: CreateAnyTemplate,
  locale: Locale,
): Promise<TemplateView> {
  checkScope(input)
  if ((await findObject(ctx.db.read, input.objectName)) === undefined) throw unknownObject('body.objectName')
  return actor.write('metadata.createTemplate', async (tx) => {
    if (!(await existsOwner(tx, ownerOf(input)))) throw unknownOwner(input)
    const row = await insertTemplate(tx, ownerOf(input), input.objectName, input)
    return {
      result: await toTemplateView(tx, row, locale),
      logged: { targetId: row.id, targetName: row.name, after: loggedTemplate(row) },
    }
  })
}

async function insertTemplate(
  tx: Tx,
  owner: number,
  objectName: string,
  { name, description, isDefault = false }: CreateTemplate,
  sourceId: number | null = null,
): Promise<TemplateRow> {
  if ((await store.countTemplates(tx, objectName, owner)) >= MAX_TEMPLATES)
    throw tooManyOf(MAX_TEMPLATES, 'templates of an object', '同一对象的模板')
  if (isDefault) await store.clearDefault(tx, objectName, owner)
  const named = { objectName, owner, name: storedTemplateName({ objectName, owner, name }) }
  return store.insertTemplate(tx, { ...named, description: description ?? '', isDefault, sourceId })
}

/**
 * A template that the caller sees: a GLOBAL one, or one of the organization or of the user.
 *
 * @throws AppError 404
 */
async function visibleTemplate(db: Db | Tx, owner: Owner, id: number): Promise<TemplateRow> {
  const row = await store.findTemplate(db, id)
  if (row === undefined || (row.owner !== GLOBAL && row.owner !== ownerKey(owner))) throw notFound()
  await requireObject(db, row.objectName)
  return row
}

/** @throws AppError 403 for a GLOBAL template, 404 for one that the caller does not see */
async function ownTemplate(db: Db | Tx, owner: Owner, id: number): Promise<TemplateRow> {
  const row = await visibleTemplate(db, owner, id)
  if (row.owner === GLOBAL) throw widerScope()
  return row
}

/** A template of any scope. */
async function anyTemplate(db: Db | Tx, id: number): Promise<TemplateRow> {
  const row = await store.findTemplate(db, id)
  if (row === undefined) throw notFound()
  return row
}

export const getOwnTemplate = async (
  { db }: AppContext,
  owner: Owner,
  id: number,
  locale: Locale,
): Promise<TemplateView> => toTemplateView(db.read, await ownTemplate(db.read, owner, id), locale)

export const getAnyTemplate = async ({ db }: AppContext, id: number, locale: Locale): Promise<TemplateView> =>
  toTemplateView(db.read, await anyTemplate(db.read, id), locale)

export function updateTemplate(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateTemplate,
  locale: Locale,
): Promise<TemplateView> {
  return ctx.db.write('metadata.updateTemplate', async (tx) =>
    toTemplateView(tx, await changeTemplate(tx, await ownTemplate(tx, owner, id), input), locale),
  )
}

export function updateAnyTemplate(
  actor: LoggedActor,
  id: number,
  input: UpdateTemplate,
  locale: Locale,
): Promise<TemplateView> {
  return actor.write('metadata.updateTemplate', async (tx) => {
    const before = await anyTemplate(tx, id)
    const after = await changeTemplate(tx, before, input)
    const logged = { before: loggedTemplate(before), after: loggedTemplate(after) }
    return {
      result: await toTemplateView(tx, after, locale),
      logged: { targetId: id, targetName: before.name, ...logged },
    }
  })
}

async function changeTemplate(tx: Tx, row: TemplateRow, input: UpdateTemplate): Promise<TemplateRow> {
  const wanted: Partial<TemplateRow> = {
    ...(input.name !== undefined && { name: storedTemplateName({ ...row, name: input.name }) }),
    ...(input.description !== undefined && { description: input.description ?? '' }),
    ...(input.isDefault !== undefined && { isDefault: input.isDefault }),
  }
  const change = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== row[name as keyof TemplateRow]),
  ) as Partial<TemplateRow>
  if (Object.keys(change).length === 0) return row
  if (change.isDefault === true) await store.clearDefault(tx, row.objectName, row.owner)
  return store.updateTemplate(tx, row, change)
}

export function deleteTemplate(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  return ctx.db.write('metadata.deleteTemplate', async (tx) =>
    removeTemplate(ctx, tx, await ownTemplate(tx, owner, id)),
  )
}

export function deleteAnyTemplate(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  return actor.write('metadata.deleteTemplate', async (tx) => {
    const row = await anyTemplate(tx, id)
    await removeTemplate(ctx, tx, row)
    return { result: undefined, logged: { targetId: id, targetName: row.name, before: loggedTemplate(row) } }
  })
}

/** Its bindings end, because only live templates count. Values stay. */
async function removeTemplate(ctx: AppContext, tx: Tx, row: TemplateRow): Promise<void> {
  await emit(ctx, tx, 'metaTemplate.deleting', { templateId: row.id })
  await store.updateTemplate(tx, row, { deletedAt: tx.stamp, isDefault: false })
}

export async function getTemplateFields(
  ctx: AppContext,
  owner: Owner,
  id: number,
  locale: Locale,
): Promise<TemplateFields> {
  return toTemplateFields(ctx.db.read, await visibleTemplate(ctx.db.read, owner, id), locale)
}

export const getAnyTemplateFields = async (ctx: AppContext, id: number, locale: Locale): Promise<TemplateFields> =>
  toTemplateFields(ctx.db.read, await anyTemplate(ctx.db.read, id), locale)

export function setTemplateFields(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: SetTemplateFields,
  locale: Locale,
): Promise<TemplateFields> {
  return ctx.db.write('metadata.setTemplateFields', async (tx) => {
    const row = await ownTemplate(tx, owner, id)
    await replaceFields(tx, row, input)
    return toTemplateFields(tx, row, locale)
  })
}

export function setAnyTemplateFields(
  actor: LoggedActor,
  id: number,
  input: SetTemplateFields,
  locale: Locale,
): Promise<TemplateFields> {
  return actor.write('metadata.setTemplateFields', async (tx) => {
    const row = await anyTemplate(tx, id)
    const { before, after } = await replaceFields(tx, row, input)
    return {
      result: await toTemplateFields(tx, row, locale),
      logged: { targetId: id, targetName: row.name, before: { fields: before }, after: { fields: after } },
    }
  })
}

/** Replaces all fields, and raises the version if they differ. */
async function replaceFields(
  tx: Tx,
  row: TemplateRow,
  { items }: SetTemplateFields,
): Promise<{ before: readonly TemplateField[]; after: readonly TemplateField[] }> {
  const after = items.map(({ fieldId, group, required = false }) => ({ fieldId, group: group ?? '', required }))
  await checkFields(tx, row, after)
  const before = (await store.fieldsOfTemplates(tx, [row.id])).get(row.id)!
  if (!Bun.deepEquals(before, after)) {
    await store.setFields(tx, row.id, after)
    await store.updateTemplate(tx, row, {})
  }
  return { before, after }
}

/** A template takes GLOBAL fields and those of its own owner, each once. */
async function checkFields(tx: Tx, row: TemplateRow, fields: readonly TemplateField[]): Promise<void> {
  const ids = fields.map(({ fieldId }) => fieldId)
  const known = new Set((await fieldsWithIds(tx, row.objectName, [GLOBAL, row.owner], ids)).map(({ id }) => id))
  const problems = ids.flatMap((id, i) => {
    const path = `body.items.${i}.fieldId`
    if (!known.has(id))
      return [{ path, text: { en: 'is not a field that the template can have', zh: '不是该模板可用的字段' } }]
    return ids.indexOf(id) < i ? [{ path, text: { en: 'must not be repeated', zh: '不能重复' } }] : []
  })
  if (problems.length > 0) throw invalidAll(problems)
}

/** Copies a template that the caller sees: a copy of the user has the same fields. */
export function forkTemplate(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  input: ForkTemplate,
  locale: Locale,
): Promise<TemplateView> {
  const owner = { userId, orgId: 0 }
  return ctx.db.write('metadata.forkTemplate', async (tx) => {
    const source = await visibleTemplate(tx, owner, id)
    const fields = (await store.fieldsOfTemplates(tx, [id])).get(id)!
    return insertFork(tx, ownerKey(owner), source, fields, input, locale)
  })
}

/** Copies a GLOBAL template into an organization, with its fields: the organization can change them. */
export function forkIntoOrg(
  ctx: AppContext,
  orgId: number,
  id: number,
  input: ForkTemplate,
  locale: Locale,
): Promise<TemplateView> {
  return ctx.db.write('metadata.forkIntoOrg', async (tx) => {
    if (!(await existsOwner(tx, orgId))) throw notFound()
    const source = await anyTemplate(tx, id)
    if (source.owner !== GLOBAL) throw notFound()
    await requireObject(tx, source.objectName)
    const listed = (await store.fieldsOfTemplates(tx, [id])).get(id)!
    const ids = listed.map(({ fieldId }) => fieldId)
    const copies = await copyFields(tx, orgId, await fieldsWithIds(tx, source.objectName, [GLOBAL], ids))
    const fields = listed.map((field) => ({ ...field, fieldId: copies.get(field.fieldId)! }))
    return insertFork(tx, orgId, source, fields, input, locale)
  })
}

const COPY = ' (copy)'

/** Cut to the 100 characters that a name can have. */
function copyName(name: string): string {
  const characters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment)
  return `${characters
    .slice(0, 100 - COPY.length)
    .join('')
    .trim()}${COPY}`
}

async function insertFork(
  tx: Tx,
  owner: number,
  source: TemplateRow,
  fields: readonly TemplateField[],
  input: ForkTemplate,
  locale: Locale,
): Promise<TemplateView> {
  const name = input.name ?? copyName(shownTemplateName(source, locale))
  const values = { name, description: source.description, isDefault: false }
  const row = await insertTemplate(tx, owner, source.objectName, values, source.id)
  await store.setFields(tx, row.id, fields)
  return toTemplateView(tx, row, locale)
}

/** Templates of passes: personal ones, and those of organizations. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { TemplateField } from '#db/schema/passes.ts'
import type { Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import {
  type CreateTemplate,
  MAX_TEMPLATES,
  type TemplatesQuery,
  type TemplateView,
  type UpdateTemplate,
} from './pass-templates.model.ts'
import * as store from './pass-templates.store.ts'

export const listTemplates = async (
  ctx: AppContext,
  owner: Owner,
  query: TemplatesQuery,
): Promise<Page<TemplateView>> => mapPage(await store.templatesPage(ctx.db.read, ownerKey(owner), query), toView)

export function createTemplate(ctx: AppContext, owner: Owner, input: CreateTemplate): Promise<TemplateView> {
  const values: store.TemplateValues = {
    name: input.name,
    description: '',
    color: '',
    fields: [],
    validFrom: null,
    validTo: null,
    validDays: null,
    maxUses: null,
    ...changeOf(input),
  }
  checkTimes(values)
  return ctx.db.write('passes.createTemplate', async (tx) => toView(await addTemplate(tx, owner, values)))
}

/** @throws AppError 400 if the owner has as many templates as an owner can have */
async function addTemplate(tx: Tx, owner: Owner, values: store.TemplateValues): Promise<store.TemplateRow> {
  const key = ownerKey(owner)
  if ((await store.countTemplates(tx, key)) >= MAX_TEMPLATES)
    throw badRequest(`There can be at most ${MAX_TEMPLATES} pass templates`, `最多创建 ${MAX_TEMPLATES} 个通行证模板`)
  return store.insertTemplate(tx, key, owner.userId, values)
}

/** Copies a template to another owner. Returns the id of the copy, or null if there is no such template. @throws AppError 400 */
export async function copyTemplate(tx: Tx, from: OwnerKey, id: number, owner: Owner): Promise<number | null> {
  const template = await store.findTemplate(tx, from, id)
  if (template === undefined) return null
  const { name, description, color, fields, validFrom, validTo, validDays, maxUses } = template
  const values = { name, description, color, fields, validFrom, validTo, validDays, maxUses }
  return (await addTemplate(tx, owner, values)).id
}

export function updateTemplate(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateTemplate,
): Promise<TemplateView> {
  const key = ownerKey(owner)
  const change = { ...(input.name !== undefined && { name: input.name }), ...changeOf(input) }
  return ctx.db.write('passes.updateTemplate', async (tx) => {
    const before = await store.findTemplate(tx, key, id)
    if (before === undefined) throw notFound()
    checkTimes({ ...before, ...change })
    return toView((await store.updateTemplate(tx, key, id, change))!)
  })
}

/** The optional values that are given; null clears. */
function changeOf(input: Omit<CreateTemplate, 'name'>): Partial<store.TemplateValues> {
  const { description, color, fields, validFrom, validTo, validDays, maxUses } = input
  if (fields != null) checkFields(fields)
  return {
    ...(description !== undefined && { description: description ?? '' }),
    ...(color !== undefined && { color: color?.toLowerCase() ?? '' }),
    ...(fields !== undefined && { fields: (fields ?? []).map(({ key, label }) => ({ key, label })) }),
    ...(validFrom !== undefined && { validFrom }),
    ...(validTo !== undefined && { validTo }),
    ...(validDays !== undefined && { validDays }),
    ...(maxUses !== undefined && { maxUses }),
  }
}

function checkFields(fields: readonly TemplateField[]): void {
  const keys = new Set<string>()
  for (const [i, { key }] of fields.entries()) {
    if (keys.has(key)) throw invalid(`body.fields.${i}.key`, 'must be unique in the template', '在模板中不能重复')
    keys.add(key)
  }
}

function checkTimes({ validFrom, validTo }: Pick<store.TemplateValues, 'validFrom' | 'validTo'>): void {
  if (validFrom !== null && validTo !== null && validTo < validFrom)
    throw invalid('body.validTo', 'must not be before validFrom', '不能早于 validFrom')
}

/** Activities that lose their template in one write, which takes some milliseconds. */
const ACTIVITIES_PER_WRITE = 200

/** Issued passes stay as they are. The template is deleted when no activity refers to it. */
export async function deleteTemplate(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  const key = ownerKey(owner)
  for (;;) {
    const isDeleted = await ctx.db.write('passes.deleteTemplate', async (tx) => {
      if ((await store.findTemplate(tx, key, id)) === undefined) throw notFound()
      if ((await store.clearTemplate(tx, key, id, ACTIVITIES_PER_WRITE)) === ACTIVITIES_PER_WRITE) return false
      return store.deleteTemplate(tx, key, id)
    })
    if (isDeleted) return
  }
}

const toView = (row: store.TemplateRow): TemplateView => ({
  id: row.id,
  orgId: orgOf(row.owner) || null,
  name: row.name,
  description: row.description || null,
  color: row.color || null,
  fields: row.fields.map(({ key, label }) => ({ key, label })),
  validFrom: row.validFrom,
  validTo: row.validTo,
  validDays: row.validDays,
  maxUses: row.maxUses,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

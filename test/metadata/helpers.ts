/** Helpers for the tests of metadata. */

import type { CreateField, FieldView } from '#domains/metadata/fields/fields.model.ts'
import type { CreateTemplate, TemplateView } from '#domains/metadata/templates/templates.model.ts'

import { ok, type Person, type Reply } from '../harness/index.ts'

let counter = 0
const name = (kind: string): string => `${kind} ${++counter}`

/** A place for fields and templates: an object, and an organization unless they are personal. */
export interface Place {
  readonly objectName?: string
  readonly orgId?: number
}

/** Creates a TEXT field with a unique name unless something else is given. */
export async function createField(
  user: Person,
  fields: Partial<CreateField> = {},
  { objectName = 'asset', orgId }: Place = {},
): Promise<FieldView> {
  const body = { name: name('field'), type: 'TEXT', ...fields } as const
  return orgId === undefined
    ? ok(await user.call('metadata.createField', { params: { objectName }, body })).data
    : ok(await user.call('metadata.createOrgField', { params: { orgId, objectName }, body })).data
}

export async function createGlobalField(
  admin: Person,
  fields: Partial<CreateField> = {},
  objectName = 'asset',
): Promise<FieldView> {
  const body = { objectName, scope: 'GLOBAL', name: name('field'), type: 'TEXT', ...fields } as const
  return ok(await admin.call('metadata.createAnyField', { body })).data
}

export async function createTemplate(
  user: Person,
  fields: Partial<CreateTemplate> = {},
  { objectName = 'asset', orgId }: Place = {},
): Promise<TemplateView> {
  const body = { name: name('template'), ...fields }
  return orgId === undefined
    ? ok(await user.call('metadata.createTemplate', { params: { objectName }, body })).data
    : ok(await user.call('metadata.createOrgTemplate', { params: { orgId, objectName }, body })).data
}

export async function createGlobalTemplate(
  admin: Person,
  fields: Partial<CreateTemplate> = {},
  objectName = 'asset',
): Promise<TemplateView> {
  const body = { objectName, scope: 'GLOBAL', name: name('template'), ...fields } as const
  return ok(await admin.call('metadata.createAnyTemplate', { body })).data
}

/** The fields that a user sees; with `orgId` in that organization. */
export const listFields = async (
  user: Person,
  query: Record<string, string | number> = {},
  objectName = 'asset',
): Promise<FieldView[]> =>
  ok(await user.get(`/api/meta/objects/${objectName}/fields`, { size: 100, ...query })).data.items

/** Ids of items. */
export const idsOf = (items: readonly { readonly id: number }[]): number[] => items.map(({ id }) => id)

/** The path and the status of a refusal, such as `400 body.key`. */
export const refusal = (reply: Reply<unknown>): string =>
  [reply.status, ...reply.details.map(({ path }) => path)].join(' ')

export const setFields = async (user: Person, templateId: number, fieldIds: readonly number[], orgId?: number) => {
  const items = fieldIds.map((fieldId) => ({ fieldId }))
  return orgId === undefined
    ? ok(await user.call('metadata.setTemplateFields', { params: { id: templateId }, body: { items } })).data.items
    : ok(await user.call('metadata.setOrgTemplateFields', { params: { orgId, id: templateId }, body: { items } })).data
        .items
}

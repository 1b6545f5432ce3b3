/** Helpers for the tests of values. */

import type { FieldType } from '#db/schema/meta.ts'
import type { FieldView } from '#domains/metadata/fields/fields.model.ts'
import type { EntityValues, FieldValue } from '#domains/metadata/values/values.model.ts'
import type { QrCodeView } from '#domains/qr-codes/codes/codes.model.ts'

import { ok, type Person, type Reply } from '../harness/index.ts'

export type Config = Record<string, unknown>

let counter = 0

/** A field of the person, or of an organization. */
export async function createField(
  person: Person,
  type: FieldType,
  config: Config = {},
  { object = 'qrCode', orgId, key }: { object?: string; orgId?: number; key?: string } = {},
): Promise<FieldView> {
  const body = { name: `field ${++counter}`, type, config, ...(key !== undefined && { key }) }
  const path = orgId === undefined ? '/api/meta' : `/api/orgs/${orgId}/meta`
  return ok(await person.post(`${path}/objects/${object}/fields`, body)).data
}

export async function createOrgCode(person: Person, org: { id: number }): Promise<QrCodeView> {
  const body = { name: `code ${++counter}`, content: `content ${counter}`, orgId: org.id }
  return ok(await person.post('/api/qr-codes', body)).data
}

export const OPTIONS = { options: ['red', 'green', 'blue'] }

export const pathTo = (entityId: number, object = 'qrCode'): string =>
  `/api/meta/objects/${object}/entities/${entityId}/values`

export interface GivenValue {
  readonly fieldId?: number
  readonly key?: string
  readonly value: unknown
}

export const put = (
  person: Person,
  entityId: number,
  values: readonly GivenValue[],
  { object = 'qrCode', orgId }: { object?: string; orgId?: number } = {},
): Promise<Reply<EntityValues>> =>
  person.send('PUT', pathTo(entityId, object), { body: { values, ...(orgId !== undefined && { orgId }) } })

export const set = async (person: Person, entityId: number, fieldId: number, value: unknown): Promise<unknown> =>
  itemOf(ok(await put(person, entityId, [{ fieldId, value }])).data, fieldId).value

export const list = async (
  person: Person,
  entityId: number,
  query: Record<string, string | number | boolean> = {},
  object = 'qrCode',
): Promise<EntityValues> => ok(await person.get(pathTo(entityId, object), query)).data

export function itemOf({ items }: EntityValues, fieldId: number): FieldValue {
  const item = items.find((found) => found.fieldId === fieldId)
  if (item === undefined) throw new Error(`no field ${fieldId}`)
  return item
}

export const valueIn = async (person: Person, entityId: number, fieldId: number): Promise<unknown> =>
  itemOf(await list(person, entityId), fieldId).value

/** The paths of the details of a refusal. */
export const pathsOf = (reply: Reply<unknown>): string[] =>
  (reply.details ?? []).map((detail: { path: string }) => detail.path)

export const search = (
  person: Person,
  query: Record<string, string | number>,
  object = 'qrCode',
): Promise<Reply<{ items: { entityId: number; title: string; value: unknown }[]; total: number }>> =>
  person.get(`/api/meta/objects/${object}/values`, query)

/** Requests made of the examples of the API document, about rows that exist. */

import { allEndpoints } from '#app'
import type { AnyEndpoint } from '#http/endpoint.ts'
import { openApiDocument } from '#http/openapi/document.ts'

import { FIXTURES } from './fixtures.ts'
import { type OwnedIds, rowOfField, withObject } from './isolation-fixture.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a document is walked as the JSON it is
export type Json = any

const document: Json = JSON.parse(JSON.stringify(openApiDocument(allEndpoints, { version: '1', publicUrl: '' })))

const fieldRow = rowOfField([{ ...FIXTURES[0]!, fields: { roleId: 'role' } }, ...FIXTURES])
const rowOf = (lists: readonly (readonly [RegExp, string])[], path: string): string | undefined =>
  lists.find(([pattern]) => pattern.test(path))?.[1]
const PATHS = [[/^\/api\/rbac\/roles\/:/, 'role'] as const, ...FIXTURES.flatMap(({ paths }) => paths)]
const LISTS = FIXTURES.flatMap(({ lists = [] }) => lists)

/** With the organization of the query, rows of the caller's own would not be found. */
const isOptionalId = (path: string, p: Json): boolean => !p.required && fieldRow(path, p.name) !== undefined

interface Example {
  path: string
  query: Record<string, string>
  body?: unknown
}

/** `owned`: the rows that exist, which may be added later. */
export function requestsOf(owned: OwnedIds) {
  /** The example with ids of existing rows. */
  function withIds(example: Json, path: string, name = ''): Json {
    if (Array.isArray(example)) return example.map((item) => withIds(item, path, name))
    if (typeof example === 'object' && example !== null)
      return Object.fromEntries(Object.entries(example).map(([key, value]) => [key, withIds(value, path, key)]))
    if (typeof example !== 'number' || example < 42) return example
    if (name === 'ids' || name === 'id') return owned[rowOf(LISTS, path) ?? 'code']
    return owned[fieldRow(path, name) ?? fieldRow(path, name.replace(/s$/, '')) ?? ''] ?? example
  }

  function exampleRequest({ method, path }: AnyEndpoint, given?: Json): Example {
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = document.paths[template][method.toLowerCase()]
    const parameters: Json[] = operation.parameters.filter((p: Json) => p.$ref === undefined)
    const valueOf = (p: Json) => withIds(p.example ?? p.schema.examples[0], path, p.name)
    const first = owned[rowOf(PATHS, path) ?? '']
    const values = parameters
      .filter((p) => p.in === 'path' && p.name !== 'objectName')
      .map((p, i) => [p.name, i === 0 ? (first ?? valueOf(p)) : valueOf(p)])
    const inPath = Object.fromEntries(values)
    const content = operation.requestBody?.content['application/json']
    const form = operation.requestBody?.content['multipart/form-data']
    return {
      path: withObject(template).replaceAll(/\{(\w+)\}/g, (_: string, name: string) =>
        encodeURIComponent(inPath[name]),
      ),
      query: Object.fromEntries(
        parameters.filter((p) => p.in === 'query' && !isOptionalId(path, p)).map((p) => [p.name, String(valueOf(p))]),
      ),
      ...(content && { body: given ?? withIds(content.example, path) }),
      ...(form && !content && { body: formOf(withIds(form.example, path)) }),
    }
  }

  return { exampleRequest, withIds }
}

/** The fields of the example, and a text as the file. An organization is left out, because the type may be a personal one. */
function formOf(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (name !== 'orgId') form.set(name, value)
  form.set('file', new File(['an example'], 'example.txt'))
  return form
}

/** Reads first and deletions late, so that rows exist as long as possible; last what ends the caller's session. */
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const LAST = [
  'admin.sessions.revoke',
  'orgs.dissolve',
  'auth.changePassword',
  'sessions.revoke',
  'devices.revoke',
  'auth.logoutDevice',
  'auth.logout',
]
const rank = ({ id, method }: AnyEndpoint) => ORDER.indexOf(method) + 10 * (LAST.indexOf(id) + 1)
export const inOrder = allEndpoints.filter((e) => e.tag !== 'Documentation').toSorted((a, b) => rank(a) - rank(b))

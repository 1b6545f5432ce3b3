/** Calls every operation in the API document of a running server once, with inputs generated from its schemas. */

import type { Started } from './process.ts'
import { register } from './product.ts'

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  minLength?: number
  minimum?: number
  default?: unknown
  examples?: unknown[]
  example?: unknown
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: Schema
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

export async function callEachOperation(server: Started): Promise<{ operations: number; answers: string }> {
  const origin = `http://127.0.0.1:${server.port}`
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  const answers = new Map<number, number>()
  let operations = 0
  for (const [path, item] of Object.entries(document.paths))
    for (const method of METHODS) {
      const operation = item[method]
      if (operation === undefined) continue
      operations++
      // A new user for each operation, because an operation may end the session or delete the account of its caller.
      const { headers } = await register(server, `user${operations}`, `bench-device-of-user-${operations}`)
      const status = await callOnce(`${origin}${path}`, method.toUpperCase(), operation, headers)
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  return {
    operations,
    answers: [...answers]
      .sort(([a], [b]) => a - b)
      .map(([s, n]) => `${n} answered ${s}`)
      .join(', '),
  }
}

async function callOnce(
  url: string,
  method: string,
  operation: Operation,
  headers: Record<string, string>,
): Promise<number> {
  let target = url
  const query = new URLSearchParams()
  for (const p of operation.parameters ?? []) {
    if (p.in === 'path') target = target.replace(`{${p.name}}`, encodeURIComponent(String(sample(p.schema ?? {}))))
    else if (p.in === 'query' && p.required === true) query.set(p.name, String(sample(p.schema ?? {})))
  }
  if (query.size > 0) target += `?${query}`
  const schema = operation.requestBody?.content?.['application/json']?.schema
  const body = schema === undefined || method === 'GET' ? undefined : JSON.stringify(sample(schema))
  const response = await fetch(target, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body,
    redirect: 'manual',
  })
  await response.bytes()
  return response.status
}

/** A small plausible value for a schema. */
function sample(schema: Schema): unknown {
  if (schema.example !== undefined) return schema.example
  if (schema.examples?.length) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.length) return schema.enum[0]
  if (schema.anyOf?.length) return sample(schema.anyOf[0]!)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]))
    case 'array':
      return Array.from({ length: schema.minItems ?? 1 }, () => sample(schema.items ?? {}))
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1)
    case 'boolean':
      return true
    default:
      return 'a'.repeat(Math.max(8, schema.minLength ?? 0))
  }
}

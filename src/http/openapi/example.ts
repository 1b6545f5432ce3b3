/**
 * Example values for the API document: what the schema itself offers (`examples`, `const`, `default`), else a value that
 * people expect under such a name, else a plain one within the schema's bounds. The same schema gives the same example.
 */

import { Kind, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import type { Alternative } from '../schema.ts'
import { fieldsOf, type Json } from './schema.ts'

/** Values by property name; the first that fits the property's schema is taken. */
const BY_NAME: Record<string, readonly unknown[]> = {
  account: ['mei'],
  username: ['mei'],
  password: ['seven grey pigeons'],
  newPassword: ['nine green herons'],
  oldPassword: ['seven grey pigeons'],
  nickname: ['Mei Lin'],
  signature: ['Paper, tiles and tea'],
  email: ['mei@example.org'],
  phone: ['+8613800138000'],
  credential: ['mei@example.org'],
  provider: ['EMAIL'],
  name: ['Spring menu'],
  title: ['Spring menu'],
  description: ['Shown at every table from March to May'],
  remark: ['Table 7, by the window'],
  reason: ['No longer needed'],
  // Nobody who tries an example out has the thing 42 at hand: personal and on top is what everybody has.
  orgId: [null],
  currentOrgId: [null],
  categoryId: [null],
  parentId: [null],
  content: ['https://example.com/menu'],
  keyword: ['menu'],
  contentType: ['URL'],
  level: ['M'],
  status: ['ACTIVE'],
  tags: [['menu', 'spring']],
  url: ['https://example.com/menu'],
  avatarUrl: ['https://example.com/mei.png'],
  imageUrl: ['http://localhost:8080/api/qrcode/render?content=https%3A%2F%2Fexample.com%2Fmenu'],
  publicUrl: ['http://localhost:8080/public/qr/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'],
  uuid: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'],
  code: ['482913', 'K7QM2XWP'],
  color: ['#0b6b57', '0b6b57'],
  icon: ['menu'],
  fg: ['17201d'],
  bg: ['ffffff'],
  accessToken: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl'],
  refreshToken: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'],
  token: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'],
  tokenType: ['Bearer'],
  deviceId: ['5f1d7c52b0e94c0aa0b1', '42'],
  deviceName: ["Mei's phone"],
  platform: ['android'],
  ip: ['203.0.113.7'],
  ipAddress: ['203.0.113.7'],
  userAgent: ['Tessera/1.0 (Android 15)'],
  city: ['Hangzhou'],
  address: ['1 West Lake Road, Hangzhou'],
  latitude: [30.2426],
  longitude: [120.1494],
  roleName: ['User'],
  permissions: [['qr_code:create', 'qr_code:read']],
  loginType: ['password'],
  failureReason: ['wrong password'],
  version: [1, '0.1.0'],
  sortOrder: [10],
  size: [20],
  page: [1],
  total: [1],
  depth: [1],
}

const BY_FORMAT: Record<string, string> = {
  uuid: '7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f',
  email: 'mei@example.org',
  uri: 'https://example.com/menu',
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
}

/** `name` is that of the property or parameter which holds the value. */
export function exampleOf(schema: TSchema, name = ''): unknown {
  const offered = schema['examples'] as unknown[] | undefined
  if (offered?.length) return offered[0]
  if ('const' in schema) return schema['const']
  if ('default' in schema && schema['default'] !== null) return schema['default']
  const known = BY_NAME[name]?.find((value) => Value.Check(schema, value))
  if (known !== undefined) return known
  return Array.isArray(schema['enum']) ? schema['enum'][0] : byType(schema, name)
}

function byType(schema: TSchema, name: string): unknown {
  switch (schema[Kind]) {
    case 'Object':
      return object(schema)
    case 'Array':
      return list(schema, name)
    case 'Tuple':
      return ((schema['items'] as TSchema[] | undefined) ?? []).map((item) => exampleOf(item, name))
    case 'Union': {
      const variants = schema['anyOf'] as TSchema[]
      return exampleOf(variants.find((variant) => variant[Kind] !== 'Null') ?? variants[0]!, name)
    }
    case 'Intersect':
      return Object.assign({}, ...(schema['allOf'] as TSchema[]).map((part) => exampleOf(part, name)))
    case 'Record':
      return Object.fromEntries(
        Object.values(schema['patternProperties'] as Record<string, TSchema>).map((value) => [
          '1',
          exampleOf(value, name),
        ]),
      )
    case 'Integer':
      return within(schema, 3)
    case 'Number':
      return within(schema, 1.5)
    case 'Boolean':
      return true
    case 'String':
      return words(schema)
    case 'Null':
      return null
    default:
      return {}
  }
}

/** Of several alternatives the first. */
function object(schema: TSchema): Json {
  const properties = schema['properties'] as Record<string, TSchema>
  const options = (schema['x-alternatives'] as { options: Alternative[] } | undefined)?.options.map(fieldsOf) ?? [{}]
  const [first, ...others] = options
  const left = Object.entries(properties).filter(([key]) => key in first! || !others.some((other) => key in other))
  return Object.fromEntries(
    left.map(([key, field]) => {
      const values = first![key]
      return [key, Array.isArray(values) ? values[0] : exampleOf(field, key)]
    }),
  )
}

/** One entry, or as many as the schema asks for; entries that must differ are counted up. A tree ends after its first node. */
function list(schema: TSchema, name: string): unknown[] {
  if ((schema['items'] as TSchema)[Kind] === 'This') return []
  const count = Math.min(
    Math.max(1, (schema['minItems'] as number | undefined) ?? 1),
    (schema['maxItems'] as number | undefined) ?? 1,
  )
  const item = exampleOf(schema['items'] as TSchema, name.replace(/s$/, ''))
  return Array.from({ length: count }, (_, i) => (typeof item === 'number' ? item + i : item))
}

const within = (schema: TSchema, value: number): number =>
  Math.min(
    Math.max(value, (schema['minimum'] as number | undefined) ?? value),
    (schema['maximum'] as number | undefined) ?? value,
  )

function words(schema: TSchema): string {
  const format = BY_FORMAT[schema['format'] as string]
  if (format !== undefined) return format
  const filler = 'Example text '.repeat(Math.ceil(((schema['minLength'] as number | undefined) ?? 1) / 13) || 1).trim()
  return filler.slice(0, Math.max((schema['maxLength'] as number | undefined) ?? filler.length, 0))
}

/** The OpenAPI 3.1 document, read off the endpoint tables: what it says of a route is what the server checks. */

import { OptionalKind, type TSchema } from '@sinclair/typebox'

import { type Access, type AnyEndpoint, TAGS } from './endpoint.ts'
import { exampleOf } from './openapi/example.ts'
import { errorSchema, headers, refusals, requestIdHeader, responses } from './openapi/responses.ts'
import { Components, type Json } from './openapi/schema.ts'

export interface DocumentOptions {
  /** The product's version. */
  version: string
  /** Origin under which the server is known to its clients; empty when it is not. */
  publicUrl: string
}

const ABOUT = `\
Answers are JSON in an envelope: \`{"code":200,"data":…}\` on success, \`{"code","message","requestId"}\` on refusal, with
\`details\` on 400. Files, pictures and pages are sent bare. Times are epoch milliseconds; requests may give ISO 8601 too. Names are
camelCase; requests may use snake_case. Lists take \`page\` (from 1) and \`size\` (at most 100) and give \`{items,total,page,size}\`.

Sign in with \`POST /api/auth/login\` and send what it gives on every further request: \`Authorization: Bearer <accessToken>\`
and \`X-Device-Id: <deviceId>\`. Messages are English, or Chinese for \`Accept-Language: zh\`.`

/** The same tables give the same document. */
export function openApiDocument(endpoints: readonly AnyEndpoint[], options: DocumentOptions): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path.replaceAll(/:(\w+)/g, '{$1}')] ??= {})
    path[endpoint.method.toLowerCase()] = operation(endpoint, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tessera',
      version: options.version,
      summary: 'The QR-code platform server',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // The first is the server that the document came from, under whatever name it was reached.
    servers: [
      { url: '/', description: 'This server' },
      ...(options.publicUrl === '' ? [] : [{ url: options.publicUrl, description: 'Its public address' }]),
    ],
    tags: TAGS.filter((tag) => endpoints.some((e) => e.tag === tag)).map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: errorSchema, ...components.schemas },
      responses,
      headers,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The `accessToken` of a login' },
        device: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Device-Id',
          description: 'The `deviceId` of the same login. A secret: it can sign in by itself.',
        },
      },
    },
  }
}

function operation(endpoint: AnyEndpoint, components: Components): Json {
  const { access } = endpoint
  const parameters = [
    ...parametersOf(endpoint.params, 'path', components),
    ...parametersOf(endpoint.query, 'query', components),
  ]
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: [endpoint.description, `**Access:** ${accessInWords(access)}`].filter(Boolean).join('\n\n'),
    tags: [endpoint.tag],
    ...(endpoint.deprecated && { deprecated: true }),
    'x-access': { level: accessLevel(access), kind: access.kind, ...('point' in access && { point: access.point }) },
    security: access.kind === 'open' ? [] : [{ token: [], device: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && { requestBody: requestBody(endpoint, endpoint.body, components) }),
    responses: { 200: success(endpoint, components), ...refusals(endpoint) },
  }
}

function parametersOf(schema: TSchema | undefined, where: 'path' | 'query', components: Components): Json[] {
  if (schema === undefined) return []
  return Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, field]) => {
    const { description, ...shown } = components.show(field)
    const required = where === 'path' || (field[OptionalKind] !== 'Optional' && field['default'] === undefined)
    const example = exampleOf(field, name)
    return {
      name,
      in: where,
      required,
      ...(description !== undefined && { description }),
      // The server reads lists from one value: `?ids=1,2,3`.
      ...(shown['type'] === 'array' && { style: where === 'path' ? 'simple' : 'form', explode: false }),
      // A parameter's own example is filled into the forms of /docs, where nobody wants every filter set.
      ...(required ? { schema: shown, example } : { schema: { ...shown, examples: [example] } }),
    }
  })
}

function requestBody(endpoint: AnyEndpoint, body: TSchema, components: Components): Json {
  const content = { schema: components.show(body), example: exampleOf(body) }
  return {
    required: true,
    content: {
      'application/json': content,
      ...(endpoint.acceptsForm && { 'application/x-www-form-urlencoded': content }),
    },
  }
}

function success(endpoint: AnyEndpoint, components: Components): Json {
  const bare = endpoint.answers?.split(',').map((type) => type.trim()) ?? []
  const content: Json = Object.fromEntries(bare.map((type) => [type, bareContent(type)]))
  if (bare.length === 0 || endpoint.data) content['application/json'] = envelope(endpoint.data, components)
  return { description: 'Done', headers: requestIdHeader, content }
}

const isText = (type: string): boolean => type.startsWith('text/') || type.includes('xml') || type.includes('json')

/** A file or page: text, or bytes, which OpenAPI 3.1 shows as an empty schema. */
const bareContent = (type: string): Json => ({ schema: isText(type) ? { type: 'string' } : {} })

function envelope(data: TSchema | undefined, components: Components): Json {
  return {
    schema: {
      type: 'object',
      required: ['code', 'data'],
      properties: { code: { type: 'integer', const: 200 }, data: data ? components.show(data) : { type: 'null' } },
    },
    example: { code: 200, data: data ? exampleOf(data) : null },
  }
}

const accessLevel = ({ kind }: Access): 'public' | 'login' | 'admin' =>
  kind === 'open' ? 'public' : kind === 'admin' || kind === 'platform' ? 'admin' : 'login'

function accessInWords(access: Access): string {
  switch (access.kind) {
    case 'open':
      return 'public, no token needed.'
    case 'signedIn':
      return 'anybody who is signed in.'
    case 'admin':
      return 'administrators (any role of the platform).'
    case 'platform':
      return `administrators with the permission point \`${access.point}\`.`
    case 'app':
      return `signed in, with the permission point \`${access.point}\`.`
    case 'org':
      return `members of the organization with its permission point \`${access.point}\`.`
    case 'dual':
      return `signed in, with the permission point \`${access.point}\`: of the organization when \`orgId\` is given, else one's own.`
  }
}

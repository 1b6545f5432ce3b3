/** Builds the OpenAPI 3.1 document from the endpoint records: the schemas and the access that it shows are those that the server checks. */

import { OptionalKind, type TSchema } from '@sinclair/typebox'

import { budgetInWords } from '../budget.ts'
import { type Access, type AnyEndpoint, TAGS } from '../endpoint.ts'
import { isClosedToKeys } from '../key-access.ts'
import { isRepeatable } from '../repeatable.ts'
import { MAX_UNITS_PER_CHARACTER } from '../schema.ts'
import { exampleOf } from './example.ts'
import { errorSchema, headers, responses, responsesOf } from './responses.ts'
import { Components, type Json } from './schema.ts'

export interface DocumentOptions {
  /** The product's version. */
  version: string
  /** Public origin of the server; empty if none is configured. */
  publicUrl: string
}

const ABOUT = `\
Answers are JSON in an envelope: \`{"code":200,"data":…}\` on success, \`{"code","message","requestId"}\` on refusal, with
\`details\` on 400. Files, pictures and pages are sent without the envelope. Names are camelCase; requests may use snake_case. Times
are epoch milliseconds; requests may contain ISO 8601 instead. Lists take \`page\` (from 1) and \`size\` (at most 100) and return
\`{items,total,page,size}\`. An empty query parameter counts as absent. Parameters that an operation does not know are ignored, and the header
\`X-Ignored-Parameters\` of the answer names them, percent-encoded: at most ten names of 40 characters. With the setting
\`http.refuseUnknownParameters\` they are refused with 400 instead, except on pages for people.

**Texts.** Control characters (U+0000 to U+001F, U+007F to U+009F) are refused, except tabs and line breaks in texts of several lines. Passwords and
the contents of QR codes are taken as they are; only U+0000 and lone surrogates are refused in them.
Texts of one line, such as names and titles, must not contain U+2028, U+2029 or invisible characters either: U+200B to U+200F (U+200D
is allowed between emoji), U+202A to U+202E, U+2066 to U+2069 and U+FEFF. Their \`maxLength\` counts characters as people see them
(grapheme clusters) and allows ${MAX_UNITS_PER_CHARACTER} UTF-16 units for each. In other texts it counts UTF-16 units. \`minLength\` counts
characters as people see them in all texts.

**Signing in.** Create a device id of 128 random bits (at least 16 characters, 8 of them different) once per installation, keep it
like a password, and send it as \`X-Device-Id\` with \`POST /api/auth/login\` (or any other login) and with every request after it,
together with \`Authorization: Bearer <accessToken>\`. A client that names no device at login must use the \`deviceId\` of the
answer as \`X-Device-Id\`. If the login did name a device, the \`deviceId\` of the answer is only a key for lists: it is not
accepted as \`X-Device-Id\`.

**Browsers.** Pages of this server send \`X-Refresh-Token: cookie\` instead of a device id. The refresh token and the device id are then cookies
that scripts cannot read, and \`POST /api/auth/refresh\` needs no body.

**API keys.** Programs send \`Authorization: Bearer tsk_…\` and no device id. At each request a key has those of its points that its owner holds
at that moment, and with a key of an organization \`orgId\` may be left out. Operations that are not open to keys answer 403 with code 4037.

**Limits.** A session may make 1,200 requests a minute, and an IP address 300 to operations that need no token
(3,000 to those that send files). IPv6 addresses are counted by /64, and with larger limits by /56 and /48. Operations with limits of their own say so. Beyond a limit the answer is 429
with code 4022, and \`Retry-After\` says how many seconds to wait.

**Lost answers.** A client that gets no answer does not know whether the server carried out the request. Send \`Idempotency-Key\` with a
POST, a random text for each thing that is created, and the same text when you send it again: it is made once, and for 24 hours every
repeat gets the first answer, with \`Idempotency-Replayed: true\`. Keys belong to the user and the operation, and the last 10,000 of a user are
kept (fewer if the answers have more than 4,000 characters on average). A refused request may be tried again with its key. The same key with another
body is refused with 409 and code 4023; while the first request is running, repeats are refused with 409 and \`Retry-After\`.

**Changes of others.** A row with a \`version\` has it as \`ETag\` too: \`"3"\`. Send that as \`If-Match\` with PUT, PATCH or DELETE, and the row is
only changed while it has this version. Otherwise the answer is 412 with code 4024, and its \`data\` is the row as it is now. Without the
header the last change wins. Operations that compare no version refuse the header with 400.

Messages are English, or Chinese with \`Accept-Language: zh\`.`

/** The result depends on the arguments only. */
export function openApiDocument(endpoints: readonly AnyEndpoint[], options: DocumentOptions) {
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
      parameters: HEADERS,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The `accessToken` of a login. It is valid only together with the device id of that login.',
        },
        device: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Device-Id',
          description:
            'The device id that the client sent with its login, or, if it sent none, the `deviceId` of the answer. A secret: it ' +
            'can be used to sign in. Pages of this server may have it as a cookie instead: see `X-Refresh-Token`.',
        },
        publisherKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Publish-Key',
          description:
            'A key that an operator made with `tessera publisher-key create`, for programs that publish the app.',
        },
        gateToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The `token` of `POST /public/gate/session`, which a phone gets with the link of a gate. It opens only operations under ' +
            '`/public/gate`, of one activity, and ends with the gate.',
        },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key (`tsk_…`), which a user makes with `POST /api/auth/api-keys`. Without `X-Device-Id` it calls operations that ask for ' +
            'one of its permission points.',
        },
      },
    },
  }
}

const HEADERS: Json = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    required: false,
    description:
      'Language of messages and notifications: English or Chinese, whichever has the larger weight, and English if neither is named.',
    schema: { type: 'string', examples: ['zh-CN'] },
  },
  Expires: {
    name: 'expires',
    in: 'query',
    required: false,
    description: 'End of a signed URL in epoch seconds.',
    schema: { type: 'integer', format: 'int64' },
  },
  Signature: {
    name: 'signature',
    in: 'query',
    required: false,
    description: 'Of a signed URL. It covers every parameter of the URL.',
    schema: { type: 'string' },
  },
  DeviceId: {
    name: 'X-Device-Id',
    in: 'header',
    required: false,
    description:
      'A random id that the client creates once and keeps like a password. The session is valid only with it. Without it (and ' +
      'without `deviceId` in the body) the server creates one and returns it as `deviceId`.',
    schema: { type: 'string', minLength: 16, maxLength: 128, examples: ['5f1d7c52b0e94c0aa0b1'] },
  },
  RefreshToken: {
    name: 'X-Refresh-Token',
    in: 'header',
    required: false,
    description:
      'For pages of this server. With `cookie` the refresh token is a cookie that scripts cannot read, and `refreshToken` of the answer ' +
      'is null. A device id that the server creates is such a cookie too. See docs/accounts.md, “Browsers”.',
    schema: { type: 'string', enum: ['cookie'], examples: ['cookie'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A random text that the client makes for each thing that it creates, and sends again with each attempt: 1 to 128 visible ASCII ' +
      'characters. See “Lost answers” at the top.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      pattern: '^[!-~]+$',
      examples: ['0b0c6f52-8a5e-4a57-9c53-7d4f6c1a2e90'],
    },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of the row as it was read. See “Changes of others” at the top.',
    schema: { type: 'string', examples: ['"3"'] },
  },
  DeviceName: {
    name: 'X-Device-Name',
    in: 'header',
    required: false,
    description:
      'Shown in lists of sessions and login records, where it is cut after 100 characters. Percent-encode characters outside Latin-1.',
    schema: { type: 'string', examples: ["Mei's phone"] },
  },
}

function operation(endpoint: AnyEndpoint, components: Components): Json {
  const { access } = endpoint
  const parameters = [
    ...parametersOf(endpoint.params, 'path', components),
    ...parametersOf(endpoint.query, 'query', components),
    ...sharedParametersOf(endpoint).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: [
      endpoint.description,
      formInWords(endpoint),
      `**Access:** ${accessInWords(access)}`,
      limitsInWords(endpoint),
    ]
      .filter(Boolean)
      .join('\n\n'),
    tags: [endpoint.tag],
    ...(endpoint.deprecated && { deprecated: true }),
    'x-access': { level: accessLevel(access), kind: access.kind, ...('point' in access && { point: access.point }) },
    security: securityOf(endpoint),
    parameters,
    ...requestBody(endpoint, components),
    responses: responsesOf(endpoint, components),
  }
}

/** Alternatives. An empty object means that the operation may also be called without a token. */
function securityOf(endpoint: AnyEndpoint): Json[] {
  const { access } = endpoint
  const { kind } = access
  if (kind === 'open' && !access.readsToken) return []
  if (kind === 'gate') return [{ gateToken: [] }]
  if (kind === 'key') return [{ apiKey: [] }]
  const others = kind === 'signedUrl' || kind === 'open' ? [{}] : kind === 'publisher' ? [{ publisherKey: [] }] : []
  return [...others, { token: [], device: [] }, ...(takesKeys(endpoint) ? [{ apiKey: [] }] : [])]
}

/** Public operations do for a key what they do for anyone. */
const takesKeys = (endpoint: AnyEndpoint): boolean =>
  endpoint.access.kind !== 'open' && endpoint.opensSocket !== true && !isClosedToKeys(endpoint)

/**
 * A form that an operation accepts beside JSON is described in words: generators make one type of the two bodies, which none of them can
 * send, and the code for Kotlin and TypeScript does not compile.
 */
function formInWords({ acceptsFile }: AnyEndpoint): string | undefined {
  if (acceptsFile === undefined || acceptsFile.required) return undefined
  const { insteadOf } = acceptsFile
  return (
    '**Form:** `multipart/form-data` is accepted too. It has the same fields as texts (objects as JSON), and the bytes in ' +
    `\`file\`${insteadOf === undefined ? '' : ` instead of \`${insteadOf}\``}.`
  )
}

/** The limits of the operation's own; those of all requests are in `ABOUT`. */
function limitsInWords({ checksSecret, budgets = [], access }: AnyEndpoint): string | undefined {
  const secrets = `60 calls a minute ${access.kind === 'open' ? '' : 'for each session and '}from each IP address, counted together for all operations that check a secret`
  const all = [...(checksSecret ? [secrets] : []), ...budgets.map(budgetInWords)]
  return all.length === 0 ? undefined : `**Limits:** ${all.join('; ')}.`
}

/** Names under `components/parameters`. The security scheme already demands the device id where a token is needed. */
function sharedParametersOf(endpoint: AnyEndpoint): string[] {
  const { namesDevice, keepsCookies, access } = endpoint
  const device = namesDevice === true ? (access.kind === 'open' ? ['DeviceId', 'DeviceName'] : ['DeviceName']) : []
  const signature = access.kind === 'signedUrl' ? ['Expires', 'Signature'] : []
  return [
    ...signature,
    ...device,
    ...(keepsCookies ? ['RefreshToken'] : []),
    ...(isRepeatable(endpoint) ? ['IdempotencyKey'] : []),
    ...(endpoint.row === undefined ? [] : ['IfMatch']),
    'AcceptLanguage',
  ]
}

function parametersOf(schema: TSchema | undefined, where: 'path' | 'query', components: Components): Json[] {
  if (schema === undefined) return []
  return Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, field]) => {
    const { description, ...shown } = components.show(field, 'request')
    const required = where === 'path' || isRequired(field)
    const example = exampleOf(field, 'request')
    return {
      name,
      in: where,
      required,
      ...(description !== undefined && { description }),
      // Lists are one value: `?ids=1,2,3`.
      ...(shown['type'] === 'array' && { style: where === 'path' ? 'simple' : 'form', explode: false }),
      // The forms of /docs are filled with a parameter's own example, and optional filters should stay empty there.
      ...(required ? { schema: shown, example } : { schema: { ...shown, examples: [example] } }),
    }
  })
}

function requestBody(endpoint: AnyEndpoint, components: Components): { requestBody?: Json } {
  const { body, acceptsFile, streamsBody } = endpoint
  if (streamsBody) {
    const content = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: '(bytes)' } }
    return { requestBody: { required: true, content } }
  }
  if (acceptsFile?.required) return { requestBody: { required: true, content: formContent(body, components) } }
  return body === undefined ? {} : { requestBody: jsonBody(endpoint, body, components) }
}

/** Its fields are not a component, because they are not those of a JSON body: a form has texts only. */
function formContent(body: TSchema | undefined, components: Components): Json {
  const fields = body && (components.show({ ...body, $id: undefined } as TSchema, 'request')['properties'] as Json)
  const schema = {
    type: 'object',
    properties: { ...fields, file: { type: 'string', format: 'binary' } },
    required: ['file'],
  }
  const example = { ...(body && (exampleOf(body, 'request') as Json)), file: '(bytes)' }
  return { 'multipart/form-data': { schema, example } }
}

function jsonBody(endpoint: AnyEndpoint, body: TSchema, components: Components): Json {
  const content = { schema: components.show(body, 'request'), example: exampleOf(body, 'request') }
  return {
    // A missing body is read as an empty object.
    required: body['x-alternatives'] !== undefined || Object.values(body['properties'] as object).some(isRequired),
    content: {
      'application/json': content,
      ...(endpoint.acceptsForm && { 'application/x-www-form-urlencoded': content }),
    },
  }
}

/** Whether clients must send the field. */
const isRequired = (field: TSchema): boolean => field[OptionalKind] !== 'Optional' && field['default'] === undefined

const accessLevel = ({ kind }: Access): 'public' | 'login' | 'admin' =>
  kind === 'open' ? 'public' : ['admin', 'platform', 'publisher'].includes(kind) ? 'admin' : 'login'

function accessInWords(access: Access): string {
  switch (access.kind) {
    case 'open':
      return access.readsToken
        ? 'public, no token required; a token that is sent is checked.'
        : 'public, no token required.'
    case 'signedIn':
      return 'any signed-in user.'
    case 'gate':
      return access.takesEnded
        ? 'devices with the token of a gate, also for two days after its end.'
        : 'devices with the token of a gate.'
    case 'key':
      return 'programs with an API key.'
    case 'signedUrl':
      return `anyone with a signed URL, as other operations return it; without \`signature\` users with the permission point \`${access.point}\` who may see the resource.`
    case 'admin':
      return 'administrators (any PLATFORM role).'
    case 'platform':
      return `administrators with the permission point \`${access.point}\`.`
    case 'publisher':
      return `programs with a publisher key in \`X-Publish-Key\`, and administrators with the permission point \`${access.point}\`.`
    case 'app':
      return `users with the permission point \`${access.point}\`.`
    case 'org':
      return `members of the organization with the permission point \`${access.point}\` in it.`
    case 'dual': {
      const otherwise = access.organizationOf
        ? 'Without `orgId`, a resource of an organization requires the point in that organization too.'
        : access.rowDecides
          ? 'Without `orgId`, the resource decides: its owner and holders of the point in its organization manage it, and others may see it as its visibility allows.'
          : ''
      return `users with the permission point \`${access.point}\`: in the organization if \`orgId\` is given, otherwise for their own resources. ${otherwise}`.trim()
    }
  }
}

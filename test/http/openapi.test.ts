/** The API document: valid for an independent validator, complete for every operation, and the same as the checks of the server. */

import { describe, expect, test } from 'bun:test'

import { Validator } from '@seriousme/openapi-schema-validator'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { allEndpoints } from '#app'
import {
  type AnyEndpoint,
  dual,
  endpoint,
  open,
  openToUsers,
  platform,
  publisher,
  signedIn,
  signedUrl,
} from '#http/endpoint.ts'
import { openApiDocument } from '#http/openapi/document.ts'
import { exampleOf } from '#http/openapi/example.ts'
import {
  AnyOf,
  ById,
  Enum,
  Id,
  Line,
  Merged,
  Model,
  Named,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  ShownAs,
  Time,
  Tree,
  Untyped,
} from '#http/schema.ts'
import { answerProblem } from '#http/validate.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a document is walked as the JSON it is
type Json = any

const options = { version: '1.2.3', publicUrl: 'https://qr.example.org' }
/** As clients receive it, after a round trip through JSON. */
const build = (endpoints: readonly AnyEndpoint[]): Json =>
  JSON.parse(JSON.stringify(openApiDocument(endpoints, options)))

const apiEndpoints = allEndpoints.filter((e) => !e.id.startsWith('docs.'))
const document = build(apiEndpoints)

const operations = (doc: Json): { name: string; op: Json }[] =>
  Object.entries<Json>(doc.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, op]) => ({ name: `${method.toUpperCase()} ${path}`, op })),
  )

/** The schema itself, or the component that it refers to. */
const resolve = (doc: Json, schema: Json): Json =>
  schema?.$ref === undefined ? schema : doc.components.schemas[schema.$ref.split('/').at(-1)!]
const hasExample = (content: Json, doc: Json = document): boolean =>
  content.example !== undefined || resolve(doc, content.schema)?.examples?.length === 1

/** With references to components of the document, which is known to the validator by this name. */
const inDocument = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'))

/** The missing parts of an operation. */
function lacks(op: Json): string[] {
  const found: string[] = []
  if (!/\S/.test(op.summary ?? '')) found.push('summary')
  if (!/\*\*Access:\*\* \S/.test(op.description ?? '')) found.push('access in words')
  if (!['public', 'login', 'admin'].includes(op['x-access']?.level)) found.push('x-access')
  // The empty alternative stands for calls without a token.
  const isOptional = op.security?.length === 0 || Bun.deepEquals(op.security?.[0], {})
  if (op['x-access']?.level === 'public' ? !isOptional : !op.security?.length) found.push('security')
  if (op.tags?.length !== 1) found.push('tag')
  for (const parameter of op.parameters ?? [])
    if (parameter.$ref === undefined && parameter.example === undefined && parameter.schema?.examples === undefined)
      found.push(`example of ${parameter.name}`)
  for (const [type, content] of Object.entries<Json>(op.requestBody?.content ?? {}))
    if (type !== 'application/octet-stream' && !hasExample(content)) found.push('body example')
  const success = Object.entries<Json>(op.responses?.[200]?.content ?? {})
  if (success.length === 0 && op.responses?.[101] === undefined) found.push('response')
  for (const [type, content] of success) {
    if (content.schema === undefined) found.push(`schema of ${type}`)
    if (type === 'application/json' && !hasExample(content)) found.push('response example')
  }
  if (op.responses?.[429] === undefined) found.push('429')
  if (op.requestBody && op.responses?.[400] === undefined) found.push('400')
  if (op.security?.length && op.responses?.[401] === undefined) found.push('401')
  if (op['x-access']?.point && op.responses?.[403] === undefined) found.push('403')
  return found
}

function unresolved(doc: Json): string[] {
  const found: string[] = []
  const walk = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return
    if (typeof value.$ref === 'string') {
      const target = value.$ref.startsWith('#/')
        ? value.$ref
            .slice(2)
            .split('/')
            .reduce((at: Json, key: string) => at?.[key], doc)
        : undefined
      if (target === undefined) found.push(value.$ref)
    }
    Object.values(value).forEach(walk)
  }
  walk(doc)
  return found
}

function unused(doc: Json): string[] {
  const text = JSON.stringify(doc)
  return Object.entries<Json>(doc.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, components]) => Object.keys(components).map((name) => `#/components/${kind}/${name}`))
    .filter((ref) => !text.includes(`"${ref}"`))
}

/** One verb for one meaning, so that readers find operations by their first word. */
const VERBS = new Set(
  (
    'Accept Activate Add Answer Apply Approve Ask Bind Block Cancel Change Check Choose Clear Copy Count Create Delete Disable Dissolve Download ' +
    'Draw Empty Enable End Exchange Explain Export Find Finish Forward Get Grant Hand Import Invite Issue Join Leave Link List Mark Move Open ' +
    'Pin Preview Propose Publish Recall Record Refresh Register Reject Remove Rename Renew Reorder Replace Report Reserve Reset Resolve Respond Restart Restore Reverse Revoke Scrap Search Send ' +
    'Set Share Show Sign Start Switch Take Transfer Try Unbind Unblock Undo Unlink Update Upload Verify Withdraw'
  ).split(' '),
)

describe('the document of this server', () => {
  test('the document is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('the document has exactly the operations of the endpoint tables', () => {
    const documented = operations(document).map(({ name, op }) => `${name} ${op.operationId}`)
    const real = apiEndpoints.map((e) => `${e.method} ${e.path.replaceAll(/:(\w+)/g, '{$1}')} ${e.id}`)
    expect(documented.sort()).toEqual(real.sort())
    expect(documented.length).toBeGreaterThan(60)
  })

  test('every operation has summary, access, tag, examples, answers and refusals', () => {
    const lacking = operations(document).flatMap(({ name, op }) => lacks(op).map((what) => `${name}: ${what}`))
    // Exported conversations, and messages of the protocol for assistants, have shapes of their own. Probes and challenges have no limit of requests.
    expect(lacking).toEqual([
      'GET /api/chats/conversations/{id}/export: response example',
      'POST /mcp: response example',
      'GET /.well-known/acme-challenge/{token}: 429',
      'GET /actuator/health/live: 429',
      'GET /actuator/health/ready: 429',
    ])
  })

  test('every operation has a summary of its own', () => {
    const summaries = apiEndpoints.map((e) => e.summary)
    expect(summaries.filter((summary, i) => summaries.indexOf(summary) !== i)).toEqual([])
  })

  test('every summary begins with a verb of the list', () => {
    const wrong = apiEndpoints.filter(
      ({ summary }) => !VERBS.has(/^\w+/.exec(summary)?.[0] ?? '') || /[.;:]/.test(summary),
    )
    expect(wrong.map((e) => `${e.id}: ${e.summary}`)).toEqual([])
  })

  test('every reference in the document has a target', () => expect(unresolved(document)).toEqual([]))

  test('every component is used', () => expect(unused(document)).toEqual([]))

  test('every path parameter is declared, with one name per position', () => {
    for (const { name, op } of operations(document)) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map((m) => m[1]!)
      const declared = (op.parameters ?? []).filter((p: Json) => p.in === 'path').map((p: Json) => p.name)
      expect({ name, declared: declared.sort() }).toEqual({ name, declared: inPath.sort() })
    }
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
    expect(shapes.filter((shape, i) => shapes.indexOf(shape) !== i)).toEqual([])
  })

  test('every example fits the schema that the server checks', () => {
    const wrong: string[] = []
    for (const e of apiEndpoints)
      for (const part of ['params', 'query', 'body', 'data'] as const) {
        const schema = e[part] as TSchema | undefined
        if (schema === undefined) continue
        const error = Value.Errors(schema, exampleOf(schema, part === 'data' ? 'answer' : 'request')).First()
        if (error) wrong.push(`${e.id} ${part}${error.path}: ${error.message}, not ${JSON.stringify(error.value)}`)
      }
    expect(wrong).toEqual([])
  })

  test('every example of a request fits its schema in the document', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(inDocument(document), 'document')
    const wrong = operations(document).flatMap(({ name, op }) => {
      const content = op.requestBody?.content['application/json']
      if (content === undefined) return []
      const check = ajv.compile(inDocument(content.schema))
      return check(content.example) ? [] : [`${name}: ${ajv.errorsText(check.errors)}`]
    })
    expect(wrong).toEqual([])
  })

  test('periods in examples of requests end after they begin', () => {
    const periods = [
      ['validFrom', 'validTo'],
      ['startTime', 'endTime'],
      ['opensAt', 'closesAt'],
    ] as const
    const wrong: string[] = []
    const walk = (value: Json, name: string): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [from, to] of periods) if (value[from] >= value[to]) wrong.push(`${name}: ${from}, ${to}`)
      for (const part of Object.values<Json>(value)) walk(part, name)
    }
    for (const { name, op } of operations(document)) walk(op.requestBody?.content['application/json']?.example, name)
    expect(wrong).toEqual([])
  })

  test('every text has an example of its own', () => {
    const fillers = apiEndpoints.filter((e) =>
      (['params', 'query', 'body', 'data'] as const).some((part) => {
        const schema = e[part] as TSchema | undefined
        return schema && JSON.stringify(exampleOf(schema, 'answer')).includes('Example te')
      }),
    )
    expect(fillers.map((e) => e.id)).toEqual([])
  })

  test('the document is the same each time and contains no keyword of our own schemas', () => {
    expect(build(apiEndpoints)).toEqual(document)
    expect(JSON.stringify(document)).not.toMatch(/"x-(text|time|id|alternatives|documented)"/)
  })
})

const sample = (more: Partial<AnyEndpoint> = {}): AnyEndpoint => ({
  ...endpoint({
    id: 'a.b',
    method: 'GET',
    path: '/api/a',
    summary: 'Read a',
    tag: 'Operations',
    access: open,
    run: () => undefined,
  }),
  ...more,
})
const only = (more: Partial<AnyEndpoint>): Json => operations(build([sample(more)]))[0]!.op

describe('the checks above', () => {
  test('the checks find an operation without summary, example, access or refusals', () => {
    expect(lacks(only({}))).toEqual([])
    expect(lacks(only({ summary: ' ' }))).toEqual(['summary'])
    const op = only({ method: 'POST', access: dual('qr_code:create'), body: Type.Object({ name: Line(9) }), data: Id })
    expect(lacks(op)).toEqual([])
    delete op.requestBody.content['application/json'].example
    delete op.responses[200].content['application/json'].example
    delete op.responses[403]
    op.security = []
    expect(lacks(op)).toEqual(['security', 'body example', 'response example', '403'])
  })

  test('the checks find an invalid document, a reference without a target and an unused component', async () => {
    const doc = build([sample()])
    expect((await new Validator().validate(structuredClone(doc))).valid).toBe(true)
    doc.paths['/api/a'].get.responses[429].$ref = '#/components/responses/Gone'
    expect(unresolved(doc)).toEqual(['#/components/responses/Gone'])
    doc.components.schemas.Unused = { type: 'string' }
    expect(unused(doc)).toContain('#/components/schemas/Unused')
    doc.paths['/api/a'].get.parameters = [{ name: 'x', in: 'nowhere' }]
    expect((await new Validator().validate(doc)).valid).toBe(false)
  })

  test('the checks find an example that does not fit its schema', () => {
    const code = Type.String({ pattern: '^Z{3}$' })
    expect(Value.Check(code, exampleOf(code, 'request'))).toBe(false)
    const helped = Type.String({ pattern: '^Z{3}$', examples: ['ZZZ'] })
    expect(exampleOf(helped, 'request')).toBe('ZZZ')
  })
})

describe('an operation', () => {
  const dataOf = (doc: Json, path: string) => {
    const { schema } = doc.paths[path].get.responses[200].content['application/json']
    return resolve(doc, schema).properties.data
  }
  const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

  test('states its access in words and as x-access', () => {
    expect(only({ access: open })['x-access']).toEqual({ level: 'public', kind: 'open' })
    expect(only({ access: open }).security).toEqual([])
    const known = only({ access: openToUsers })
    expect(known['x-access']).toEqual({ level: 'public', kind: 'open' })
    expect(known.security).toEqual([{}, { token: [], device: [] }])
    expect(known.responses[401]).toBeDefined()
    expect(only({ access: signedIn })['x-access']).toEqual({ level: 'login', kind: 'signedIn' })
    expect(only({ access: signedUrl('x', [], 'file:read') }).security).toEqual([
      {},
      { token: [], device: [] },
      { apiKey: [] },
    ])
    const published = only({ access: publisher('app_update:publish') })
    expect(published.security).toEqual([{ publisherKey: [] }, { token: [], device: [] }, { apiKey: [] }])
    expect(published['x-access'].level).toBe('admin')
    expect(only({ access: signedUrl('x', [], 'file:read') }).description).toContain('anyone with a signed URL')
    const admin = only({ access: platform('user:update') })
    expect(admin['x-access']).toEqual({ level: 'admin', kind: 'platform', point: 'user:update' })
    expect(admin.description).toContain('`user:update`')
    expect(admin.security).toEqual([{ token: [], device: [] }, { apiKey: [] }])
    expect(admin.responses[403]).toBeDefined()
    // 4038: users who must change their initial password first. 4037: API keys.
    expect(only({ access: signedIn }).responses[403]).toBeDefined()
  })

  test('an answer is shown in the envelope, or bare if it is a file or a page', () => {
    const listed = only({ data: PageOf(Type.Object({ id: Id, name: Line(10) })) }).responses[200].content
    expect(Object.keys(listed)).toEqual(['application/json'])
    expect(listed['application/json'].example).toEqual({
      code: 200,
      data: { items: [{ id: 42, name: 'Example te' }], total: 1, page: 1, size: 20 },
    })
    expect(build([sample()]).components.schemas.EmptyEnvelope.examples).toEqual([{ code: 200, data: null }])
    expect(Object.keys(only({ answers: 'image/png' }).responses[200].content)).toEqual(['image/png'])
    const page = only({ answers: 'text/html', data: Id }).responses[200].content
    expect(Object.keys(page)).toEqual(['text/html', 'application/json'])
  })

  test('only fields without a default are required', () => {
    const op = only({ query: PageQuery({ orgId: Type.Optional(Id), kind: Enum(['A', 'B']) }) })
    const required = Object.fromEntries(
      op.parameters.filter((p: Json) => p.in === 'query').map((p: Json) => [p.name, p.required]),
    )
    expect(required).toEqual({ page: false, size: false, orgId: false, kind: true })
    const body = only({
      method: 'POST',
      body: Type.Object({ a: Id, b: Type.Optional(Id), c: Type.Integer({ default: 3 }) }),
    })
    expect(body.requestBody.content['application/json'].schema.required).toEqual(['a'])
    const form = only({ method: 'POST', body: Type.Object({ a: Id }), acceptsForm: true })
    expect(Object.keys(form.requestBody.content)).toEqual(['application/json', 'application/x-www-form-urlencoded'])
  })

  test('a body is required only if one of its fields is', () => {
    const required = (body: TSchema) => only({ method: 'POST', body }).requestBody.required
    expect(required(Type.Object({ a: Type.Optional(Id), b: Type.Integer({ default: 3 }) }))).toBe(false)
    expect(required(Type.Object({ a: Type.Optional(Id), b: Id }))).toBe(true)
    expect(required(OneOf('Either', ['a', 'b'], { a: Type.Optional(Id), b: Type.Optional(Id) }))).toBe(true)
  })

  test('every operation has Accept-Language, and logins have X-Device-Id and X-Device-Name', () => {
    const headers = (more: Partial<AnyEndpoint>) =>
      only(more).parameters.flatMap(({ $ref }: Json) => ($ref ? [$ref.split('/').at(-1)] : []))
    expect(headers({})).toEqual(['AcceptLanguage'])
    expect(headers({ namesDevice: true })).toEqual(['DeviceId', 'DeviceName', 'AcceptLanguage'])
    // With a token the security scheme names the device id.
    expect(headers({ namesDevice: true, access: signedIn })).toEqual(['DeviceName', 'AcceptLanguage'])
  })

  test('the refusals of a record are listed with their reasons', () => {
    const op = only({ refuses: { 404: 'No such code.' } })
    expect(Object.keys(op.responses)).toEqual(['200', '400', '404', '429', '503'])
    expect(op.responses[404]).toEqual({ $ref: '#/components/responses/NotFound', description: 'No such code.' })
  })

  test('a page operation refuses with HTML or JSON', () => {
    const { responses } = only({ answers: 'text/html', refuses: { 403: 'Used.' } })
    expect(responses[403].description).toBe('Used.')
    expect(Object.keys(responses[403].content)).toEqual(['text/html', 'application/json'])
    expect(responses[429].headers['Retry-After']).toBeDefined()
  })

  test('bare JSON is shown without the envelope', () => {
    const { responses } = only({ answers: 'application/json', data: Model('Health', { status: Line(9) }) })
    expect(responses[200].content).toEqual({
      'application/json': {
        schema: { $ref: '#/components/schemas/Health' },
        example: { status: expect.any(String) },
      },
    })
  })

  test('files are shown as binary strings with each of their media types', () => {
    const { content } = only({ answers: 'image/png, text/csv' }).responses[200]
    expect(content['image/png'].schema).toEqual({ type: 'string', format: 'binary', contentMediaType: 'image/png' })
    expect(content['text/csv'].schema).toEqual({ type: 'string' })
  })

  test('a form with a file is the body if JSON is not accepted, and described in words beside JSON', () => {
    const acceptsFile = { maxBytes: () => 9, required: true, insteadOf: 'fileId' }
    const body = Model('NewPhoto', { title: Line(9) })
    const { schema, example } = only({ method: 'POST', body, acceptsFile }).requestBody.content['multipart/form-data']
    expect(Object.keys(schema.properties)).toEqual(['title', 'file'])
    expect(Object.keys(example)).toEqual(['title', 'file'])
    const both = only({ method: 'POST', body, acceptsFile: { ...acceptsFile, required: false } })
    expect(both.requestBody.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/NewPhoto' }, example: expect.anything() },
    })
    expect(both.description).toContain('and the bytes in `file` instead of `fileId`')
  })

  test('alternatives of a body are one object that says which fields are required together', () => {
    const fields = {
      name: Line(9),
      ids: Type.Optional(Nullable(Type.Array(Id))),
      all: Type.Optional(Nullable(Type.Boolean())),
      note: Type.Optional(Nullable(Line(9))),
    }
    const doc = build([sample({ method: 'POST', body: OneOf('Send', ['ids', { all: [true] }], fields) })])
    const { Send, SendByIds } = doc.components.schemas
    expect(SendByIds).toBeUndefined()
    expect(Send).toMatchObject({
      type: 'object',
      required: ['name'],
      description: 'Exactly one of: `ids`; `all` true.',
    })
    expect(Send.allOf).toEqual([{ oneOf: [{ required: ['ids'] }, { required: ['all'] }] }])
    expect(Send.properties.ids).toMatchObject({ type: 'array' })
    expect(Send.properties.all).toEqual({ type: 'boolean', not: { const: false } })
    expect(Send.properties.note.type).toEqual(['string', 'null'])
    const { example } = doc.paths['/api/a'].post.requestBody.content['application/json']
    expect(Object.keys(example)).toEqual(['name', 'ids', 'note'])

    const any = build([sample({ method: 'POST', body: AnyOf('Send', ['ids', 'all'], fields) })]).components.schemas.Send
    expect(any.allOf).toEqual([{ anyOf: [{ required: ['ids'] }, { required: ['all'] }] }])
    expect(any.description).toBe('At least one of: `ids`; `all`.')
  })

  test('one of several shapes is one object, whose fields are optional unless all shapes have them', () => {
    const whole = Type.Object({ uuid: Line(9), name: Nullable(Line(9)), size: Id })
    const masked = Type.Object({ uuid: Line(9), hint: Line(9) })
    const data = Merged('Thing', { description: 'Either' }, [whole, masked])
    const { Thing } = build([sample({ data: Type.Object({ thing: data }) })]).components.schemas
    expect(Thing).toMatchObject({ type: 'object', required: ['uuid'], description: 'Either' })
    expect(Object.keys(Thing.properties)).toEqual(['uuid', 'name', 'size', 'hint'])
    expect(Thing.properties.name.type).toEqual(['string', 'null'])
    expect(Thing.allOf).toEqual([{ anyOf: [{ required: ['name', 'size'] }, { required: ['hint'] }] }])
    expect(answerProblem(data, { uuid: 'a', hint: 'b' })).toBeUndefined()
    expect(answerProblem(data, { uuid: 'a' })).toBeDefined()
    expect(() => Merged('Thing', {}, [whole, Type.Object({ uuid: Id })])).toThrow('uuid')
  })

  test('a value of several types is shown without a type', () => {
    const value = Untyped(Type.Union([Id, Type.String()]), { description: 'A number or a string', examples: [42] })
    const { schema, example } = only({ data: Type.Object({ value, other: Nullable(value) }) }).responses[200].content[
      'application/json'
    ]
    const shown = { description: 'A number or a string', examples: [42] }
    expect(schema.properties.data.properties).toEqual({ value: shown, other: shown })
    expect(example.data.value).toBe(42)
  })

  test('a schema with another one for the document is shown as that one', () => {
    const shown = Model('Shape', { kind: Enum(['round']), size: Id })
    const fields = { kind: Line(9), size: Type.Optional(Type.Unknown()) }
    const doc = build([sample({ method: 'POST', body: Type.Object({ shape: ShownAs(Type.Object(fields), shown) }) })])
    const { schema, example } = doc.paths['/api/a'].post.requestBody.content['application/json']
    expect(resolve(doc, schema).properties.shape).toEqual(refTo('Shape'))
    expect(doc.components.schemas.Shape.properties.kind).toEqual({ type: 'string', enum: ['round'] })
    expect(Object.keys(example.shape)).toEqual(['kind', 'size'])
    expect(JSON.stringify(doc)).not.toContain('x-shown-as')
  })
  test('required fields are in the example of alternatives, also those that another one narrows', () => {
    const data = AnyOf('Result', [{ status: ['DONE'] }, { status: ['FAILED'], id: true }], {
      status: Enum(['DONE', 'FAILED']),
      id: Nullable(Id),
    })
    expect(exampleOf(data, 'answer')).toEqual({ status: 'DONE', id: 42 })
  })
  test('alternatives that depend on a value are shown with that value', () => {
    const byPassword = { kind: ['PASSWORD'], password: true } as const
    const byCode = { kind: ['SMS_CODE', 'MAIL_CODE'], code: true } as const
    const body = OneOf('Prove', [byPassword, byCode], {
      kind: Enum(['PASSWORD', 'SMS_CODE', 'MAIL_CODE'], { default: 'PASSWORD' }),
      password: Type.Optional(Line(9)),
      code: Type.Optional(Line(9)),
    })
    const { Prove } = build([sample({ method: 'POST', body })]).components.schemas
    expect(Prove.required).toEqual([])
    expect(Prove.properties.kind.enum).toHaveLength(3)
    expect(Prove.description).toBe(
      'Exactly one of: `kind` PASSWORD with `password`; `kind` SMS_CODE or MAIL_CODE with `code`.',
    )
    expect(Prove.allOf).toEqual([
      {
        oneOf: [
          { required: ['password'], properties: { kind: { enum: ['PASSWORD'] } } },
          { required: ['kind', 'code'], properties: { kind: { enum: ['SMS_CODE', 'MAIL_CODE'] } } },
        ],
      },
    ])
  })

  test('times are integers of 64 bits, and requests say that ISO 8601 is accepted too', () => {
    const body = Type.Object({ at: Time, until: Type.Optional(Nullable({ ...Time, description: 'The end' })) })
    const query = Type.Object({ from: Type.Optional(Time) })
    const op = only({ method: 'POST', body, query })
    const { at, until } = op.requestBody.content['application/json'].schema.properties
    const iso = 'Epoch milliseconds; ISO 8601 with a time zone is accepted too.'
    const bounds = { format: 'int64', minimum: 0, maximum: 8_640_000_000_000_000 }
    expect(at).toMatchObject({ type: 'integer', ...bounds, description: iso })
    expect(until).toMatchObject({ type: ['integer', 'null'], ...bounds, description: `The end. ${iso}` })
    expect(op.parameters[0]).toMatchObject({ name: 'from', description: iso, schema: { type: 'integer', ...bounds } })
  })

  test('integers that may have more than 32 bits say so', () => {
    const maximum = 2 ** 31 - 1
    const data = Type.Object({
      id: Id,
      parentId: Nullable(Id),
      bytes: Type.Integer({ minimum: 0 }),
      large: Type.Integer({ maximum: maximum + 1 }),
      small: Type.Integer({ minimum: -maximum - 1, maximum }),
      ratio: Type.Number({ minimum: 0 }),
    })
    const { properties } = only({ data }).responses[200].content['application/json'].schema.properties.data
    const long = Object.keys(properties).filter((name) => properties[name].format === 'int64')
    expect(long).toEqual(['id', 'parentId', 'bytes', 'large'])
  })

  test('every variant of a union is shown', () => {
    const data = Type.Object({ target: Type.Union([Id, Type.String()]), other: Type.Union([Id, Line(9), Type.Null()]) })
    const { properties } = only({ data }).responses[200].content['application/json'].schema.properties.data
    const types = (property: Json) => property.anyOf.map((s: Json) => s.type)
    expect(types(properties.target)).toEqual(['integer', 'string'])
    expect(types(properties.other)).toEqual(['integer', 'string', 'null'])
  })

  test('nullable values have two types, and times have format int64', () => {
    const data = Type.Object({
      parentId: Nullable(Id),
      kind: Nullable(Enum(['A'])),
      at: Time,
      deletedAt: Nullable(Time),
    })
    const { properties } = only({ data }).responses[200].content['application/json'].schema.properties.data
    expect(properties.parentId.type).toEqual(['integer', 'null'])
    expect(properties.kind).toEqual({ type: ['string', 'null'], enum: ['A', null] })
    expect(properties.at).toMatchObject({
      type: 'integer',
      format: 'int64',
      description: expect.stringContaining('milliseconds'),
    })
    expect(properties.deletedAt).toMatchObject({ type: ['integer', 'null'], format: 'int64' })
  })

  test('a named schema is a component that every use refers to: alone, in lists, pages and unions', () => {
    const Thing = Model('Thing', { id: Id })
    const doc = build([
      sample({ data: Thing }),
      sample({ id: 'a.c', path: '/api/a/:id', params: ById, data: Type.Array(Thing) }),
      sample({ id: 'a.d', path: '/api/d', data: PageOf(Thing) }),
      sample({ id: 'a.e', path: '/api/e', data: Type.Object({ thing: Nullable(Thing) }) }),
    ])
    expect(doc.components.schemas.Thing.properties.id.type).toBe('integer')
    expect(dataOf(doc, '/api/a')).toEqual(refTo('Thing'))
    expect(dataOf(doc, '/api/a/{id}').items).toEqual(refTo('Thing'))
    expect(dataOf(doc, '/api/d')).toEqual(refTo('ThingPage'))
    expect(doc.components.schemas.ThingPage.properties.items.items).toEqual(refTo('Thing'))
    expect(dataOf(doc, '/api/e').properties.thing).toEqual({ anyOf: [refTo('Thing'), { type: 'null' }] })
    expect(JSON.stringify(doc)).not.toContain('$id')
  })

  test('a tree is a component that refers to itself', () => {
    const Node = Tree('Node', { id: Id })
    const doc = build([sample({ data: Type.Array(Node) })])
    expect(dataOf(doc, '/api/a').items).toEqual(refTo('Node'))
    expect(doc.components.schemas.Node.properties.children).toEqual({ type: 'array', items: refTo('Node') })
    expect(doc.components.schemas.NodeListEnvelope.examples).toEqual([{ code: 200, data: [{ id: 42, children: [] }] }])
  })

  test('a different description or default of a named schema is shown beside the reference', () => {
    const Size = Named('Size', Enum(['S', 'L'], { description: 'Small or large' }))
    const said = { ...Size, description: 'Of the shirt', default: 'S' }
    for (const fields of [
      { a: said, b: Size },
      { b: Size, a: said },
    ]) {
      const doc = build([sample({ data: Type.Object(fields) })])
      expect(doc.components.schemas.Size).toEqual({ type: 'string', enum: ['S', 'L'], description: 'Small or large' })
      const { properties } = dataOf(doc, '/api/a')
      expect(properties.a).toEqual({ ...refTo('Size'), description: 'Of the shirt', default: 'S' })
      expect(properties.b).toEqual(refTo('Size'))
    }
  })

  test('two different schemas with one name are refused', () => {
    const claims = (other: TSchema) => () =>
      build([sample({ data: Model('Thing', { id: Id }) }), sample({ id: 'a.c', path: '/api/c', data: other })])
    expect(claims(Model('Thing', { id: Id }))).not.toThrow()
    expect(claims(Model('Thing', { other: Id }))).toThrow('two different schemas are called Thing')
    expect(claims({ ...Model('Thing', { id: Id }), minProperties: 1 })).toThrow('Thing')
  })
})

describe('a tree in an answer', () => {
  const Node = Tree('Node', { id: Id })
  test('a tree in an answer is checked at every level', () => {
    const deep = (leaf: unknown) => [{ id: 1, children: [{ id: 2, children: [{ id: 3, children: [leaf] }] }] }]
    expect(answerProblem(Type.Array(Node), deep({ id: 4, children: [] }))).toBeUndefined()
    expect(answerProblem(Type.Array(Node), deep({ id: 4 }))).toContain('/0/children/0/children/0/children/0')
    expect(answerProblem(Type.Array(Node), deep({ id: 4, children: [], secret: 1 }))).toContain('secret')
  })
})

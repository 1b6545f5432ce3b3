/**
 * Answers requests by endpoint records. Each request passes, in this order: request id, announced size, caller (token with session and
 * device, signed URL, publisher key, or token of a gate), rate limit of the session or address, permission, console rules, body, validation, budgets,
 * `run`, envelope. A dual write can name its organization in the body, so its body is read before the permission is checked.
 */

import type { Server } from 'bun'
import { Elysia } from 'elysia'

import { type AppContext, perContext } from '#context'
import { SearchRefused, StorageError } from '#db/errors.ts'
import type { RepeatKeys } from '#db/repeat-keys.ts'
import type { LoggedAction } from '#db/schema/operation-log.ts'
import { ipTest } from '#lib/ip.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { BlobError } from '#platform/blobs/port.ts'
import type { Refusal } from '#platform/limiter.ts'
import { PasswordQueueFull } from '#platform/passwords.ts'
import { KIND, type Span, timed } from '#platform/spans.ts'

import { atPublicAddress, shortPath, toPublicFront } from './addresses.ts'
import { Admission, type AdmissionGates, noToken, takePublic, tooMany } from './admission.ts'
import { checkAnnouncedSize, isUrlencoded, MAX_JSON_BODY, readBody } from './body.ts'
import { cookiesOf } from './browser.ts'
import { type BudgetUse, budgetUsedUp, usesOf } from './budget.ts'
import { readQuery, RequestCaller } from './caller.ts'
import { type Handler, withCors } from './cors.ts'
import {
  type Access,
  type Actor,
  type AnyEndpoint,
  type Caller,
  type Input,
  type LoggedActor,
  type Owner,
  Streamed,
  Tagged,
} from './endpoint.ts'
import { AppError, notFound, unavailable, unsupportedType, wrongMethod } from './errors.ts'
import { type Form, FORM_OVERHEAD, isForm, readForm, type ReceivedFile } from './form.ts'
import { type KeyScope, withinKey } from './key-scope.ts'
import { pathLogger, pathOf, unknownPathLogger } from './log-path.ts'
import { listNames } from './normalize.ts'
import { undocumented } from './openapi/responses.ts'
import { mounted } from './own-requests.ts'
import { checkedQuery, IGNORED_PARAMETERS, Parameters } from './parameters.ts'
import { organizationNamed, type PermissionGates, Permissions } from './permissions.ts'
import { refuseCondition, runIfMatch, showsVersion } from './preconditions.ts'
import { refusal, wantsJson } from './refusals.ts'
import { isRepeatable, operationOf } from './repeatable.ts'
import { runOnce } from './repeats.ts'
import { bare, failure, publicError, publicSuccess, secretSuccess, streamed, success } from './respond.ts'
import { type PathParams, Router } from './router.ts'
import { isHandshake, socketToken } from './sockets/handshake.ts'
import { type SocketGates, socketsOfServer } from './sockets/sockets.ts'
import { answerProblem, type Validator, validator } from './validate.ts'

/** Questions about users that the gates ask. The domains answer them (app.ts), so that `http/` depends on no domain. */
export interface Gatekeeper extends AdmissionGates, PermissionGates {
  /** Servers without it open no sockets. */
  readonly sockets?: SocketGates
  /** Why an administrator cannot use the console now; asked after `can` and `isAdministrator`. */
  consoleRefusal(ctx: AppContext, userId: number): MaybePromise<AppError | undefined>
  /** Whether query parameters that an operation does not know are refused instead of ignored. */
  refusesUnknownParameters(ctx: AppContext): MaybePromise<boolean>
  /** Counts all uses in the database, or none if one of them is refused. */
  spend(ctx: AppContext, uses: readonly BudgetUse[]): Promise<Refusal<BudgetUse> | undefined>
  /** Servers without it ignore `Idempotency-Key`. */
  readonly repeatKeys?: RepeatKeys
  /** The actor of an operation that the operation log records as `action`. */
  loggedActor(ctx: AppContext, actor: Actor, action: LoggedAction, caller: Caller): LoggedActor
}

const FILE_FAILURES = {
  name: 'tessera_file_failures_total',
  help: 'Requests that failed because files could not be stored or read.',
}

const draining = unavailable('The server is shutting down', '服务器正在关闭', { retryAfter: 5 })
/**
 * Bun closes a connection on which fewer than 160 KB of a body arrive in this many seconds: with 120, bodies below 1.3 KB/s. With the
 * timeout of other requests (server.ts) a phone with 2 KB/s could not upload anything.
 */
const SLOW_BODY_SECONDS = 120
/** Uploads of one user or address at the same time. Each takes a file in the staging folder and a few buffers. */
export const UPLOADS_AT_ONCE = 64
const uploading = perContext(() => new Map<string, number>())

/** RFC 6797: browsers then use https for a year, also for addresses that are typed or linked without it. */
const HSTS = ['strict-transport-security', 'max-age=31536000'] as const

/** Headers that browsers ignore without TLS. About that of pages, Chromium then complains in the console of each. */
function addTlsHeaders({ headers }: Response, { config }: AppContext): void {
  if (!config.publicUrl.startsWith('https:')) return
  // A private network that goes back to http would be locked out.
  if (config.mode !== 'NETWORK') headers.set(...HSTS)
  if (headers.get('content-type')?.startsWith('text/html')) headers.set('cross-origin-opener-policy', 'same-origin')
}

const trustOf = perContext((ctx) => ipTest(ctx.config.trustedProxies))

/** Answers the requests of one endpoint, with its compiled validators. */
class Route {
  readonly #params: Validator | undefined
  readonly #query: Validator | undefined
  /** Names of the query parameters that are lists. */
  readonly #lists: ReadonlySet<string>
  readonly #parameters: Parameters
  readonly #body: Validator | undefined
  /** For the text fields of a form. */
  readonly #fields: Validator | undefined
  readonly #admission: Admission
  readonly #permissions: Permissions
  readonly #maxBody: number
  /** Of a body that is read into memory. */
  readonly #maxJson: number
  readonly #trusted: (ip: string) => boolean
  readonly #isPublicRead: boolean
  readonly #isRepeatable: boolean
  readonly #showsVersion: boolean
  readonly #loggedPath: (url: string) => string
  readonly #spanName: string

  constructor(
    readonly endpoint: AnyEndpoint,
    readonly ctx: AppContext,
    readonly gates: Gatekeeper,
  ) {
    this.#params = endpoint.params && validator(endpoint.params, 'path')
    this.#query = endpoint.query && validator(checkedQuery(endpoint.query, endpoint.access), 'query')
    this.#parameters = new Parameters(endpoint)
    this.#lists = new Set(endpoint.query && listNames(endpoint.query))
    this.#body = endpoint.body && validator(endpoint.body, 'body')
    const takesFields = endpoint.acceptsFile !== undefined || endpoint.acceptsForm === true
    this.#fields = takesFields && endpoint.body ? validator(endpoint.body, 'body', { coerce: true }) : undefined
    this.#admission = new Admission(endpoint, ctx, gates)
    this.#permissions = new Permissions(ctx, gates)
    this.#maxBody = endpoint.maxBody ?? MAX_JSON_BODY
    this.#maxJson = endpoint.acceptsFile ? MAX_JSON_BODY : this.#maxBody
    this.#trusted = trustOf(ctx)
    this.#loggedPath = pathLogger(endpoint)
    this.#spanName = `${endpoint.method} ${endpoint.path}`
    this.#isRepeatable = gates.repeatKeys !== undefined && isRepeatable(endpoint)
    this.#showsVersion = showsVersion(endpoint)
    this.#isPublicRead = endpoint.access.kind === 'open' && endpoint.method === 'GET'
  }

  answer(request: Request, params: PathParams, server: Server<unknown> | null): Promise<Response> {
    const { tracer } = this.ctx
    const caller = new RequestCaller(request, server, this.#trusted, this.ctx)
    if (tracer === undefined) return this.#answer(request, params, server, caller)
    const span = tracer.begin(this.#spanName, KIND.server, caller.traceparent)
    const answer = () => this.#answer(request, params, server, caller, span)
    return span.trace.isSampled ? span.run(answer) : answer()
  }

  async #answer(
    request: Request,
    params: PathParams,
    server: Server<unknown> | null,
    caller: RequestCaller,
    span?: Span,
  ): Promise<Response> {
    const started = performance.now()
    this.ctx.metrics.begin()
    let userId = 0
    let response: Response
    try {
      if (this.ctx.lifecycle.draining && !this.endpoint.whileDraining) throw draining
      if (this.endpoint.keepsCookies) caller.browser = cookiesOf(this.ctx.config, request, () => this.ctx.clock.now())
      if (request.body !== null) checkAnnouncedSize(request, this.#takesFile(request) ? this.#maxBody : this.#maxJson)
      if (this.endpoint.streamsBody || this.endpoint.acceptsFile) server?.timeout(request, SLOW_BODY_SECONDS)
      // Health checks answer also while the database does not.
      const catchingUp = this.endpoint.whileDraining ? undefined : this.ctx.bus.caughtUp()
      if (catchingUp !== undefined) await timed('wait for events', {}, () => catchingUp)
      const admitted = this.#admission.admit(request, params, caller)
      const actor = admitted instanceof Promise ? await admitted : admitted
      userId = actor?.userId ?? 0
      response = await (actor?.key === undefined
        ? this.#respond(request, params, actor, caller)
        : withinKey(actor.key, () => this.#respond(request, params, actor, caller)))
    } catch (error) {
      response = this.#refuse(error, request, caller)
    }
    if (this.ctx.config.checkAnswers) response = this.#checkDocumented(response, caller)
    for (const cookie of caller.browser?.changes ?? []) response.headers.append('set-cookie', cookie)
    if (request.headers.has('x-refresh-token')) response.headers.set('x-public-url', this.ctx.config.publicUrl)
    if (caller.ignoredParameters.length > 0)
      response.headers.set(IGNORED_PARAMETERS, caller.ignoredParameters.join(', '))
    if (this.ctx.lifecycle.leaving) response.headers.set('connection', 'close')
    addTlsHeaders(response, this.ctx)
    if (span !== undefined) this.#endSpan(span, request, response, caller)
    const ms = performance.now() - started
    this.ctx.metrics.request(this.endpoint, response.status, ms)
    const origin = this.endpoint.isScan === true ? { requestId: caller.requestId, ip: '-' } : caller
    this.ctx.log.access(request.method, this.#loggedPath(request.url), response.status, ms, origin, userId)
    return response
  }

  #endSpan(span: Span, request: Request, { status }: Response, { requestId }: Caller): void {
    span.attributes = {
      'http.request.method': request.method,
      'http.route': this.endpoint.path,
      'http.response.status_code': status,
      'http.request.header.x-request-id': requestId,
    }
    span.end(status >= 500)
  }

  #respond(request: Request, params: PathParams, actor: Actor | undefined, caller: RequestCaller): Promise<Response> {
    const receives = this.#takesFile(request)
    return receives ? this.#receive(request, params, actor, caller) : this.#run(request, params, actor, caller)
  }

  #takesFile(request: Request): boolean {
    const { streamsBody, acceptsFile } = this.endpoint
    return streamsBody === true || (acceptsFile !== undefined && isForm(request))
  }

  /** Receives the file of a form, calls `#run`, and deletes the file unless `run` has stored it. */
  async #receive(
    request: Request,
    params: PathParams,
    actor: Actor | undefined,
    caller: RequestCaller,
  ): Promise<Response> {
    const { acceptsFile } = this.endpoint
    const counts = uploading(this.ctx)
    const uploader = actor === undefined ? caller.ip : `user ${actor.userId}`
    const running = counts.get(uploader) ?? 0
    if (running >= UPLOADS_AT_ONCE) throw tooMany(1)
    counts.set(uploader, running + 1)
    let file: ReceivedFile | undefined
    try {
      if (acceptsFile === undefined) return await this.#run(request, params, actor, caller)
      // Only the form says in which organization a dual operation is. The others are refused before anything is received.
      if (this.endpoint.access.kind !== 'dual')
        await this.#permissions.require(this.endpoint.access, actor, params, undefined)
      const maxBytes = await acceptsFile.maxBytes(this.ctx)
      checkAnnouncedSize(request, maxBytes + FORM_OVERHEAD)
      const form = await readForm(request, this.ctx.staging, maxBytes)
      file = form.file
      return await this.#run(request, params, actor, caller, form)
    } finally {
      const left = counts.get(uploader)! - 1
      if (left > 0) counts.set(uploader, left)
      else counts.delete(uploader)
      await file?.dispose()
    }
  }

  async #run(
    request: Request,
    params: PathParams,
    actor: Actor | undefined,
    caller: RequestCaller,
    form?: Form,
  ): Promise<Response> {
    const { endpoint, ctx } = this
    let rawQuery = readQuery(request.url, this.#lists)
    let rawBody: unknown = form?.fields
    // Only a dual write can name its organization in the body; the body is then read before the permission check.
    const bodyNamesScope = form === undefined && endpoint.access.kind === 'dual' && this.#body !== undefined
    if (bodyNamesScope) rawBody = await readBody(request, this.#maxJson, endpoint.acceptsForm === true)

    const { access } = endpoint
    const namesOrganization = access.kind === 'dual' && !access.isPersonal?.(rawQuery)
    let named = namesOrganization ? organizationNamed(rawQuery, rawBody) : undefined
    if (namesOrganization && named === undefined && actor?.key?.domain === 'ORG')
      [rawQuery, named] = [this.#inOrganization(rawQuery, actor.key), actor.key.orgId]
    const isScraper = endpoint.takesMetricsToken === true && actor === undefined
    const admitted = isScraper ? undefined : this.#permissions.require(access, actor, params, named)
    if (admitted instanceof Promise) await admitted
    if (endpoint.acceptsFile?.required && form === undefined)
      throw unsupportedType('Send the file as multipart/form-data', '请以 multipart/form-data 上传文件')
    if (actor !== undefined && ['platform', 'admin', 'publisher'].includes(endpoint.access.kind)) {
      const refused = await this.gates.consoleRefusal(ctx, actor.userId)
      if (refused) throw refused
    }

    const unknown = this.#parameters.unknownIn(rawQuery)
    if (unknown.length > 0) await this.#reportUnknown(unknown, request, caller)
    if (this.#body && !bodyNamesScope && form === undefined)
      rawBody = await readBody(request, this.#maxJson, endpoint.acceptsForm === true)
    const logged =
      endpoint.logs === undefined || actor === undefined
        ? undefined
        : this.gates.loggedActor(ctx, actor, endpoint.logs, caller)
    const input = {
      ctx,
      actor: logged ?? actor,
      caller,
      request,
      params: this.#params && this.#params.parse(params),
      query: this.#query && this.#query.parse(rawQuery),
      body: (form !== undefined || this.#isPageForm(request) ? this.#fields : this.#body)?.parse(rawBody),
      upload: form?.file,
      gate: caller.gate,
      owner: undefined as Owner | undefined,
    } satisfies Input<Access, unknown, unknown, unknown>
    if (actor !== undefined && endpoint.access.kind === 'dual') {
      const owner = this.#permissions.ownerOf(endpoint.access, actor, input.params, named)
      input.owner = owner instanceof Promise ? await owner : owner
    }
    const condition = endpoint.method === 'GET' ? null : request.headers.get('if-match')
    if (condition !== null && endpoint.row === undefined) refuseCondition(condition)
    const key = this.#isRepeatable && actor !== undefined ? request.headers.get('idempotency-key') : null
    if (key !== null) return this.#runOnce(key, input, actor!.userId, logged)
    if (endpoint.budgets !== undefined) await this.#spend(endpoint.budgets, input)
    if (endpoint.opensSocket && isHandshake(request)) return this.#openSocket(request, actor!, caller)
    const result =
      condition === null || endpoint.row === undefined
        ? endpoint.run(input)
        : runIfMatch(endpoint.row, condition, input, () => endpoint.run(input))
    const data = result instanceof Promise ? await result : result
    if (logged?.hasWritten === false) this.#reportUnlogged(caller)
    if (data instanceof Response) return bare(data, caller.requestId)
    if (data instanceof Streamed) return streamed(ctx, data, caller.requestId)
    if (ctx.config.checkAnswers) this.#checkAnswer(this.#isPublicRead && data instanceof Tagged ? data.data : data)
    if (endpoint.isSecretLink) return secretSuccess(data, caller.requestId)
    return this.#isPublicRead || endpoint.isPolled
      ? publicSuccess(data, caller.requestId, request.headers.get('if-none-match'), endpoint.isPolled)
      : success(data, caller.requestId, this.#versionOf(data))
  }

  /** The query of a request with a key of an organization that leaves `orgId` out, which is then the key's. */
  #inOrganization(query: Readonly<Record<string, string>>, { orgId }: KeyScope): Readonly<Record<string, string>> {
    return this.#query !== undefined && this.#parameters.has('orgId') ? { ...query, orgId: String(orgId) } : query
  }

  /** Whether the body is the form of a page, in which every value is text. */
  #isPageForm(request: Request): boolean {
    return this.endpoint.acceptsForm === true && isUrlencoded(request)
  }

  #versionOf(data: unknown): number | undefined {
    return this.#showsVersion ? (data as { readonly version: number }).version : undefined
  }

  /** @throws AppError 400 if the setting says so. Pages for people stay: messengers and trackers add parameters to the links of others. */
  async #reportUnknown(unknown: readonly string[], request: Request, caller: RequestCaller): Promise<void> {
    const isForPeople = this.endpoint.answers === 'text/html' && !wantsJson(request)
    // It may read the setting from the database.
    if (!isForPeople && !this.endpoint.unlimited && (await this.gates.refusesUnknownParameters(this.ctx)))
      throw this.#parameters.refusal(unknown)
    caller.ignoredParameters = unknown
  }

  /** The end of `#run` for a request with `Idempotency-Key`. */
  async #runOnce(
    key: string,
    input: Input<Access, unknown, unknown, unknown>,
    userId: number,
    logged: LoggedActor | undefined,
  ): Promise<Response> {
    const { endpoint, ctx } = this
    const { caller, params, query, body, upload } = input
    const { data, isReplay } = await runOnce(
      ctx,
      this.gates.repeatKeys!,
      {
        userId,
        operation: operationOf(endpoint, input.actor),
        key,
        input: { params, query, body, file: upload?.sha256 },
      },
      () => (endpoint.budgets === undefined ? undefined : this.#spend(endpoint.budgets, input)),
      () => endpoint.run(input),
    )
    if (!isReplay && logged?.hasWritten === false) this.#reportUnlogged(caller)
    if (ctx.config.checkAnswers) this.#checkAnswer(data)
    const response = success(data, caller.requestId, this.#versionOf(data))
    if (isReplay) response.headers.set('idempotency-replayed', 'true')
    return response
  }

  async #openSocket(request: Request, actor: Actor, caller: Caller): Promise<Response> {
    const claims = await this.ctx.tokens.verify(socketToken(request)!)
    // It may have expired, or the server may be stopping, since the request was admitted.
    if (claims === undefined) throw noToken
    if (this.ctx.lifecycle.draining) throw draining
    return socketsOfServer(this.ctx).open(request, actor, claims, caller.locale)
  }

  /** Counts the call in the budgets that the record declares. @throws AppError 429 if one of them is used up. */
  async #spend(budgets: NonNullable<AnyEndpoint['budgets']>, input: Input<Access, unknown, unknown, unknown>) {
    const { ctx, actor, caller } = input
    const quick: BudgetUse[] = []
    const durable: BudgetUse[] = []
    for (const budget of budgets) {
      if (budget.countedByRun) continue
      const uses = await usesOf(ctx, budget, { actor, caller }, budget.cost?.(input) ?? 1)
      ;(budget.durable ? durable : quick).push(...uses)
    }
    const refusal =
      (await ctx.exactLimiter.takeAll(quick)) ?? (durable.length > 0 ? await this.gates.spend(ctx, durable) : undefined)
    if (refusal) throw budgetUsedUp(refusal)
  }

  #reportUnlogged({ requestId }: Caller): void {
    const problem = `${this.endpoint.id} did not use actor.write, so its change is missing in the operation log`
    if (this.ctx.config.checkAnswers) throw new Error(problem)
    this.ctx.log.error(problem, { requestId })
  }

  #checkAnswer(data: unknown): void {
    const schema = this.endpoint.data
    const problem =
      schema === undefined ? (data == null ? undefined : 'data without a schema') : answerProblem(schema, data)
    if (problem !== undefined) throw new Error(`${this.endpoint.id} answered against its schema: ${problem}`)
  }

  /** In tests and development: an answer that the API document does not list becomes a 500 that says so. */
  #checkDocumented(response: Response, caller: Caller): Response {
    const problem = undocumented(this.endpoint, response)
    if (problem === undefined) return response
    const text = `${this.endpoint.id} ${problem}, which the API document does not list`
    return failure(new AppError(500, 500, { en: text, zh: text }), caller.requestId, 'en')
  }

  /** One line for each request. The message names the fault of the disk or of the S3 server. */
  #reportFiles({ kind, message }: BlobError, { requestId }: Caller): void {
    this.ctx.metrics.count(FILE_FAILURES, { kind })
    this.ctx.log.error('files cannot be stored or read', {
      kind,
      reason: message,
      endpoint: this.endpoint.id,
      requestId,
    })
  }

  #refuse(error: unknown, request: Request, caller: Caller): Response {
    const shown = publicError(error)
    if (error instanceof PasswordQueueFull || (error instanceof SearchRefused && error.reason === 'timeout'))
      this.ctx.log.warn(error.message, { endpoint: this.endpoint.id, requestId: caller.requestId })
    else if (error instanceof StorageError) this.ctx.db.storage.failed(error)
    else if (error instanceof BlobError) this.#reportFiles(error, caller)
    else if (shown.status >= 500 && !(error instanceof AppError))
      this.ctx.log.error('request failed', { endpoint: this.endpoint.id, requestId: caller.requestId, error })
    if (shown.extras.log) this.ctx.log.info(shown.message, { ...shown.extras.log, requestId: caller.requestId })
    return refusal(this.ctx, shown, this.endpoint.answers, request, caller.requestId)
  }
}

/** One Elysia application with one route; the router finds the endpoint. See docs/adr/0015-routing.md. */
export function mount(endpoints: readonly AnyEndpoint[], ctx: AppContext, gates: Gatekeeper) {
  const router = new Router(endpoints, (endpoint) => new Route(endpoint, ctx, gates))
  const trusted = trustOf(ctx)
  for (const kind of ['full', 'unreachable', 'io']) ctx.metrics.counter(FILE_FAILURES, { kind })
  const loggedPath = unknownPathLogger(endpoints)
  // The path of the public URL as QR codes of passes have it. A proxy that removes this path knows it as it is configured only.
  const base = new URL(ctx.config.publicUrl).pathname.replace(/\/$/, '').toUpperCase()

  // Not async, as one more promise for each request would be measurable. Bun sends the headers of the answer to HEAD without content.
  const dispatch: Handler = (request, server) => {
    const given = pathOf(request.url)
    const short = shortPath(ctx, request, given)
    if (short === '/') return toPublicFront(ctx)
    const path = short ?? given
    const isPass = base !== '' && path.startsWith(`${base}/S/`)
    const found = router.find(request.method, isPass ? path.slice(base.length) : path)
    if (short !== undefined && 'target' in found)
      return found.target.answer(request, found.params, server).then((page) => atPublicAddress(ctx, page))
    return 'target' in found
      ? found.target.answer(request, found.params, server)
      : refuseUnrouted(found, request, new RequestCaller(request, server, trusted, ctx), ctx, loggedPath)
  }

  Object.assign(mounted(ctx), { endpoints, answer: dispatch })
  const { corsOrigins } = ctx.config
  const answer = corsOrigins.length === 0 ? dispatch : withCors(corsOrigins, dispatch)
  return new Elysia({ name: 'tessera' }).all('/*', ({ request, server }) => answer(request, server), {
    parse: 'none',
  })
}

/** Answers a request for an unknown path (404), or with a method that the path does not allow (405), or too many of them (429). */
function refuseUnrouted(
  allowed: readonly string[],
  request: Request,
  caller: Caller,
  ctx: AppContext,
  loggedPath: (url: string) => string,
): Response {
  const isForPeople = (request.headers.get('accept') ?? '').includes('text/html')
  // Scanners try thousands of paths, and each answer takes time and a line of the log.
  const wait = ctx.config.rateLimit ? takePublic(ctx, caller) : 0
  const error = wait > 0 ? tooMany(wait) : allowed.length === 0 ? notFound() : wrongMethod(request.method)
  const response = refusal(ctx, error, isForPeople && wait === 0 ? 'text/html' : undefined, request, caller.requestId)
  if (error.status === 405) response.headers.set('allow', allowed.join(', '))
  if (ctx.lifecycle.leaving) response.headers.set('connection', 'close')
  addTlsHeaders(response, ctx)
  ctx.log.access(request.method, loggedPath(request.url), response.status, 0, caller, 0)
  return response
}

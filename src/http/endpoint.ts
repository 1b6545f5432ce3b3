/**
 * An endpoint is a record. Tables of them are what the server mounts and what the tests, the OpenAPI document and the
 * console read: nothing about a route is known only to the framework.
 */

import type { Static, TSchema } from '@sinclair/typebox'

import type { AppContext } from '#context'
import type { GateSession } from '#db/schema/activity-gates.ts'
import type { LoggedAction, LoggedFields } from '#db/schema/operation-log.ts'
import type { Db, Tx, WriteOptions } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { AppPoint, DualPoint, OrgPoint, PlatformPoint } from '#permission-points'

import type { BrowserCookies } from './browser.ts'
import type { Budget } from './budget.ts'
import type { ReceivedFile } from './form.ts'
import type { KeyScope } from './key-scope.ts'
import type { Work } from './places.ts'
import type { VersionedRow } from './preconditions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Groups of the API document, in their order there. */
export const TAGS = [
  'Signing in',
  'Passwords',
  'Second factor',
  'Phone and e-mail',
  'Profile',
  'Linked accounts',
  'Users',
  'Sessions',
  'API keys',
  'Login records',
  'QR codes',
  'Categories',
  'Labels',
  'Scan records',
  'Organizations',
  'Organization members',
  'Organization invitations',
  'Joining organizations',
  'Locations',
  'Shares',
  'Files',
  'Album',
  'Assets',
  'Asset categories',
  'Supplies',
  'Inventories',
  'Lost and found',
  'Metadata',
  'Metadata of organizations',
  'Offline use',
  'Activities',
  'Check-in',
  'Passes',
  'Registration',
  'Contacts',
  'Conversations',
  'Messages',
  'Groups',
  'Notifications',
  'Webhooks',
  'Agreements',
  'App updates',
  'Public pages',
  'Access control',
  'Operation log',
  'Setup',
  'Server',
  'Operations',
  'Documentation',
] as const
export type Tag = (typeof TAGS)[number]

/** Statuses that only the rules of an operation can tell. The others follow from its access and its schemas. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 426

export type OpenAccess = {
  readonly kind: 'open'
  /** A token that the request has is checked, and `run` gets its user. */
  readonly readsToken?: true
}
export type SignedUrlAccess = {
  readonly kind: 'signedUrl'
  readonly purpose: string
  /** The parameters of path and query that the signature covers, in their order. `expires` follows them. */
  readonly signs: readonly string[]
  /** In the APP domain, for requests with a token. */
  readonly point: AppPoint
}
export type PublisherAccess = { readonly kind: 'publisher'; readonly point: PlatformPoint }
export type GateAccess = {
  readonly kind: 'gate'
  /** The token is taken for some time after the end of its gate, so that the device can upload what waits on it. */
  readonly takesEnded?: true
}
export type KeyAccess = { readonly kind: 'key' }
export type DualAccess = {
  readonly kind: 'dual'
  readonly point: DualPoint
  /** Required where the path contains the id of a row. */
  readonly organizationOf?: FindOrganization
  /** Queries that are about the caller's own rows, whatever their `orgId` is. */
  readonly isPersonal?: (query: Readonly<Record<string, string>>) => boolean
  /** More users than the owner may see the row, so `run` decides. Without `orgId`, its `owner` is the caller and organization 0. */
  readonly rowDecides?: true
}

/**
 * The id of the organization that owns the row with this id, the first number of the path; 0 if the row is personal, undefined if there
 * is no such row.
 */
export type FindOrganization = (
  db: Db,
  id: number,
  request: { readonly ctx: AppContext; readonly params: Readonly<Record<string, number | string>> },
) => Promise<number | undefined>

/**
 * Who may call an operation. `app`, `org`, `dual`, `signedUrl` and `platform` carry the permission point (`resource:action`) that is required.
 * - `open`: anyone, without a token. With `openToUsers` the same, but a token is checked if there is one, and `run` may require its user.
 *   `signedIn`: any signed-in user.
 * - `app`: the point in the APP domain.
 * - `org`: the point in the organization of the path's `{orgId}` (or `{id}` under `/api/orgs`).
 * - `dual`: with `orgId` (query on reads, body or query on writes) the point in that organization, otherwise in the APP domain. If the
 *   path contains an id and `orgId` is absent, the row decides whose it is: the point in its organization is required too. With
 *   `dualByRow`, `run` decides instead who may use the row.
 * - `signedUrl`: anyone with a URL that this server has signed (`expires` and `signature` in the query). Without a signature a token and
 *   the point in the APP domain are required, and `run` must check what its user may see.
 * - `admin`: any role in the PLATFORM domain. `platform`: the point in the PLATFORM domain.
 * - `publisher`: a publisher key in the header `X-Publish-Key`, which programs have. Without the header, like `platform`.
 * - `gate`: a device with the token of a gate of an activity. It has no user.
 * - `key`: a program with an API key. `actor` is the owner of the key. Keys also call operations that ask for a point, see key-scope.ts.
 */
export type Access =
  | OpenAccess
  | { readonly kind: 'signedIn' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'app'; readonly point: AppPoint }
  | { readonly kind: 'org'; readonly point: OrgPoint }
  | DualAccess
  | SignedUrlAccess
  | { readonly kind: 'platform'; readonly point: PlatformPoint }
  | PublisherAccess
  | GateAccess
  | KeyAccess

/** Accesses for which a caller is always signed in. */
export type MemberAccess = Exclude<Access, OpenAccess | SignedUrlAccess | DualAccess | PublisherAccess | GateAccess>

export const open: OpenAccess & { readonly readsToken?: never } = { kind: 'open' }
/** For operations that do more for users whom `run` permits it. A token that is not valid is answered with 401. */
export const openToUsers = { kind: 'open', readsToken: true } as const satisfies OpenAccess
export const signedIn: MemberAccess = { kind: 'signedIn' }
export const admin: MemberAccess = { kind: 'admin' }
export const app = (point: AppPoint): MemberAccess => ({ kind: 'app', point })
export const org = (point: OrgPoint): MemberAccess => ({ kind: 'org', point })
export const dual = (point: DualPoint, organizationOf?: FindOrganization): DualAccess => ({
  kind: 'dual',
  point,
  ...(organizationOf && { organizationOf }),
})
/** For rows that others than their owner may see or change: `run` checks both, and that the row belongs to an organization that is named. */
export const dualByRow = (point: DualPoint): DualAccess => ({ kind: 'dual', point, rowDecides: true })
/** `purpose` and `signs` must be those with which `ctx.signer` signed the URL. */
export const signedUrl = (purpose: string, signs: readonly string[], point: AppPoint): SignedUrlAccess => ({
  kind: 'signedUrl',
  purpose,
  signs,
  point,
})
export const platform = (point: PlatformPoint): MemberAccess => ({ kind: 'platform', point })
export const publisher = (point: PlatformPoint): PublisherAccess => ({ kind: 'publisher', point })
export const gate: GateAccess = { kind: 'gate' }
export const apiKey: KeyAccess = { kind: 'key' }
export const gateUntilUploaded = { kind: 'gate', takesEnded: true } as const satisfies GateAccess

/** The signed-in person behind a request. */
export interface Actor {
  readonly userId: number
  readonly sessionId: number
  /** The session's device (hash of the device id). */
  readonly deviceKey: string
  /** The API key with which its owner asks. `sessionId` is then the negative id of the key, and `deviceKey` no hash. */
  readonly key?: KeyScope
  /** Their password is one that an administrator chose: see `AdmissionGates.initialPasswordRefusal`. */
  readonly hasInitialPassword?: boolean
}

/** Whose rows a `dual` operation is about. Part of the WHERE of every query on them. */
export interface Owner {
  /** The caller. */
  readonly userId: number
  /** 0 for the caller's own rows, otherwise the organization in which the caller holds the operation's point. */
  readonly orgId: number
}

/** The contents of a row of the operation log. */
export interface LogEntry {
  /** If it is another one than that of the record: an operation can do a thing and undo it. */
  readonly action?: LoggedAction
  /** Left out for a change of several targets, whose ids are then in `after`. */
  readonly targetId?: number
  readonly targetName?: string | null
  /** The target before the change; left out for a new one. Only the fields that differ are logged. No secrets, no texts of messages. */
  readonly before?: LoggedFields
  /** The target after the change; left out for a deleted one. */
  readonly after?: LoggedFields
}

/** The actor of an operation that the operation log records (`logs` of its record). */
export interface LoggedActor extends Actor {
  /**
   * `ctx.db.write`, with a row in the operation log in the same write. No row is added if `fn` says `unchanged`, or if `before` and
   * `after` of its entry are equal.
   */
  write<T>(
    name: string,
    fn: (tx: Tx) => Promise<{ readonly result: T; readonly logged: LogEntry | 'unchanged' }>,
    options?: Pick<WriteOptions, 'maxMs'>,
  ): Promise<T>
  /** Set when `write` has succeeded. */
  hasWritten: boolean
}

/** Request metadata for login records, rate limits and messages. */
export interface Caller {
  readonly requestId: string
  /** The client's address, through trusted proxies only. */
  readonly ip: string
  readonly locale: Locale
  readonly userAgent: string
  /** Raw `X-Device-Id`, or the same of a browser's cookie: a secret that can log in. Hash it, never log or store it. */
  readonly deviceId: string | undefined
  readonly deviceName: string | undefined
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined
  /** Of a browser that asks for its tokens as cookies, in operations with `keepsCookies`; otherwise undefined. */
  readonly browser?: BrowserCookies | undefined
  /** The device whose token was admitted, in operations for gates; otherwise undefined. */
  readonly gate?: GateSession | undefined
}

export interface Input<A, P, Q, B, L = undefined> {
  readonly ctx: AppContext
  /**
   * The signed-in user; undefined on `open` operations, which run without looking at a token (`openToUsers`: if there is none), if a
   * `signedUrl` has a valid signature, with a publisher key, and for gates.
   */
  readonly actor: A extends GateAccess
    ? undefined
    : A extends OpenAccess
      ? A extends { readonly readsToken: true }
        ? Actor | undefined
        : undefined
      : | (L extends LoggedAction ? LoggedActor : Actor)
        | (A extends SignedUrlAccess | PublisherAccess ? undefined : never)
  /** On `gate` operations only. */
  readonly gate: A extends GateAccess ? GateSession : undefined
  /** On `dual` operations only. */
  readonly owner: A extends DualAccess ? Owner : undefined
  readonly params: P
  readonly query: Q
  readonly body: B
  /** The file of a form, if the record `acceptsFile` and the request had one. It is deleted after `run`, unless it was taken over. */
  readonly upload: ReceivedFile | undefined
  readonly caller: Caller
  readonly request: Request
}

/** A file in the field `file` of a `multipart/form-data` body. `maxBody` of the record is the largest that a setting can allow. */
export interface AcceptedFile {
  /** Largest file in bytes, at the moment. */
  maxBytes(ctx: AppContext): MaybePromise<number>
  /** Without it the body may be JSON, without a file. */
  readonly required: boolean
  /** The field of the JSON body that the file replaces, for the API document. */
  readonly insteadOf?: string
}

type Schema = TSchema | undefined
/** The value that a schema describes; undefined where the record has no such schema. */
type ValueOf<S> = S extends TSchema ? Static<S> : undefined

/** Views may be read-only. */
type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/**
 * The result of a public GET with an ETag of its own, in quotes. Other answers are hashed for it; an operation that knows the version of
 * its data saves the hash, and the JSON of answers that the client already has.
 */
export class Tagged<T> {
  constructor(
    readonly data: T,
    readonly etag: string,
  ) {}
}

/**
 * The result of a signed-in GET whose data is too large for memory: pieces of its JSON, which are generated while they are sent, each in
 * a turn of `work`. It is closed when the answer has been sent or has failed.
 */
export class Streamed {
  constructor(
    readonly pieces: AsyncGenerator<string>,
    readonly work: Work,
  ) {}
}

/** The result of `run`: the value of `data`, a Response where the record names media types in `answers`, or nothing. */
type Result<A, D, M> =
  | (D extends TSchema ? Frozen<Static<D>> : M extends string ? never : void)
  | (D extends TSchema ? (A extends OpenAccess ? Tagged<Frozen<Static<D>>> : Streamed) : never)
  | (M extends string ? Response : never)

export interface Endpoint<
  Id extends string = string,
  A extends Access = Access,
  P extends Schema = Schema,
  Q extends Schema = Schema,
  B extends Schema = Schema,
  D extends Schema = Schema,
  M extends string | undefined = string | undefined,
  L extends LoggedAction | undefined = LoggedAction | undefined,
> {
  /** Unique name, `domain.useCase`: the OpenAPI operation id, and the name in logs and metrics. */
  readonly id: Id
  readonly method: Method
  /** With `:name` for path parameters. */
  readonly path: string
  /** An imperative: `Get the current user`. */
  readonly summary: string
  readonly description?: string
  /** Groups operations in the API document. */
  readonly tag: Tag
  readonly access: A
  readonly params?: P
  /** Path parameters with a secret, which opens something to anyone who knows it. The log has `***` instead. */
  readonly secrets?: readonly string[]
  /** Opened by people who scan a code: the log does not have their addresses. */
  readonly isScan?: boolean
  readonly query?: Q
  readonly body?: B
  /** Shape of the envelope's `data`; without it `data` is null. */
  readonly data?: D
  /** Media types of a bare answer, separated by commas (`image/png`, `text/html`); `run` may then return a Response. */
  readonly answers?: M
  /**
   * Refusals of the operation's own rules, with the reason as a sentence for the API document. Needed where a status does not
   * follow from the record itself (404 of an id in the body); tests fail on a status that the document does not list.
   */
  readonly refuses?: Readonly<Partial<Record<RefusalStatus, string>>>
  /** The action in the operation log. Needed by every write of the console; it must then use `actor.write`. */
  readonly logs?: L
  /** Open to users who must change their initial password first. */
  readonly withInitialPassword?: boolean
  /** A login: `X-Device-Id` and `X-Device-Name` name the device whose session it opens. Documentation only. */
  readonly namesDevice?: boolean
  /** Gives or ends tokens, which a browser with `X-Refresh-Token: cookie` keeps as cookies. */
  readonly keepsCookies?: boolean
  /** A write other than DELETE that deletes, or can delete: assistants must have the consent of their user. */
  readonly deletes?: boolean
  /** Counted in the stricter limit for operations that check a secret: 60 a minute for an IP address and for a session. */
  readonly checksSecret?: boolean
  /**
   * A GET whose address is the secret: browsers neither store its answers nor send its address to other sites. `run` calls `findBySecret`.
   */
  readonly isSecretLink?: boolean
  /** Opened by hundreds of people at one place, who share an address: counted in the larger rate of bytes. */
  readonly isForCrowds?: boolean
  /** A signed-in GET that clients repeat every few seconds: like those of public GETs, its answer has an `ETag`, and is 304 if nothing has changed. */
  readonly isPolled?: boolean
  /** Limits of this operation for each user or address. Beyond them the answer is 429. */
  readonly budgets?: readonly Budget<{ readonly query: ValueOf<Q>; readonly body: ValueOf<B> }>[]
  /** Largest body in bytes; 1 MiB by default. */
  readonly maxBody?: number
  /** Accepts a form with a file; its text fields are `body`. */
  readonly acceptsFile?: AcceptedFile
  /** The whole body is bytes, which `run` reads from `request`; at most `maxBody`. */
  readonly streamsBody?: boolean
  /** Also accepts `application/x-www-form-urlencoded`: the forms of the HTML pages. */
  readonly acceptsForm?: boolean
  /** Answers by `answerBytes`: GET may also be answered with 206, 412 and 416. */
  readonly sendsRanges?: boolean
  /** Handshakes are answered with 101 and open a WebSocket; `run` answers other requests. The token may be in the query, without a device. */
  readonly opensSocket?: boolean
  /** Query parameters that `run` reads from `request` itself, beside those of `query`; `field.*` stands for all that begin with `field.`. */
  readonly readsQuery?: readonly string[]
  /** Answered even while the server is stopping. */
  readonly whileDraining?: boolean
  /** The metrics token of the configuration is accepted instead of a user's token; `run` must not use `actor` then. */
  readonly takesMetricsToken?: boolean
  /** No rate limits it: proxies and supervisors take a refusal for a failure. It must cost next to nothing. */
  readonly unlimited?: boolean
  /** For a POST that must not be answered from memory: why `Idempotency-Key` is ignored. See repeatable.ts for those that always are. */
  readonly ignoresKey?: string
  /** With a PUT, PATCH or DELETE: the row with whose version `If-Match` is compared. Without it that header is refused. */
  readonly row?: RowOf<NoInfer<A>, NoInfer<P>>
  readonly deprecated?: boolean
  run(input: Input<A, ValueOf<P>, ValueOf<Q>, ValueOf<B>, L>): Result<A, D, M> | Promise<Result<A, D, M>>
}

/** The `row` of records with this access and these parameters. */
export type RowOf<A extends Access, P extends Schema> = VersionedRow<
  Pick<Input<A, ValueOf<P>, unknown, unknown>, 'ctx' | 'actor' | 'owner' | 'params' | 'caller'>
>

/** Any endpoint, whatever its input and result. */
/* oxlint-disable typescript/no-explicit-any -- the parts are checked where the record is written */
export type AnyEndpoint = Omit<Endpoint, 'run' | 'budgets' | 'row'> & {
  run(input: any): unknown
  readonly row?: VersionedRow<any>
  readonly budgets?: readonly Budget<any>[]
}
/* oxlint-enable typescript/no-explicit-any */

/** Declares an operation and checks that `run` fits the record's schemas. */
export function endpoint<
  const Id extends string,
  A extends Access,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  D extends Schema = undefined,
  M extends string | undefined = undefined,
  L extends LoggedAction | undefined = undefined,
>(record: Endpoint<Id, A, P, Q, B, D, M, L>): Endpoint<Id, A, P, Q, B, D, M, L> {
  return record
}

/** The same operation under a second id and path, which clients also know. The paths must have the same parameters. */
export function alias<E extends AnyEndpoint, const Id extends string>(
  original: E,
  other: { id: Id; path: string; deprecated?: boolean },
): Omit<E, 'id'> & { readonly id: Id } {
  const path = original.path.replaceAll(/:(\w+)/g, '{$1}')
  const same = `The same as \`${original.method} ${path}\`.`
  return {
    ...original,
    ...other,
    summary: `${original.summary} (alias)`,
    description: original.description === undefined ? same : `${same} ${original.description}`,
  }
}

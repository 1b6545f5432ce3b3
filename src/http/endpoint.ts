/**
 * An endpoint is a record. Tables of them are what the server mounts and what the tests, the OpenAPI document and the
 * console read: nothing about a route is known only to the framework.
 */

import type { Static, TSchema } from '@sinclair/typebox'

import type { AppContext } from '#context'
import type { Locale } from '#lib/localized.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may call. `app`, `org`, `dual` and `platform` carry the permission point (`resource:action`).
 * - `org`: the organization is the path's `{orgId}` (or `{id}` under `/api/orgs`).
 * - `dual`: with `orgId` (query on reads, body or query on writes) a point of that organization, else of the APP domain.
 * - `admin`: any role in the PLATFORM domain. `platform`: that point in the PLATFORM domain.
 */
export type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'signedIn' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'app' | 'org' | 'dual' | 'platform'; readonly point: string }

export const open: Access = { kind: 'open' }
export const signedIn: Access = { kind: 'signedIn' }
export const admin: Access = { kind: 'admin' }
export const app = (point: string): Access => ({ kind: 'app', point })
export const org = (point: string): Access => ({ kind: 'org', point })
export const dual = (point: string): Access => ({ kind: 'dual', point })
export const platform = (point: string): Access => ({ kind: 'platform', point })

/** The signed-in person behind a request. */
export interface Actor {
  readonly userId: number
  readonly sessionId: number
  /** The session's device (hash of the device id). */
  readonly deviceKey: string
}

/** The request's outside: what login records, limits and messages need. */
export interface Caller {
  readonly requestId: string
  /** The client's address, through trusted proxies only. */
  readonly ip: string
  readonly locale: Locale
  readonly userAgent: string
  /** Raw `X-Device-Id`: a secret that can log in. Hash it, never log or store it. */
  readonly deviceId: string | undefined
  readonly deviceName: string | undefined
}

export interface Input<P, Q, B> {
  ctx: AppContext
  /** On `open` endpoints never read it. */
  actor: Actor
  params: P
  query: Q
  body: B
  caller: Caller
  request: Request
}

type Of<S> = S extends TSchema ? Static<S> : undefined

export interface Endpoint<
  P extends TSchema | undefined = TSchema | undefined,
  Q extends TSchema | undefined = TSchema | undefined,
  B extends TSchema | undefined = TSchema | undefined,
  D extends TSchema | undefined = TSchema | undefined,
> {
  /** Unique name, `domain.useCase`: the OpenAPI operation id and the name in logs and metrics. */
  readonly id: string
  readonly method: Method
  /** With `:name` for path parameters. One name per position over all tables. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** The contract's names of the path's parameters where they differ from ours: documentation only. */
  readonly tag: string
  readonly access: Access
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Shape of the envelope's `data`; absent when there is none (`null`). */
  readonly data?: D
  /** Media type of a bare answer (`image/png`, `text/html`); then `run` gives a Response. */
  readonly answers?: string
  /** Counted in the stricter limit for routes that check a secret (60 a minute an IP). */
  readonly checksSecret?: boolean
  /** Largest body in bytes, 1 MiB unless given. */
  readonly maxBody?: number
  /** Also takes `application/x-www-form-urlencoded`: the pages' own forms. */
  readonly acceptsForm?: boolean
  /** Answered even while the server is stopping. */
  readonly whileDraining?: boolean
  readonly deprecated?: boolean
  run(input: Input<Of<P>, Of<Q>, Of<B>>): unknown
}

/** Any endpoint, with the types of its parts forgotten. */
// oxlint-disable-next-line typescript/no-explicit-any -- the parts are checked where the record is written
export type AnyEndpoint = Omit<Endpoint, 'run'> & { run(input: any): unknown }

export function endpoint<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  D extends TSchema | undefined = undefined,
>(record: Endpoint<P, Q, B, D>): AnyEndpoint {
  return record as unknown as AnyEndpoint
}

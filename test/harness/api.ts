/**
 * A client typed by the endpoint table: input and result of each operation are those of its record, so a renamed field fails to
 * compile. Requests that break the rules on purpose go through `send`, `get`, `post` … instead.
 *
 *     const { data } = ok(await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org' } }))
 */

import type { Static, TSchema } from '@sinclair/typebox'

import { allEndpoints, type domains } from '#app'
import type { Endpoint } from '#http/endpoint.ts'

import { type Reply, type RequestOptions, type Send } from './client.ts'

type Operations = Extract<(typeof domains)[number], { readonly endpoints: unknown }>['endpoints'][number]

export type OperationId = Operations['id']

type Operation<Id extends OperationId> = Extract<Operations, { readonly id: Id }>

type Field<Name extends string, S> = S extends TSchema ? { [N in Name]: Static<S> } : unknown
/** Query parameters may be left out: those with a default are in the schema's own type. */
type QueryField<S> = S extends TSchema ? { query?: Partial<Static<S>> } : unknown

/** An empty body is an object without fields. */
type BodyField<S> = S extends TSchema
  ? Partial<Static<S>> extends Static<S>
    ? { body?: Static<S> }
    : { body: Static<S> }
  : unknown

type InputOf<O> =
  // oxlint-disable-next-line typescript/no-explicit-any -- parts that do not matter here
  O extends Endpoint<string, any, infer P, infer Q, infer B, any, any>
    ? Field<'params', P> & QueryField<Q> & BodyField<B> & Pick<RequestOptions, 'headers'>
    : never

type DataOf<O> =
  // oxlint-disable-next-line typescript/no-explicit-any -- parts that do not matter here
  O extends Endpoint<string, any, any, any, any, infer D, any> ? (D extends TSchema ? Static<D> : null) : never

/** The input may be left out where every part of it may. */
type Arguments<I> = Record<string, never> extends I ? [input?: I] : [input: I]

export type Call = <Id extends OperationId>(
  id: Id,
  ...input: Arguments<InputOf<Operation<Id>>>
) => Promise<Reply<DataOf<Operation<Id>>>>

const byId = new Map(allEndpoints.map((endpoint) => [endpoint.id, endpoint]))

interface AnyInput {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
}

export const callBy = (send: Send): Call =>
  ((id: string, { params = {}, query = {}, body, headers }: AnyInput = {}) => {
    const { method, path } = byId.get(id)!
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    return send(method, filled, {
      query: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
    })
  }) as Call

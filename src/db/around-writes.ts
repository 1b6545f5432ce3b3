/**
 * Lets the server's edge take part in the writes of one request: to remember their results (http/repeats.ts), or to check a precondition.
 * Services call `write` as always. The function is found by the asynchronous context, because `AppContext` is shared by all requests.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'

import { type Scope, scopes } from '#platform/spans.ts'

import type { AroundWrites, WriteBody } from './store.ts'

/** `key`: the limits of the API key of the request (http/key-scope.ts). */
type RequestScope = Scope & { readonly around?: AroundWrites; readonly key?: object }

const current = scopes as AsyncLocalStorage<RequestScope | undefined>

/** Calls `run`; `around` sees every write that it starts. */
export const aroundWrites = <T>(around: AroundWrites, run: () => T): T =>
  current.run({ ...current.getStore(), around }, run)

/**
 * Whether a write that is started now takes part in something of its request, or has the limits of its API key, so that it can be no part of a
 * write for several requests.
 */
export function isAroundWrites(): boolean {
  const scope = current.getStore()
  return scope?.around !== undefined || scope?.key !== undefined
}

/** Calls `run`, whose writes belong to no request: for work that a request only starts, such as timers and hooks. */
export const outsideRequest = <T>(run: () => T): T =>
  current.getStore() === undefined ? run() : current.run(undefined, run)

/** For the stores, when a write is asked for. Costs 10 ns without `around`. A group runs its writes in the context of the first of them. */
export function withAround<T>(name: string, body: WriteBody<T>): WriteBody<T> {
  const scope = current.getStore()
  const whole = scope?.around?.(name, body) ?? body
  return scope?.key === undefined ? whole : (tx) => current.run(scope, whole, tx)
}

/**
 * Lets the server's edge take part in the writes of one request: to remember their results (http/repeats.ts), or to check a precondition.
 * Services call `write` as always. The function is found by the asynchronous context, because `AppContext` is shared by all requests.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'

import { type Scope, scopes } from '#platform/spans.ts'

import type { AroundWrites, WriteBody } from './store.ts'

const current = scopes as AsyncLocalStorage<(Scope & { readonly around?: AroundWrites }) | undefined>

/** Calls `run`; `around` sees every write that it starts. */
export const aroundWrites = <T>(around: AroundWrites, run: () => T): T =>
  current.run({ ...current.getStore(), around }, run)

/** Whether a write that is started now takes part in something of its request, so that it can be no part of a write for several requests. */
export const isAroundWrites = (): boolean => current.getStore()?.around !== undefined

/** Calls `run`, whose writes belong to no request: for work that a request only starts, such as timers and hooks. */
export const outsideRequest = <T>(run: () => T): T =>
  current.getStore() === undefined ? run() : current.run(undefined, run)

/** For the stores, when a write is asked for. Costs 10 ns without `around`. */
export const withAround = <T>(name: string, body: WriteBody<T>): WriteBody<T> =>
  current.getStore()?.around?.(name, body) ?? body

/** Inputs and results of the operations, looked up by their ids in the types that are generated from the endpoint records. */

import type { OPERATIONS } from './operations.gen.ts'
import type { Operations } from './types.gen.ts'

export type * from './types.gen.ts'

export type OperationId = keyof typeof OPERATIONS & keyof Operations

export type ParamsOf<Id extends OperationId> = Operations[Id]['params']
export type QueryOf<Id extends OperationId> = Operations[Id]['query']
export type BodyOf<Id extends OperationId> = Operations[Id]['body']
/** `data` of the answer; null where the operation answers none. */
export type DataOf<Id extends OperationId> = Operations[Id]['data']

/** The keys of every member of a union. */
type KeysOf<T> = T extends unknown ? keyof T : never

/** A body whose fields are all optional may be left out: its type contains undefined. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : undefined extends T
    ? { [N in Name]?: Exclude<T, undefined> }
    : [KeysOf<T>] extends [never]
      ? unknown
      : { [N in Name]: T }

/** The query may always be left out, as the server has defaults. */
export type InputOf<Id extends OperationId> = Part<'params', ParamsOf<Id>> & { query?: Partial<QueryOf<Id>> } & Part<
    'body',
    BodyOf<Id>
  >

/** The input may be left out where every part of it may. */
export type Arguments<I> = Record<string, never> extends I ? [input?: I] : [input: I]

/**
 * The contribution of a domain to the test of all logged writes, in `test/<domain>/logged.ts`. A new operation with `logs` needs an entry in
 * its domain's file.
 */

import type { Person, Reply, TestServer } from '../harness/index.ts'

export interface LoggedWorld {
  readonly server: TestServer
  /** The first administrator. */
  readonly admin: Person
}

export interface LoggedCase {
  /** Sends the request as the administrator. It must succeed and add one row. */
  call(): Promise<Reply>
  /** The row that it must add, without the fields that are the same for all rows. Both states hold the changed fields only. */
  readonly row: {
    /** A function if the id is known after the call only. */
    readonly targetId: number | null | ((reply: Reply) => number)
    readonly targetName: string | null
    readonly before: object | null
    readonly after: object | null | ((reply: Reply) => object)
  }
  /** Requests to the same operation that must be refused (400, 403 or 404) after the call, and add no row. At least one. */
  readonly refused: readonly (() => Promise<Reply>)[]
  /** A request that must succeed after the call without changing anything, and add no row. Not every operation has one. */
  readonly unchanged?: () => Promise<Reply>
}

/** By the id of the operation. Each makes its own rows in a world that other cases share. */
export type LoggedFixture = Readonly<Record<string, (world: LoggedWorld) => Promise<LoggedCase>>>

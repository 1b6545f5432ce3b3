/** A domain is a record, and `app.ts` is a list of them: no domain is wired to another by hand. */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'

import type { Contributions } from './contributions.ts'
import type { EventName, Events, Listener } from './events.ts'

/** Idempotent background work: it may be cut short at any moment and simply runs again. Runs of a job never overlap. */
export interface Job {
  /** `domain.useCase`, for the log. */
  readonly name: string
  /** Milliseconds from one start to the next. */
  readonly every: number
  run(ctx: AppContext): Promise<void>
}

export interface Domain extends Contributions {
  readonly name: string
  readonly endpoints?: readonly AnyEndpoint[]
  readonly jobs?: readonly Job[]
  readonly on?: { readonly [Name in EventName]?: Listener<Name> }
  /** Inserts the rows that the domain needs, each time a database is opened; also by commands that do not serve. */
  seed?(ctx: AppContext): Promise<void>
  /** Runs before the server answers. An error refuses the start. */
  start?(ctx: AppContext): void | Promise<void>
  /** Saves unwritten state and ends background work. Runs before the database closes, also without a `start`. */
  stop?(ctx: AppContext): Promise<void>
}

/** Declares a domain. Its literal type is kept: clients are typed by the endpoints. */
export const domain = <const D extends Domain>(record: D): D => record

const installed = perContext((): { domains: readonly Domain[] } => ({ domains: [] }))

/** Gives a context its domains. Called once, by `app.ts`. */
export function install(ctx: AppContext, domains: readonly Domain[]): void {
  installed(ctx).domains = domains
}

/** Runs the listeners of an event, one after the other in the order of the domains, inside the write `tx`. */
export async function emit<Name extends EventName>(
  ctx: AppContext,
  tx: Tx,
  name: Name,
  event: Events[Name],
): Promise<void> {
  for (const { on } of installed(ctx).domains) await on?.[name]?.(ctx, tx, event)
}

/** The contributions of all domains to one extension point, in the order of the domains. */
export function contributions<Name extends keyof Contributions>(
  ctx: AppContext,
  name: Name,
): NonNullable<Contributions[Name]>[] {
  return installed(ctx).domains.flatMap((domain) => {
    const contributed = domain[name]
    return contributed === undefined ? [] : [contributed as NonNullable<Contributions[Name]>]
  })
}

/**
 * The changes of a user's access to organizations, as positions among all changes. Rows that become readable are older than the stamp from
 * which a client continues. They come at the stamp of a row of `sync_access`, in chunks, so that no page grows with the organization.
 */

import type { SyncScope } from '#db/schema/sync.ts'

/** A row of `sync_access`. */
export interface AccessRow {
  readonly orgId: number
  readonly scope: SyncScope
  readonly stamp: number
  readonly isClosed: boolean
  readonly after: number
  readonly until: number
  readonly isLast: boolean
  readonly showsValues: boolean
}

/** The scopes that the user may read now, by organization. */
export type Readable = ReadonlyMap<number, { readonly scopes: ReadonlySet<SyncScope>; readonly showsValues: boolean }>

/** A scope of an organization with its rows of `sync_access`, oldest first. */
export interface Access {
  readonly orgId: number
  readonly scope: SyncScope
  readonly rows: readonly AccessRow[]
}

export type Step =
  | { readonly kind: 'close'; readonly orgId: number; readonly scope: SyncScope; readonly newest: number }
  | {
      /** Adds a chunk of rows above `after`. With `restarts` it is the first one and replaces all rows. */
      readonly kind: 'chunk'
      readonly orgId: number
      readonly scope: SyncScope
      /** The stamp of the newest row that is not closed, when this was decided. */
      readonly newest: number | undefined
      readonly after: number
      readonly restarts: boolean
      readonly showsValues: boolean
    }

/** `rows` are in the order of organizations, scopes and stamps. */
export function accessesOf(rows: readonly AccessRow[]): Access[] {
  const accesses: { orgId: number; scope: SyncScope; rows: AccessRow[] }[] = []
  for (const row of rows) {
    const last = accesses.at(-1)
    if (last !== undefined && last.orgId === row.orgId && last.scope === row.scope) last.rows.push(row)
    else accesses.push({ orgId: row.orgId, scope: row.scope, rows: [row] })
  }
  return accesses
}

/** Whether the values of fields are part of the rows of the scope. */
const hasValues = (scope: SyncScope): boolean => scope === 'asset:read'

/** The rows that are missing, for a client that has everything up to `since`. */
export function missingSteps(accesses: readonly Access[], readable: Readable, since: number): Step[] {
  const steps: Step[] = []
  const known = new Set<string>()
  for (const { orgId, scope, rows } of accesses) {
    known.add(`${orgId} ${scope}`)
    const now = readable.get(orgId)
    const newest = rows.at(-1)!
    const isReadable = now?.scopes.has(scope) === true
    const showsValues = hasValues(scope) && now?.showsValues === true
    if (!isReadable) {
      if (!newest.isClosed) steps.push({ kind: 'close', orgId, scope, newest: newest.stamp })
      continue
    }
    const restarts = newest.isClosed || newest.showsValues !== showsValues
    // Clients get the chunks one after the other: the first client that has the newest one asks for the next.
    const continues = !newest.isLast && newest.stamp <= since
    if (restarts || continues)
      steps.push({
        kind: 'chunk',
        orgId,
        scope,
        newest: newest.isClosed ? undefined : newest.stamp,
        after: restarts ? 0 : newest.until,
        restarts,
        showsValues,
      })
  }
  for (const [orgId, { scopes, showsValues }] of readable)
    for (const scope of scopes)
      if (!known.has(`${orgId} ${scope}`))
        steps.push({
          kind: 'chunk',
          orgId,
          scope,
          newest: undefined,
          after: 0,
          restarts: true,
          showsValues: hasValues(scope) && showsValues,
        })
  return steps
}

/** The stamp from which on rows of the scope come at their own stamps; undefined while there are old rows left. */
export function ownFrom({ rows }: Access): number | undefined {
  const newest = rows.at(-1)!
  return newest.isLast && !newest.isClosed ? newest.stamp : undefined
}

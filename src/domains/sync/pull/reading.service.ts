/** Turns the changes of a page into rows and deleted ids. */

import type { AppContext } from '#context'
import type { SyncEntityName } from '#db/schema/sync.ts'
import type { SyncEntity, SyncView } from '#domains/contributions.ts'
import { ownTurn } from '#http/turns.ts'
import type { Locale } from '#lib/localized.ts'

import { entitiesOf } from '../sync.service.ts'
import type { Found } from './finding.rules.ts'
import { type Search, unreadable } from './finding.service.ts'
import { tombstonesOf } from './finding.store.ts'
import { localIds } from './reading.store.ts'

/** Rows that are read at a time. */
const BATCH = 500
/** Ids that are read at a time: much less than rows. */
const IDS = 5000

/** The range of all stamps. */
const EVERYTHING = { after: -1, until: Number.MAX_SAFE_INTEGER }

/** The changes of one entity on a page. */
export interface EntityFound {
  readonly entity: SyncEntityName
  /** New and changed rows by their owner, in the order of their last changes. */
  readonly updated: ReadonlyMap<number, readonly number[]>
  readonly deleted: readonly number[]
  /** Organizations of which the user can no longer read the rows. */
  readonly closed: readonly Found[]
}

/** Each row once. */
export function byEntity(found: readonly Found[], asked: Iterable<SyncEntityName>): EntityFound[] {
  const groups = Map.groupBy(found, ({ entity }) => entity)
  return [...asked].map((entity) => {
    const own = groups.get(entity) ?? []
    const rows = new Map<number, Found>()
    const deleted = new Set<number>()
    for (const change of own) {
      if (change.closes !== undefined) continue
      if (change.isDeleted) deleted.add(change.id)
      // The same row at another position: the one with a known stamp is sorted better.
      else if (change.stamp >= (rows.get(change.id)?.stamp ?? 0)) rows.set(change.id, change)
    }
    const sorted = [...rows.values()].toSorted((a, b) => a.stamp - b.stamp || a.id - b.id)
    const updated = new Map(
      [...Map.groupBy(sorted, ({ orgId }) => orgId)].map(([orgId, list]) => [orgId, list.map(({ id }) => id)]),
    )
    return { entity, updated, deleted: [...deleted], closed: own.filter(({ closes }) => closes !== undefined) }
  })
}

export interface Reading {
  readonly search: Search
  readonly locale: Locale
  /** The end of the page. Rows that have changed after it come later. */
  readonly until: number
}

/** The rows of one entity, in batches. Rows that the user may not see, or that have changed again, are left out. */
export function rowBatches(ctx: AppContext, reading: Reading, found: EntityFound): (() => Promise<SyncView[]>)[] {
  return [...found.updated].flatMap(([orgId, ids]) =>
    Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) => {
      const batch = ids.slice(i * BATCH, (i + 1) * BATCH)
      return () => readRows(ctx, reading, found.entity, orgId, batch)
    }),
  )
}

async function readRows(
  ctx: AppContext,
  { search: { userId, device }, locale, until }: Reading,
  name: SyncEntityName,
  orgId: number,
  ids: readonly number[],
): Promise<SyncView[]> {
  await ownTurn(ctx)
  const db = ctx.db.read
  const entity = entitiesOf(ctx).get(name)!
  const [views, local] = await Promise.all([
    entity.views(ctx, db, { userId, orgId }, locale, ids, until),
    localIds(db, device, name, ids),
  ])
  const rows = views.toSorted((a, b) => a.updatedAt - b.updatedAt || a.id - b.id)
  if (local.size === 0) return rows
  return rows.map((row) => {
    const localId = local.get(row.id)
    return localId === undefined ? row : { ...row, localId }
  })
}

/** Rows and ids of a page that is made in memory. */
const LONG_PAGE = 4000

/** Whether the page is too long to be made in memory: many rows of one write, or a large organization that was closed. */
export async function isLong(ctx: AppContext, entities: readonly EntityFound[]): Promise<boolean> {
  let count = 0
  for (const { entity, updated, deleted, closed } of entities) {
    count += deleted.length
    for (const ids of updated.values()) count += ids.length
    const source = entitiesOf(ctx).get(entity)
    for (const { orgId, closes } of closed)
      if (source?.readPoint === closes)
        count += (await source!.changes(ctx.db.read, orgId, EVERYTHING, LONG_PAGE)).length
    if (count >= LONG_PAGE) return true
  }
  return false
}

/** The ids of all rows of an organization that the user can no longer read, also of those that were deleted since. In batches. */
export async function* closedIds(
  ctx: AppContext,
  { search }: Reading,
  entity: SyncEntityName,
  { orgId, closes: scope }: Found,
): AsyncGenerator<readonly number[]> {
  const source = entitiesOf(ctx).get(entity)!
  if (source.readPoint !== scope) {
    yield await source.restricted!.ids(ctx.db.read, orgId, search.userId)
    return
  }
  yield* allIds(ctx, source, orgId)
  // Last, so that a row which was deleted since its id would have been read is among them. Also those of before `since`: while the client
  // paged through changes of before the end of its access, it got none of the organization.
  const gone = (await tombstonesOf(ctx.db.readInWorker, orgId, EVERYTHING, Number.MAX_SAFE_INTEGER)).filter(
    (row) => row.entity === entity,
  )
  yield gone.filter(({ version }) => version > 0).map(({ id }) => id)
  const moved = gone.filter(({ version }) => version === 0).map(({ id }) => id)
  for (let at = 0; at < moved.length; at += BATCH)
    yield await unreadable(ctx, search, entity, moved.slice(at, at + BATCH))
}

/** The ids of all rows of an organization, by the times of their changes, for which there is an index. */
async function* allIds(ctx: AppContext, { changes }: SyncEntity, orgId: number): AsyncGenerator<readonly number[]> {
  let { after } = EVERYTHING
  for (;;) {
    await ownTurn(ctx)
    const found = await changes(ctx.db.read, orgId, { ...EVERYTHING, after }, IDS)
    const last = found.at(-1)?.stamp ?? 0
    if (found.length < IDS) yield found.map(({ id }) => id)
    else if (found[0]!.stamp < last) yield found.filter(({ stamp }) => stamp < last).map(({ id }) => id)
    else {
      const all = await changes(ctx.db.readInWorker, orgId, { after: last - 1, until: last }, Number.MAX_SAFE_INTEGER)
      yield all.map(({ id }) => id)
    }
    if (found.length < IDS) return
    after = found[0]!.stamp < last ? last - 1 : last
  }
}

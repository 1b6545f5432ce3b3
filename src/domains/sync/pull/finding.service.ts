import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { SyncEntityName } from '#db/schema/sync.ts'
import type { Db } from '#db/store.ts'
import type { SyncEntity } from '#domains/contributions.ts'

import { type Access, type AccessRow, ownFrom, type Readable } from '../scopes/scopes.rules.ts'
import { entitiesOfScope, type Scopes } from '../scopes/scopes.service.ts'
import { entitiesOf } from '../sync.service.ts'
import { findPage, type Found, type FoundPage, type Source } from './finding.rules.ts'
import * as store from './finding.store.ts'

/** Organizations whose changes are searched at the same time. */
const ORGANIZATIONS_AT_ONCE = 8
/** Longer lists are read by a worker. */
const LONG = 10_000

const reader = (ctx: AppContext, limit: number): Db => (limit > LONG ? ctx.db.readInWorker : ctx.db.read)

export interface Search {
  readonly userId: number
  /** Id in `sync_devices`. */
  readonly device: number
  readonly since: number
  /** Only the rows of this organization. */
  readonly orgId: number | undefined
  readonly asked: ReadonlySet<SyncEntityName>
  readonly limit: number
  readonly scopes: Scopes
}

/** The changes of the next page, in the order of their positions. */
export async function findChanges(ctx: AppContext, search: Search): Promise<FoundPage> {
  const { since, orgId, asked, limit, scopes } = search
  const byOrganization = Map.groupBy(scopes.accesses, (access) => access.orgId)
  const personal: Sources = orgId === undefined ? personalSources(ctx, search) : { rows: [], tombstones: [] }
  const groups = [[...personal.rows, resendSource(ctx, search)], personal.tombstones]
  const organizations = [...byOrganization.values()].map((accesses) => organizationSources(ctx, search, accesses))
  for (let at = 0; at < organizations.length; at += ORGANIZATIONS_AT_ONCE) {
    const some = organizations.slice(at, at + ORGANIZATIONS_AT_ONCE)
    groups.push(
      some.flatMap(({ rows }) => rows),
      some.flatMap(({ tombstones }) => tombstones),
    )
  }
  const page = await findPage(groups, { after: since, until: scopes.settled }, limit)
  // A client that starts has nothing to delete, except rows that it has pushed.
  const isShown = ({ entity, id, isDeleted, isResent = false }: Found) =>
    id !== HIDDEN && asked.has(entity) && (!isDeleted || since > 0 || isResent)
  return { ...page, found: page.found.filter(isShown) }
}

const askedEntities = (ctx: AppContext, asked: ReadonlySet<SyncEntityName>) =>
  [...entitiesOf(ctx)].filter(([name]) => asked.has(name))

/**
 * Tombstones are read when the rows have been read: the tombstone of a row in the trash is at the same position, and replaces it when the
 * trash is emptied. In the other order, a pull could find neither.
 */
interface Sources {
  readonly rows: readonly Source[]
  readonly tombstones: readonly Source[]
}

function personalSources(ctx: AppContext, search: Search): Sources {
  const { userId, asked } = search
  return {
    rows: askedEntities(ctx, asked).map(([name, entity]) => ownStamps(ctx, name, entity, -userId, 0)),
    tombstones: tombstoneSources(ctx, search, -userId, asked),
  }
}

/** `accesses` are those of one organization. */
function organizationSources(ctx: AppContext, search: Search, accesses: readonly Access[]): Sources {
  const { orgId } = accesses[0]!
  const { userId, since, asked } = search
  const sources: Source[] = []
  const open = new Set<SyncEntityName>()
  for (const access of accesses) {
    const { scope, rows } = access
    const entities = entitiesOfScope(ctx, scope).filter(([name]) => asked.has(name))
    if (entities.length === 0) continue
    if (rows.at(-1)!.isClosed) {
      if (since > 0) sources.push(...entities.map(([entity]) => oneChange({ ...closing(rows.at(-1)!), entity })))
      continue
    }
    for (const [name, entity] of entities) {
      const newer = rows.filter(({ stamp }) => stamp > since)
      if (entity.readPoint === scope) {
        open.add(name)
        const own = ownFrom(access)
        if (own !== undefined) sources.push(ownStamps(ctx, name, entity, orgId, own))
        sources.push(...newer.map((row) => chunkSource(ctx, name, entity, row)))
      } else sources.push(...newer.map((row) => restrictedSource(ctx, name, entity, row, userId)))
    }
  }
  return { rows: sources, tombstones: open.size > 0 ? tombstoneSources(ctx, search, orgId, open) : [] }
}

const closing = ({ orgId, scope, stamp }: AccessRow) => ({
  position: stamp,
  orgId,
  id: 0,
  stamp,
  isDeleted: true,
  closes: scope,
})

const oneChange = (change: Found): Source => ({
  find: async ({ after, until }) => (change.position > after && change.position <= until ? [change] : []),
})

/** Rows at the times of their own changes, above `from`. */
const ownStamps = (
  ctx: AppContext,
  name: SyncEntityName,
  entity: SyncEntity,
  owner: OwnerKey,
  from: number,
): Source => ({
  async find({ after, until }, limit) {
    const range = { after: Math.max(after, from), until }
    if (range.after >= until) return []
    const changes = await entity.changes(reader(ctx, limit), owner, range, limit)
    const orgId = orgOf(owner)
    return changes.map(({ id, stamp, isDeleted }) => ({ position: stamp, entity: name, orgId, id, stamp, isDeleted }))
  },
})

/** Rows that have become readable, all at the stamp of `row`. */
const chunkSource = (ctx: AppContext, name: SyncEntityName, entity: SyncEntity, row: AccessRow): Source => ({
  async find({ after, until }, limit) {
    if (row.stamp <= after || row.stamp > until) return []
    const { orgId } = row
    const changes = await entity.changes(reader(ctx, limit), orgId, { after: row.after, until: row.until }, limit)
    const position = row.stamp
    return changes.map(({ id, stamp, isDeleted }) => ({ position, entity: name, orgId, id, stamp, isDeleted }))
  },
})

/** Rows that only the holders of a further point see, all at the stamp of `row`. */
const restrictedSource = (
  ctx: AppContext,
  name: SyncEntityName,
  entity: SyncEntity,
  { orgId, stamp }: AccessRow,
  userId: number,
): Source => ({
  async find({ after, until }) {
    if (stamp <= after || stamp > until) return []
    const ids = await entity.restricted!.ids(ctx.db.read, orgId, userId)
    return ids.map((id) => ({ position: stamp, entity: name, orgId, id, stamp: 0, isDeleted: false }))
  },
})

/** Tombstones of other entities than `shown` are found too, but not shown. */
function tombstoneSources(
  ctx: AppContext,
  { since }: Search,
  owner: OwnerKey,
  shown: ReadonlySet<SyncEntityName>,
): Source[] {
  if (since === 0) return []
  return [
    {
      async find(range, limit) {
        const rows = await store.tombstonesOf(reader(ctx, limit), owner, range, limit)
        return rows.map(({ entity, id, stamp }) => ({
          position: stamp,
          entity,
          orgId: orgOf(owner),
          id: shown.has(entity) ? id : HIDDEN,
          stamp,
          isDeleted: true,
        }))
      },
    },
  ]
}

/** In place of the id of a row that is not on the page, although its position counts. */
const HIDDEN = -1

/** Rows that this device gets once more. */
function resendSource(ctx: AppContext, { userId, device, orgId, scopes }: Search): Source {
  return {
    async find(range, limit) {
      const rows = await store.rowsToResend(ctx.db.read, device, range, limit)
      if (rows.length === 0) return []
      const owners = await ownersOf(ctx, userId, rows)
      return rows.map(({ entity, id, stamp: position }) => {
        const owner = owners.get(`${entity} ${id}`)
        const rowOrg = owner === undefined ? undefined : orgOf(owner)
        const isElsewhere = orgId !== undefined && rowOrg !== undefined && rowOrg !== orgId
        const isDeleted = owner === undefined || !isReadable(ctx, scopes.readable, userId, entity, owner)
        const seen = isElsewhere ? HIDDEN : id
        return { position, entity, orgId: rowOrg ?? 0, id: seen, stamp: 0, isDeleted, isResent: true }
      })
    },
  }
}

/** The owners of those of the rows that are not deleted, by entity and id. */
async function ownersOf(
  ctx: AppContext,
  userId: number,
  rows: readonly { readonly entity: SyncEntityName; readonly id: number }[],
): Promise<ReadonlyMap<string, OwnerKey>> {
  const owners = new Map<string, OwnerKey>()
  for (const [name, ofEntity] of Map.groupBy(rows, ({ entity }) => entity)) {
    const ids = [...new Set(ofEntity.map(({ id }) => id))]
    const states = (await entitiesOf(ctx).get(name)?.states(ctx, ctx.db.read, userId, ids)) ?? []
    for (const { id, owner, isDeleted } of states) if (!isDeleted) owners.set(`${name} ${id}`, owner)
  }
  return owners
}

/** Whether the user may read the rows of the owner. */
function isReadable(ctx: AppContext, readable: Readable, userId: number, name: SyncEntityName, owner: OwnerKey) {
  const { readPoint } = entitiesOf(ctx).get(name)!
  if (owner < 0) return owner === -userId
  return [...(readable.get(owner)?.scopes ?? [])].some((scope) => scope === readPoint)
}

/** Of rows that an organization no longer owns, those that the user cannot read elsewhere either. */
export async function unreadable(
  ctx: AppContext,
  { userId, scopes }: Pick<Search, 'userId' | 'scopes'>,
  entity: SyncEntityName,
  ids: readonly number[],
): Promise<number[]> {
  const owners = await ownersOf(
    ctx,
    userId,
    ids.map((id) => ({ entity, id })),
  )
  return ids.filter((id) => {
    const owner = owners.get(`${entity} ${id}`)
    return owner === undefined || !isReadable(ctx, scopes.readable, userId, entity, owner)
  })
}

import type { AppContext } from '#context'
import { StorageError } from '#db/errors.ts'
import { SYNC_SCOPES, type SyncEntityName, type SyncScope } from '#db/schema/sync.ts'
import type { Tx } from '#db/store.ts'
import { organizationsWith } from '#domains/access/index.ts'
import type { SyncEntity } from '#domains/contributions.ts'
import { ownTurn } from '#http/turns.ts'
import { DAY } from '#platform/clock.ts'

import { KEPT_MS } from '../sync.rules.ts'
import { entitiesOf } from '../sync.service.ts'
import { type Access, accessesOf, missingSteps, type Readable, type Step } from './scopes.rules.ts'
import * as store from './scopes.store.ts'

/** Rows of an organization that come at one position, unless one write has changed more of them. */
const CHUNK = 500
/**
 * How long a pull waits for writes of others, in milliseconds, so that it has the changes which were answered before it. Most writes take less;
 * behind a longer one, changes come with a later pull.
 */
const SETTLE_MS = 250
/** Scopes that one pull opens. The others are opened by the next ones. */
const MAX_STEPS = 20

/** The entities of which all rows belong to the scope, or those that are restricted to it. */
export const entitiesOfScope = (ctx: AppContext, scope: SyncScope): [SyncEntityName, SyncEntity][] =>
  [...entitiesOf(ctx)].filter(([, { readPoint, restricted }]) => readPoint === scope || restricted?.point === scope)

/** The scopes that the user may read in all organizations, or in one of them. */
export async function readableNow(ctx: AppContext, userId: number, orgId: number | undefined): Promise<Readable> {
  const holding = async (point: string) => new Set(await organizationsWith(ctx, userId, point))
  const showing = await holding('meta_value:read')
  const readable = new Map<number, { scopes: Set<SyncScope>; showsValues: boolean }>()
  for (const scope of SYNC_SCOPES)
    for (const id of await holding(scope)) {
      if (orgId !== undefined && id !== orgId) continue
      const known = readable.get(id)
      // Categories are read with the assets, and SYNC_SCOPES has `asset:read` first.
      if (scope === 'asset_category:manage' && known?.scopes.has('asset:read') !== true) continue
      if (known === undefined) readable.set(id, { scopes: new Set([scope]), showsValues: showing.has(id) })
      else known.scopes.add(scope)
    }
  return readable
}

export interface Scopes {
  readonly accesses: readonly Access[]
  readonly readable: Readable
  /** Whether further rows of organizations come at positions that do not exist yet. */
  readonly hasMore: boolean
  /** Taken before the rows of `accesses` were read. */
  readonly settled: number
}

export interface Pull {
  readonly since: number
  readonly orgId?: number | undefined
  readonly asked: ReadonlySet<SyncEntityName>
}

/**
 * Compares the scopes that the user may read with those that clients know of, and records the differences. Membership, roles and
 * permissions change in many places; none of them has to report it.
 */
export async function currentScopes(ctx: AppContext, userId: number, { since, orgId, asked }: Pull): Promise<Scopes> {
  const isAsked = (scope: SyncScope) => entitiesOfScope(ctx, scope).some(([name]) => asked.has(name))
  const read = async (isRecorded: boolean): Promise<Scopes> => {
    const settled = await freshStamp(ctx)
    const readable = await readableNow(ctx, userId, orgId)
    const rows = await store.accessRows(ctx.db.read, userId, since)
    const accesses = accessesOf(orgId === undefined ? rows : rows.filter((row) => row.orgId === orgId))
    const steps = missingSteps(accesses, readable, since).filter(
      ({ kind, scope }) => kind === 'close' || isAsked(scope),
    )
    if (steps.length > 0 && !isRecorded) {
      await record(ctx, userId, steps, settled)
      return read(true)
    }
    const isUnfinished = accesses.some(({ scope, rows }) => isAsked(scope) && !rows.at(-1)!.isLast)
    return { accesses, readable, hasMore: isUnfinished || steps.length > 0, settled }
  }
  return read(false)
}

/**
 * The settled stamp. While nobody writes, it would become older than the deletions that the server remembers, and clients that pull all the time
 * would have to start again: the cursor that they get is this stamp. So a new one is taken at most once a day.
 */
async function freshStamp(ctx: AppContext): Promise<number> {
  const settled = await ctx.db.settledStamp(SETTLE_MS)
  if (settled >= ctx.clock.now() - DAY) return settled
  try {
    await ctx.db.write('sync.stamp', async (tx) => void tx.stamp)
  } catch (error) {
    // Reading goes on while the disk is full.
    if (error instanceof StorageError) return settled
    throw error
  }
  return ctx.db.settledStamp(SETTLE_MS)
}

/** The upper end of the next chunk; undefined if no more than a chunk of rows is left. */
async function endOfChunk(ctx: AppContext, step: Step & { kind: 'chunk' }, settled: number) {
  const { orgId, scope, after } = step
  // The restricted rows come all at once: there are some thousand at most.
  if (scope === 'asset_category:manage') return undefined
  await ownTurn(ctx)
  const stamps: number[] = []
  for (const [, entity] of entitiesOfScope(ctx, scope)) {
    const changes = await entity.changes(ctx.db.read, orgId, { after, until: settled }, CHUNK + 1)
    for (const { stamp } of changes) stamps.push(stamp)
  }
  return stamps.length > CHUNK ? stamps.toSorted((a, b) => a - b)[CHUNK - 1] : undefined
}

/** In one write, whose conditions let one of several pulls of the user win. */
async function record(ctx: AppContext, userId: number, all: readonly Step[], settled: number): Promise<void> {
  const closing = all.filter((step) => step.kind === 'close')
  const chunks: { step: Step & { kind: 'chunk' }; until: number | undefined }[] = []
  for (const step of all.filter((step) => step.kind === 'chunk').slice(0, MAX_STEPS))
    chunks.push({ step, until: await endOfChunk(ctx, step, settled) })
  await ctx.db.write('sync.scopes', async (tx) => {
    const isCurrent = async ({ orgId, scope, newest }: Step) =>
      (await store.newestStamp(tx, { userId, orgId, scope })) === newest
    for (const step of closing) {
      if (!(await isCurrent(step))) continue
      const { orgId, scope } = step
      await store.deleteAccess(tx, userId, orgId, scope)
      const closed = { after: 0, until: 0, isClosed: true, isLast: true, showsValues: false }
      await store.insertAccess(tx, userId, [{ orgId, scope, stamp: tx.stamp, ...closed }])
    }
    for (const { step, until } of chunks) {
      if (!(await isCurrent(step))) continue
      const { orgId, scope, after, showsValues } = step
      if (step.restarts) await store.deleteAccess(tx, userId, orgId, scope)
      const chunk = { after, until: until ?? tx.stamp, isLast: until === undefined, isClosed: false, showsValues }
      await store.insertAccess(tx, userId, [{ orgId, scope, stamp: tx.stamp, ...chunk }])
    }
    if (closing.length > 0) await store.deleteClosed(tx, userId, ctx.clock.now() - KEPT_MS)
  })
}

/** Before the first pull of a user: rows of organizations come at their own stamps. */
export async function openFirst(tx: Tx, userId: number, readable: Readable): Promise<void> {
  if (await store.hasAccessRows(tx, userId)) return
  const open = { stamp: 0, after: 0, until: 0, isClosed: false, isLast: true }
  const rows = [...readable].flatMap(([orgId, { scopes, showsValues }]) =>
    [...scopes].map((scope) => ({ orgId, scope, ...open, showsValues: scope === 'asset:read' && showsValues })),
  )
  await store.insertAccess(tx, userId, rows)
}

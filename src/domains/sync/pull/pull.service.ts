import { type AppContext, perContext } from '#context'
import { SYNC_ENTITIES, type SyncEntityName } from '#db/schema/sync.ts'
import { isLockedOut, isMemberOf, partyOf } from '#domains/access/index.ts'
import { type Actor, type Caller, Streamed } from '#http/endpoint.ts'
import { forbidden, limited } from '#http/errors.ts'
import { secondFactorRequired } from '#http/permissions.ts'
import { Places } from '#http/places.ts'

import { deviceOf, notePull } from '../devices/devices.service.ts'
import { currentScopes, openFirst, readableNow } from '../scopes/scopes.service.ts'
import { findChanges, type Search } from './finding.service.ts'
import type { PullPage, PullQuery } from './pull.model.ts'
import { isUpToDate, mustStartAgain, ownersOfPull } from './pull.rules.ts'
import * as store from './pull.store.ts'
import { byEntity, closedIds, type EntityFound, isLong, type Reading, rowBatches } from './reading.service.ts'

const noMember = forbidden('You are not a member of the organization', '你不是该组织的成员')

type Changes = Partial<Record<SyncEntityName, PullPage['changes'][SyncEntityName]>>

export async function pull(
  ctx: AppContext,
  actor: Actor,
  caller: Caller,
  query: PullQuery,
): Promise<PullPage | Streamed> {
  const { userId } = actor
  const { since, orgId, limit } = query
  if (orgId !== undefined && !(await isMemberOf(ctx, userId, orgId)))
    throw (await isLockedOut(ctx, userId, orgId)) ? secondFactorRequired : noMember
  const asked = new Set<SyncEntityName>(query.entities ?? SYNC_ENTITIES)
  const device = await deviceOf(ctx, actor)
  notePull(ctx, device)
  if (since === 0) await start(ctx, userId, device, orgId ?? 0, asked)
  const scopes = await currentScopes(ctx, userId, { since, orgId, asked })
  const search = { userId, device, since, orgId, asked, limit, scopes }
  if (await isLost(ctx, search))
    return { serverTime: scopes.settled, hasMore: false, resync: true, changes: withoutChanges(asked) }
  const { found, end, hasMore } = await findChanges(ctx, search)
  const page = { serverTime: Math.max(since, end), hasMore: hasMore || scopes.hasMore, resync: false }
  const reading = { search, locale: caller.locale, until: end }
  const entities = byEntity(found, asked)
  if (await isLong(ctx, entities)) {
    const work = places(ctx).open(await partyOf(ctx, userId, caller))
    return new Streamed(pieces(ctx, reading, page, entities), work)
  }
  const changes: Changes = {}
  for (const entity of entities) changes[entity.entity] = await collect(ctx, reading, entity)
  return { ...page, changes }
}

const withoutChanges = (asked: ReadonlySet<SyncEntityName>): Changes =>
  Object.fromEntries([...asked].map((name) => [name, { updated: [], deleted: [] }]))

async function start(
  ctx: AppContext,
  userId: number,
  device: number,
  orgId: number,
  asked: ReadonlySet<SyncEntityName>,
): Promise<void> {
  const readable = await readableNow(ctx, userId, undefined)
  await ctx.db.write('sync.start', async (tx) => {
    if (!(await store.hasStarted(tx, userId))) await openFirst(tx, userId, readable)
    await store.saveStart(tx, device, orgId, asked)
  })
}

/** They change only with a gap while the server runs. */
const losses = perContext((ctx) => {
  type Known = { restoredAt?: number; gaps?: Awaited<ReturnType<typeof store.stampGaps>> }
  const losses: { known: Known } = { known: {} }
  // Not emptied: a pull may be reading them.
  ctx.bus.onGap(() => (losses.known = {}))
  return losses
})

/** Whether the client must begin again. */
async function isLost(ctx: AppContext, { userId, device, since, orgId, asked, scopes }: Search): Promise<boolean> {
  const now = Math.max(ctx.clock.now(), scopes.settled)
  const owners = ownersOfPull(
    userId,
    orgId,
    scopes.accesses.map((access) => access.orgId),
  )
  const horizons = since === 0 ? [] : await store.horizonsAfter(ctx.db.read, since)
  const { known } = losses(ctx)
  const restored = (known.restoredAt ??= await store.restoredAt(ctx.db.read))
  const gaps = (known.gaps ??= await store.stampGaps(ctx.db.read))
  const lost = gaps.filter(({ from, to }) => from < since && since < to)
  const client = {
    since,
    now,
    // Rows that a client got after the backup was made are neither in the database nor among the deleted ones.
    horizons: [
      restored,
      ...lost.map(({ to }) => to),
      ...horizons.filter(({ owner }) => owners.has(owner)).map(({ stamp }) => stamp),
    ],
  }
  if (isUpToDate(client)) return false
  const rows = await store.startsOf(ctx.db.read, device, orgId ?? 0)
  const starts = new Map(rows.map(({ entity, startedAt }) => [entity, startedAt]))
  return mustStartAgain({ ...client, starts, asked })
}

async function collect(ctx: AppContext, reading: Reading, found: EntityFound) {
  const updated = (await Promise.all(rowBatches(ctx, reading, found).map((read) => read()))).flat()
  // Rows of several organizations are in the order of their changes too.
  updated.sort((a, b) => a.updatedAt - b.updatedAt || a.id - b.id)
  const deleted = new Set(found.deleted)
  for (const closed of found.closed)
    for await (const ids of closedIds(ctx, reading, found.entity, closed)) for (const id of ids) deleted.add(id)
  for (const { id } of updated) deleted.delete(id)
  return { updated: updated as PullRow[], deleted: [...deleted] }
}

type PullRow = NonNullable<PullPage['changes'][SyncEntityName]>['updated'][number]

/** Long pages that are being sent: each keeps up to 100,000 ids in memory. */
const MAX_STREAMS = 32
const RETRY_SECONDS = 10
const REFUSALS = {
  own: limited('Your last long pull is still running', '你的上一次大量同步尚未完成', RETRY_SECONDS),
  others: limited('Other long pulls are running, try again later', '正在进行其他大量同步，请稍后再试', RETRY_SECONDS),
}
const places = perContext((ctx) => new Places(ctx, REFUSALS, MAX_STREAMS))

type Page = Omit<PullPage, 'changes'>

/** The JSON of a page. Rows are read while it is sent. */
async function* pieces(
  ctx: AppContext,
  reading: Reading,
  page: Page,
  entities: readonly EntityFound[],
): AsyncGenerator<string> {
  yield `${JSON.stringify(page).slice(0, -1)},"changes":{`
  let isFirst = true
  for (const found of entities) {
    yield `${isFirst ? '' : ','}"${found.entity}":{"updated":[`
    isFirst = false
    const sent = new Set<number>()
    for (const read of rowBatches(ctx, reading, found)) {
      const rows = await read()
      if (rows.length === 0) continue
      yield (sent.size === 0 ? '' : ',') + rows.map((row) => JSON.stringify(row)).join(',')
      for (const { id } of rows) sent.add(id)
    }
    yield '],"deleted":['
    let separator = ''
    for await (const ids of deletedIds(ctx, reading, found)) {
      const rest = ids.filter((id) => !sent.has(id))
      if (rest.length === 0) continue
      yield separator + rest.join(',')
      separator = ','
    }
    yield ']}'
  }
  yield '}}'
}

async function* deletedIds(ctx: AppContext, reading: Reading, found: EntityFound): AsyncGenerator<readonly number[]> {
  yield found.deleted
  for (const closed of found.closed) yield* closedIds(ctx, reading, found.entity, closed)
}

import { type AppContext, perContext } from '#context'
import { dialect } from '#db/dialect.ts'
import type { SyncAuthor } from '#domains/contributions.ts'
import { type FieldProblem, limited } from '#http/errors.ts'
import { MAX_PROBLEMS } from '#http/normalize.ts'
import { invalidAll } from '#http/validate.ts'
import { pause } from '#lib/pause.ts'

import { deviceOf, notePush } from '../devices/devices.service.ts'
import * as store from '../mappings.store.ts'
import { type Kind, mayRead, ownerOf } from '../rows/rows.service.ts'
import { entitiesOf } from '../sync.service.ts'
import type { PushRecord, PushResult, PushResults } from './push.model.ts'
import { type Order, type Ordered, orderOf, type Reference } from './push.rules.ts'
import {
  type Batch,
  judge,
  Known,
  learn,
  localKey,
  localReferences,
  rowKey,
  serverReferences,
} from './records.service.ts'

/** Rows that are read in one turn of the event loop: one to three milliseconds. */
const ROWS_PER_TURN = 100
/**
 * Records that are judged at the same time. On SQLite their writes share a COMMIT, and more of them would let the requests of others wait for
 * longer. On PostgreSQL the writes of one user conflict with each other, and one after the other they keep the order of the request.
 * Measured in docs/adr/0028-offline-sync.md.
 */
const RECORDS_AT_ONCE = dialect === 'sqlite' ? 64 : 1
/** Pushes of one user, each from another device, that run at the same time. */
const PUSHES_AT_ONCE = 4
/** Pushes of one user that run or wait. */
const MAX_PUSHES = 64
/** Bytes of their bodies, which wait in memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** Judges each record by itself. `bytes`: the size of the body. @throws AppError 400 for a record without data, 429 if too many pushes of the user are waiting */
export async function push(
  ctx: AppContext,
  author: SyncAuthor,
  records: readonly PushRecord[],
  bytes: number,
): Promise<PushResults> {
  checkData(records)
  const { userId } = author.actor
  const device = await deviceOf(ctx, author.actor)
  notePush(ctx, device)
  const results = await inTurn(ctx, userId, { device, bytes }, () => judgeAll(ctx, author, device, records))
  return { serverTime: Math.max(ctx.clock.now(), await ctx.db.settledStamp()), results }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

function checkData(records: readonly PushRecord[]): void {
  const problems: FieldProblem[] = []
  for (const [i, { data, deleted }] of records.entries()) {
    if (deleted === true || isObject(data)) continue
    const text =
      data === undefined ? { en: 'is required', zh: '不能为空' } : { en: 'must be an object', zh: '必须是对象' }
    problems.push({ path: `body.records.${i}.data`, text })
    if (problems.length > MAX_PROBLEMS) break
  }
  if (problems.length > 0) throw invalidAll(problems)
}

interface Turns {
  /** Devices whose pushes run. */
  readonly running: Set<number>
  /** Of the pushes that run or wait. */
  bytes: number
  readonly waiting: { readonly device: number; start(): void }[]
}

/** By user. */
const turns = perContext(() => new Map<number, Turns>())

const tooMany = limited('Too many of your pushes are waiting', '等待处理的推送过多，请稍后再试', 5)

/** Runs `fn` when no other push of the device is running, and few of the user. */
async function inTurn<T>(
  ctx: AppContext,
  userId: number,
  { device, bytes }: { readonly device: number; readonly bytes: number },
  fn: () => Promise<T>,
): Promise<T> {
  const all = turns(ctx)
  const mine: Turns = all.get(userId) ?? { running: new Set(), bytes: 0, waiting: [] }
  if (mine.running.size + mine.waiting.length >= MAX_PUSHES) throw tooMany
  if (mine.bytes + bytes > MAX_WAITING_BYTES) throw tooMany
  mine.bytes += bytes
  all.set(userId, mine)
  const isFree = (one: number) => mine.running.size < PUSHES_AT_ONCE && !mine.running.has(one)
  if (isFree(device)) mine.running.add(device)
  else await new Promise<void>((start) => mine.waiting.push({ device, start }))
  try {
    return await fn()
  } finally {
    mine.running.delete(device)
    mine.bytes -= bytes
    for (const next of mine.waiting.slice())
      if (isFree(next.device)) {
        mine.running.add(next.device)
        mine.waiting.splice(mine.waiting.indexOf(next), 1)
        next.start()
      }
    if (mine.running.size === 0) all.delete(userId)
  }
}

async function judgeAll(
  ctx: AppContext,
  author: SyncAuthor,
  device: number,
  records: readonly PushRecord[],
): Promise<PushResult[]> {
  const kinds = new Map<string, Kind>([...entitiesOf(ctx)].map(([name, entity]) => [name, { name, entity }]))
  const batch: Batch = { ctx, author, device, kinds, known: new Known(), repeated: new Set() }
  await learnAll(batch, records)
  const keyed = records.map((record) => ordered(batch, record))
  const order = orderOf(keyed)
  const results: PushResult[] = []
  await inOrder(order, async (i) => {
    results[i] = await judge(batch, records[i]!, order.circular.get(i))
  })
  await repeatDeletions(batch, records, keyed, results)
  const { repeated } = batch
  if (repeated.size > 0) await ctx.db.write('sync.resend', (tx) => store.resend(tx, [...repeated]))
  return results
}

/**
 * Judges refused deletions again after all other records: the children of a category can be deleted or moved by records that follow. Repeats
 * it as long as one more succeeds, because its parent may then be deleted too.
 */
async function repeatDeletions(
  batch: Batch,
  records: readonly PushRecord[],
  keyed: readonly Ordered[],
  results: PushResult[],
): Promise<void> {
  const last = new Map(keyed.flatMap(({ rows }, i) => rows.map((key) => [key, i] as const)))
  let refused = [...keyed.keys()].filter((i) => {
    const kind = batch.kinds.get(records[i]!.entity)
    const isOfTree = kind !== undefined && Object.values(kind.entity.references).includes(kind.name)
    return isOfTree && keyed[i]!.isDeletion && keyed[i]!.rows.every((key) => last.get(key) === i)
  })
  for (let before = Infinity; refused.length < before;) {
    refused = refused.filter((i) => results[i]!.code === 400)
    before = refused.length
    for (const i of refused) results[i] = await judge(batch, records[i]!)
    refused = refused.filter((i) => results[i]!.code === 400)
  }
}

/** Reads the mappings, receipts, rows and views of all records, in a few queries. */
async function learnAll(batch: Batch, records: readonly PushRecord[]): Promise<void> {
  const { ctx, known, device, kinds } = batch
  const referred = new Map<string, Set<string>>()
  for (const [entity, ofEntity] of Map.groupBy(records, (record) => record.entity)) {
    const kind = kinds.get(entity)
    if (kind === undefined) continue
    for (let from = 0; from < ofEntity.length; from += ROWS_PER_TURN) {
      await pause()
      const some = ofEntity.slice(from, from + ROWS_PER_TURN)
      await learn(batch, kind, some)
      await learnViews(batch, kind, some)
    }
    for (const { data, deleted } of ofEntity)
      if (deleted !== true)
        for (const { kind: target, localId } of localReferences(kind, data as Record<string, unknown>)) {
          const ids = referred.get(target) ?? new Set()
          referred.set(target, ids.add(localId))
        }
  }
  for (const [target, ids] of referred) {
    const kind = kinds.get(target)
    if (kind === undefined) continue
    const missing = [...ids].filter((localId) => !known.mappings.has(localKey(target, localId)))
    for (let from = 0; from < missing.length; from += ROWS_PER_TURN) {
      await pause()
      const some = await store.findMappings(ctx.db.read, device, kind.name, missing.slice(from, from + ROWS_PER_TURN))
      for (const { localId, ...mapping } of some) known.mappings.set(localKey(target, localId), mapping)
    }
  }
}

/** Reads the views of rows that others have changed: conflicts keep them. */
async function learnViews({ ctx, author, known }: Batch, kind: Kind, records: readonly PushRecord[]): Promise<void> {
  const { name, entity } = kind
  const { userId } = author.actor
  const changed = records.flatMap(({ localId, serverId, baseVersion }) => {
    const id = serverId ?? known.mappings.get(localKey(name, localId))?.serverId
    const row = id === undefined ? undefined : known.rows.get(rowKey(name, id))
    return row === undefined || row.isDeleted || row.version === baseVersion ? [] : [row]
  })
  for (const [owner, rows] of Map.groupBy(changed, (row) => row.owner)) {
    if (owner !== -userId && !(owner > 0 && (await mayRead(ctx, entity, userId, owner)))) continue
    const ids = [...new Set(rows.map(({ id }) => id))]
    const viewer = ownerOf(userId, owner)
    const { locale } = author.caller
    const views = await entity.views(ctx, ctx.db.read, viewer, locale, ids, Number.MAX_SAFE_INTEGER)
    for (const view of views) known.views.set(rowKey(name, view.id), view)
  }
}

function ordered({ kinds, known }: Batch, { entity, localId, serverId, deleted, data }: PushRecord): Ordered {
  const kind = kinds.get(entity)
  const isDeletion = deleted === true
  if (kind === undefined) return { rows: [], isDeletion, references: [] }
  const keysOf = (name: string, local: string, id = known.mappings.get(localKey(name, local))?.serverId) => [
    `local ${localKey(name, local)}`,
    ...(id === undefined ? [] : [`server ${rowKey(name, id)}`]),
  ]
  const rows = keysOf(entity, localId, serverId ?? undefined)
  if (isDeletion) return { rows, isDeletion, references: [] }
  const given = data as Record<string, unknown>
  /** Only rows of which this push has records are known here. Those that were deleted come back with the first one. */
  const isThere = (name: string, id: number) => known.rows.get(rowKey(name, id))?.isDeleted !== true
  const local = localReferences(kind, given).map((reference): Reference => {
    const mapping = known.mappings.get(localKey(reference.kind, reference.localId))
    const isKnown = mapping !== undefined && isThere(reference.kind, mapping.serverId)
    return { field: reference.field, rows: keysOf(reference.kind, reference.localId), isKnown }
  })
  // Another record may bring the row back.
  const byServerId = serverReferences(kind, given).map((reference): Reference => ({
    field: reference.field,
    rows: [`server ${rowKey(reference.kind, reference.serverId)}`],
    isKnown: isThere(reference.kind, reference.serverId),
  }))
  return { rows, isDeletion, references: [...local, ...byServerId] }
}

/** Runs each record when those that it waits for have ended. After an error no more are started, and it is thrown when all have ended. */
function inOrder({ waitsFor }: Order, run: (i: number) => Promise<void>): Promise<void> {
  const left = waitsFor.map((before) => before.size)
  const followers = waitsFor.map((): number[] => [])
  for (const [i, before] of waitsFor.entries()) for (const other of before) followers[other]!.push(i)
  const ready = [...left.keys()].filter((i) => left[i] === 0)
  return new Promise((resolve, reject) => {
    let next = 0
    let running = 0
    const errors: unknown[] = []
    async function runOne(i: number): Promise<void> {
      running++
      try {
        await run(i)
        for (const follower of followers[i]!) if (--left[follower]! === 0) ready.push(follower)
      } catch (error) {
        errors.push(error)
      }
      running--
      startMore()
    }
    function startMore(): void {
      while (errors.length === 0 && running < RECORDS_AT_ONCE && next < ready.length) void runOne(ready[next++]!)
      if (running > 0) return
      if (errors.length > 0) reject(errors[0])
      else resolve()
    }
    startMore()
  })
}

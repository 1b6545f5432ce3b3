/** Judges one record of a push, and writes what follows from it: the row, the mapping and the receipt in one transaction. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import type { SyncEntityName, TombstoneEntity } from '#db/schema/sync.ts'
import type { Tx } from '#db/store.ts'
import type { SyncAuthor, SyncState } from '#domains/contributions.ts'
import { type BudgetUse, budgetUsedUp, usesOf } from '#http/budget.ts'
import { AppError, limited, notFound, unavailable } from '#http/errors.ts'
import { noPermission } from '#http/permissions.ts'
import { detailsOf } from '#http/respond.ts'
import { invalid } from '#http/validate.ts'

import { CONFLICT_SPACE, MAX_OPEN } from '../conflicts/conflicts.model.ts'
import { insertConflict } from '../conflicts/conflicts.store.ts'
import * as store from '../mappings.store.ts'
import {
  checkPermission,
  checkUnchanged,
  type Data,
  findRows,
  type Kind,
  mayRead,
  ownerOf,
  prepareChange,
  type Row,
  RowChanged,
  viewOf,
  wasDeleted,
} from '../rows/rows.service.ts'
import { MAX_DATA, MAX_LOCAL_ID, type PushRecord, type PushResult } from './push.model.ts'
import { decide } from './push.rules.ts'

/** A record is judged again when its row has changed meanwhile, which happens when many devices push the same row at the same time. */
const ATTEMPTS = 100

/** A push, with the rows of its records as far as they have been read. */
export interface Batch {
  readonly ctx: AppContext
  readonly author: SyncAuthor
  readonly device: number
  readonly kinds: ReadonlyMap<string, Kind>
  readonly known: Known
  /**
   * Mappings of records that got their first result again. The device may have pulled a later state of the row, or its deletion, before it
   * knew that it had the row.
   */
  readonly repeated: Set<number>
}

/** Read for all records together; each record that is judged keeps it current. */
export class Known {
  /** By `localKey`. */
  readonly mappings = new Map<string, store.Mapping>()
  /** By `receiptKey`. */
  readonly receipts = new Map<string, store.Receipt>()
  /** By `rowKey`. */
  readonly rows = new Map<string, Row>()
  /** Views of rows that others have changed, by `rowKey`. */
  readonly views = new Map<string, Data & { readonly version: number }>()
}

export const localKey = (entity: string, localId: string): string => `${entity} ${localId}`
export const rowKey = (entity: string, id: number): string => `${entity} ${id}`
export const receiptKey = ({ mapping, baseVersion, clientUpdatedAt }: store.ReceiptKey): string =>
  `${mapping} ${baseVersion} ${clientUpdatedAt}`

/** A record of an entity that exists. */
interface Pushed {
  readonly batch: Batch
  readonly kind: Kind
  readonly record: PushRecord
  /** References are not resolved in it. Null for a deletion. */
  readonly data: Data | null
  /** The field in which the record refers to itself through other records. */
  readonly circular: string | undefined
  /** Fields with references to deleted rows, without which the record is applied. */
  readonly dropped: string[]
  /** Of the row. Undefined until the permission has been checked. */
  owner?: OwnerKey
}

/** The result of a record. `circular` is the field in which it refers to itself through other records. */
export async function judge(batch: Batch, record: PushRecord, circular?: string): Promise<PushResult> {
  try {
    const kind = batch.kinds.get(record.entity)
    if (kind === undefined) throw invalid('entity', 'is not known', '未知')
    const data = record.deleted === true ? null : (record.data as Data)
    const pushed: Pushed = { batch, kind, record, data, circular, dropped: [] }
    if (data !== null && JSON.stringify(data).length > MAX_DATA)
      throw invalid('data', `must have at most ${MAX_DATA} characters as JSON`, `JSON 最多 ${MAX_DATA} 个字符`)
    for (let attempt = 1; ; attempt++) {
      try {
        return await judgeOnce(pushed)
      } catch (error) {
        if (await dropDeleted(pushed, error)) continue
        if (!(error instanceof RowChanged)) throw error
        if (attempt === ATTEMPTS)
          throw unavailable('A row is changed too often at the moment', '数据更新过于频繁，请稍后再试')
        await learn(batch, kind, [record])
      }
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return rejected(batch, record, error)
  }
}

function rejected({ author, known }: Batch, { entity, localId, serverId }: PushRecord, error: AppError): PushResult {
  const { locale } = author.caller
  const details = detailsOf(error, locale)
  return {
    entity,
    localId,
    serverId: serverId ?? known.mappings.get(localKey(entity, localId))?.serverId ?? null,
    version: null,
    updatedAt: null,
    status: 'REJECTED',
    code: error.code,
    message: error.text[locale],
    ...(details && { details }),
  }
}

/** Reads the mappings, receipts and rows of records of one kind. */
export async function learn(batch: Batch, kind: Kind, records: readonly PushRecord[]): Promise<void> {
  const { ctx, author, device, known } = batch
  const { name } = kind
  const db = ctx.db.read
  const localIds = [...new Set(records.map(({ localId }) => localId))]
  for (const { localId, ...mapping } of await store.findMappings(db, device, name, localIds))
    known.mappings.set(localKey(name, localId), mapping)
  const keys = records.flatMap(({ localId, baseVersion, updatedAt }) => {
    const mapping = known.mappings.get(localKey(name, localId))
    return mapping === undefined ? [] : [{ mapping: mapping.id, baseVersion, clientUpdatedAt: updatedAt }]
  })
  if (keys.length > 0)
    for (const receipt of await store.findReceipts(db, keys)) known.receipts.set(receiptKey(receipt), receipt)
  const ids = [...new Set(records.flatMap((record) => targetOf(known, name, record) ?? []))]
  for (const id of ids) known.rows.delete(rowKey(name, id))
  for (const row of await findRows(ctx, db, kind, author.actor.userId, ids)) known.rows.set(rowKey(name, row.id), row)
}

const targetOf = (known: Known, name: SyncEntityName, { serverId, localId }: PushRecord): number | undefined =>
  serverId ?? known.mappings.get(localKey(name, localId))?.serverId

async function judgeOnce(pushed: Pushed): Promise<PushResult> {
  const { batch, kind, record, data } = pushed
  const { known } = batch
  const mapping = known.mappings.get(localKey(kind.name, record.localId))
  const id = targetOf(known, kind.name, record)
  if (mapping !== undefined && mapping.serverId === id) {
    const { baseVersion, updatedAt } = record
    const receipt = known.receipts.get(receiptKey({ mapping: mapping.id, baseVersion, clientUpdatedAt: updatedAt }))
    if (receipt !== undefined) {
      batch.repeated.add(mapping.id)
      return resultOf(record, id, receipt)
    }
  }
  if (id === undefined) {
    if (record.baseVersion !== 0)
      throw invalid('baseVersion', 'must be 0 for a row that this device has not pushed before', '新数据须为 0')
    if (data === null) return { ...named(record), serverId: null, version: 0, updatedAt: null, status: 'APPLIED' }
    return create(pushed, withReferences(pushed, data))
  }
  const resolved = data === null ? null : withReferences(pushed, data)
  const row = known.rows.get(rowKey(kind.name, id))
  if (row === undefined) throw notFound()
  await checkPermission(batch.ctx, kind, batch.author.actor.userId, row.owner, data === null ? 'delete' : 'update')
  pushed.owner = row.owner
  return change(pushed, resolved, row, mapping)
}

const named = ({ entity, localId }: PushRecord) => ({ entity, localId })

const resultOf = (
  record: PushRecord,
  serverId: number,
  { status, version, updatedAt, conflictId, dropped }: store.Receipt,
): PushResult => ({
  ...named(record),
  serverId,
  version,
  updatedAt,
  status,
  ...(conflictId !== null && { conflictId }),
  ...(dropped !== null && { dropped: dropped.split(',') }),
})

const snake = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)

/** A field by either of its names, as requests may write it. */
const fieldOf = (data: Data, name: string): unknown =>
  [name, snake(name)].map((key) => (Object.hasOwn(data, key) ? data[key] : undefined)).find((v) => v !== undefined)

/** References to rows by the ids of the server. */
export const serverReferences = (
  { entity }: Kind,
  data: Data,
): { field: string; kind: TombstoneEntity; serverId: number }[] =>
  Object.entries(entity.references).flatMap(([field, kind]) => {
    const serverId = fieldOf(data, field)
    return typeof serverId === 'number' ? [{ field, kind, serverId }] : []
  })

/** References to rows by the local ids of the device. */
export const localReferences = (
  { entity }: Kind,
  data: Data,
): { field: string; kind: SyncEntityName; localId: string }[] =>
  Object.entries(entity.references).flatMap(([field, kind]) => {
    const localId = fieldOf(data, field)
    return typeof localId === 'string' && kind !== 'location' ? [{ field, kind, localId }] : []
  })

/**
 * The data with server ids instead of local ids, and null for references that are dropped. @throws AppError 400 for a local id that this
 * device has not pushed
 */
function withReferences({ batch, kind, circular, dropped }: Pushed, data: Data): Data {
  const references = localReferences(kind, data)
  if (references.length + dropped.length === 0) return data
  const resolved = { ...data }
  for (const { field, kind: target, localId } of references) {
    if (field === circular)
      throw invalid(`data.${field}`, 'refers to a record that refers back to this one', '记录之间循环引用')
    const mapping = localId.length <= MAX_LOCAL_ID ? batch.known.mappings.get(localKey(target, localId)) : undefined
    if (mapping === undefined)
      throw invalid(
        `data.${field}`,
        'refers to a record that this device has not pushed, or that was rejected',
        '引用的记录不存在或被拒绝',
      )
    delete resolved[snake(field)]
    resolved[field] = mapping.serverId
  }
  for (const field of dropped) {
    delete resolved[snake(field)]
    resolved[field] = null
  }
  return resolved
}

/** Whether the error is about references to rows that have been deleted. They are dropped, and the record can be judged again. */
async function dropDeleted(pushed: Pushed, error: unknown): Promise<boolean> {
  const { batch, kind, data, dropped, owner } = pushed
  if (!(error instanceof AppError) || error.status !== 400 || data === null || owner === undefined) return false
  const refused = new Set(detailsOf(error, 'en')?.map(({ path }) => path))
  const { userId } = batch.author.actor
  let isDropped = false
  for (const { field, kind: target, serverId } of serverReferences(kind, withReferences(pushed, data))) {
    if (!refused.has(`data.${field}`)) continue
    if (!(await wasDeleted(batch.ctx, kind, { userId, owner }, target, serverId))) continue
    dropped.push(field)
    isDropped = true
  }
  return isDropped
}

/** The owner of a new row: the organization that the data names, or the user. @throws AppError 400, 403 */
async function newOwner({ batch, kind }: Pushed, data: Data): Promise<OwnerKey> {
  const { ctx, author } = batch
  const { userId } = author.actor
  const orgId = fieldOf(data, 'orgId') ?? 0
  if (typeof orgId !== 'number' || !Number.isSafeInteger(orgId) || orgId < 0)
    throw invalid('data.orgId', 'must be the id of an organization', '须为组织 ID')
  if (orgId > 0 && kind.entity.readPoint === undefined)
    throw invalid('data.orgId', 'must be absent: only users can own this', '仅限个人数据，不能属于组织')
  const key = orgId === 0 ? -userId : orgId
  try {
    await checkPermission(ctx, kind, userId, key, 'create')
  } catch (error) {
    // As for the operation that creates one row, 404 is for rows only.
    throw error instanceof AppError && error.status === 404 ? noPermission : error
  }
  return key
}

/** Records that are written with one COMMIT have one stamp, so that a long push does not set the stamps of all users ahead of the clock. */
const writeRecord = <T>(ctx: AppContext, name: string, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  ctx.db.write(name, fn, { sharesStamp: true })

async function create(pushed: Pushed, data: Data): Promise<PushResult> {
  const { batch, kind, record } = pushed
  const { ctx, author, device, known } = batch
  const owner = (pushed.owner = await newOwner(pushed, data))
  const insert = await kind.entity.prepareCreate(ctx, author, ownerOf(author.actor.userId, owner), data)
  const isShown = await isVisible(pushed, owner)
  const { mapping, receipt, state } = await writeRecord(ctx, 'sync.push', async (tx) => {
    // Claimed before the row is made, so that a repeated record never finds its own twin in its way.
    const id = await store.insertMapping(tx, { device, entity: kind.name, localId: record.localId, serverId: 0 })
    if (id === undefined) throw new RowChanged()
    const made = await insert(tx)
    await store.setServerId(tx, id, made.id)
    if (!isShown) await store.resend(tx, [id])
    return {
      mapping: { id, serverId: made.id, isForced: false },
      receipt: await keepReceipt(pushed, tx, id, 'APPLIED', made, null),
      state: made,
    }
  })
  remember(known, kind, record, mapping, receipt, { ...state, isGone: false })
  return resultOf(record, state.id, receipt)
}

/** Whether pulls of the user show rows of the owner. A device that may write only learns by its next pull that it must not keep the row. */
const isVisible = async ({ batch, kind }: Pushed, owner: OwnerKey): Promise<boolean> =>
  owner < 0 || (await mayRead(batch.ctx, kind.entity, batch.author.actor.userId, owner))

/** A change of a row that is on the server, or was. */
async function change(
  pushed: Pushed,
  data: Data | null,
  row: Row,
  mapping: store.Mapping | undefined,
): Promise<PushResult> {
  const { batch, kind, record } = pushed
  const { ctx, author } = batch
  const { userId } = author.actor
  const isForced = mapping?.isForced === true && mapping.serverId === row.id
  const decision = decide(record, row, { now: ctx.clock.now(), isForced })
  if (data === null && row.isDeleted) return write(pushed, row, mapping, async () => row)
  if (row.isDeleted && decision === 'KEEP') {
    await kind.entity.prepareUpdate(ctx, author, ownerOf(userId, row.owner), data)
    return lose(pushed, row, mapping, null)
  }
  if (row.isGone) await checkPermission(ctx, kind, userId, row.owner, 'create')
  const run = await prepareChange(ctx, author, kind, row, data)
  if (decision === 'APPLY') return write(pushed, row, mapping, run)
  const view = row.isDeleted ? null : await currentView(pushed, row)
  if (decision === 'OVERWRITE') return write(pushed, row, mapping, run, view)
  if (data === null) return lose(pushed, row, mapping, view)
  try {
    return await write(pushed, row, mapping, async (tx) => {
      const state = await run(tx)
      if (state.version !== row.version) throw new Loses()
      return state
    })
  } catch (error) {
    const isRefused = error instanceof AppError && error.status < 500 && error.status !== 403 && error.status !== 404
    if (!isRefused && !(error instanceof Loses)) throw error
    if (await dropDeleted(pushed, error)) throw new RowChanged()
    return lose(pushed, row, mapping, view)
  }
}

/** The change is new, and the row was changed later. Rolls its write back. */
class Loses extends Error {
  override name = 'Loses'
}

async function currentView({ batch, kind }: Pushed, row: Row): Promise<Data> {
  const read = batch.known.views.get(rowKey(kind.name, row.id))
  if (read?.version === row.version) return read
  return viewOf(batch.ctx, kind, batch.author.actor.userId, batch.author.caller.locale, row)
}

/** Runs the change, and keeps the state that is lost, if it is given, as a conflict that the client has won. */
async function write(
  pushed: Pushed,
  row: Row,
  before: store.Mapping | undefined,
  run: (tx: Tx) => Promise<SyncState>,
  lost?: Data | null,
): Promise<PushResult> {
  const { batch, kind, record } = pushed
  const { ctx, author } = batch
  const space = lost === undefined ? [] : await spaceOf(pushed, lost)
  const isShown = await isVisible(pushed, row.owner)
  const { mapping, receipt, state } = await writeRecord(ctx, 'sync.push', async (tx) => {
    await checkUnchanged(ctx, tx, kind, author.actor.userId, row)
    const after = await run(tx)
    const isLost = lost !== undefined && after.version !== row.version
    const conflictId = isLost ? await keepConflict(pushed, tx, row, 'CLIENT', lost, space) : null
    const kept = await keepMapping(pushed, tx, row.id, before)
    // Without the reference the record may change nothing, and the row would not come by itself.
    if (pushed.dropped.length > 0 || !isShown) await store.resend(tx, [kept.id])
    return {
      mapping: kept,
      receipt: await keepReceipt(pushed, tx, kept.id, 'APPLIED', after, conflictId),
      state: after,
    }
  })
  const isGone = row.isGone && state.isDeleted
  remember(batch.known, kind, record, mapping, receipt, { ...state, isGone })
  return resultOf(record, row.id, receipt)
}

/** The server keeps its state, and the pushed one as a conflict. */
async function lose(
  pushed: Pushed,
  row: Row,
  before: store.Mapping | undefined,
  view: Data | null,
): Promise<PushResult> {
  const { batch, kind, record } = pushed
  const { ctx, author } = batch
  const space = await spaceOf(pushed, view)
  const { mapping, receipt } = await writeRecord(ctx, 'sync.pushConflict', async (tx) => {
    await checkUnchanged(ctx, tx, kind, author.actor.userId, row)
    const conflictId = await keepConflict(pushed, tx, row, 'SERVER', view, space)
    const kept = await keepMapping(pushed, tx, row.id, before)
    // The device may have pulled this state before, and shown its own edit instead.
    await store.resend(tx, [kept.id])
    return { mapping: kept, receipt: await keepReceipt(pushed, tx, kept.id, 'CONFLICT', row, conflictId) }
  })
  remember(batch.known, kind, record, mapping, receipt, row)
  return resultOf(record, row.id, receipt)
}

function remember(
  known: Known,
  { name }: Kind,
  { localId }: PushRecord,
  mapping: store.Mapping,
  receipt: store.Receipt,
  row: Row,
): void {
  known.mappings.set(localKey(name, localId), mapping)
  known.receipts.set(receiptKey(receipt), receipt)
  known.rows.set(rowKey(name, row.id), row)
}

/** The size of both states, in kilobytes. */
function spaceOf({ batch, data }: Pushed, view: Data | null): Promise<BudgetUse[]> {
  const length = JSON.stringify(data).length + JSON.stringify(view).length
  return usesOf(batch.ctx, CONFLICT_SPACE, batch.author, Math.ceil(length / 1024))
}

/** @throws AppError 4022 if the user has too many open conflicts, or too large ones */
async function keepConflict(
  { batch, kind, record, data }: Pushed,
  tx: Tx,
  row: Row,
  winner: 'SERVER' | 'CLIENT',
  view: Data | null,
  space: readonly BudgetUse[],
): Promise<number> {
  const refusal = await spend(tx, space, batch.ctx.clock.now())
  if (refusal !== undefined) throw budgetUsedUp(refusal)
  const id = await insertConflict(tx, {
    userId: batch.author.actor.userId,
    device: batch.device,
    entity: kind.name,
    serverId: row.id,
    localId: record.localId,
    winner,
    clientData: data,
    serverData: view,
    baseVersion: record.baseVersion,
    serverVersion: row.version,
    clientUpdatedAt: record.updatedAt,
    serverUpdatedAt: row.updatedAt,
    createdAt: batch.ctx.clock.now(),
  })
  if (id === undefined)
    throw limited(
      `You have ${MAX_OPEN} open conflicts: resolve some of them first`,
      `未解决的冲突已达 ${MAX_OPEN} 个，请先处理`,
    )
  return id
}

/** The mapping of the record, which now means the row. @throws RowChanged if another push has changed it meanwhile */
async function keepMapping(
  { batch, kind, record }: Pushed,
  tx: Tx,
  serverId: number,
  before: store.Mapping | undefined,
): Promise<store.Mapping> {
  if (before === undefined) {
    const { device } = batch
    const id = await store.insertMapping(tx, { device, entity: kind.name, localId: record.localId, serverId })
    if (id === undefined) throw new RowChanged()
    return { id, serverId, isForced: false }
  }
  if (before.serverId !== serverId) await store.changeRow(tx, before.id, serverId)
  else if (before.isForced && record.baseVersion === 0 && !(await store.useForce(tx, before.id))) throw new RowChanged()
  else return record.baseVersion === 0 ? { ...before, isForced: false } : before
  return { id: before.id, serverId, isForced: false }
}

/** @throws RowChanged if the same record has been judged meanwhile */
async function keepReceipt(
  { batch, record, dropped: fields }: Pushed,
  tx: Tx,
  mapping: number,
  status: store.Receipt['status'],
  { version, updatedAt }: Pick<SyncState, 'version' | 'updatedAt'>,
  conflictId: number | null,
): Promise<store.Receipt> {
  const { baseVersion, updatedAt: clientUpdatedAt } = record
  const dropped = status === 'APPLIED' && fields.length > 0 ? fields.join() : null
  const receipt = { mapping, baseVersion, clientUpdatedAt, status, version, updatedAt, conflictId, dropped }
  if (!(await store.insertReceipt(tx, receipt, batch.ctx.clock.now()))) throw new RowChanged()
  return receipt
}

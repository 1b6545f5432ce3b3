import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import type { SyncAuthor } from '#domains/contributions.ts'
import type { Actor } from '#http/endpoint.ts'
import { badRequest, notFound, unavailable } from '#http/errors.ts'

import { deleteReceiptsOf, mappingsOfRow, setMapping } from '../mappings.store.ts'
import {
  checkPermission,
  checkUnchanged,
  type Data,
  findRows,
  type Kind,
  mayRead,
  prepareChange,
  type Row,
  RowChanged,
} from '../rows/rows.service.ts'
import { entitiesOf } from '../sync.service.ts'
import type { ConflictsQuery, ConflictView, ResolveConflict, ResolvedConflict } from './conflicts.model.ts'
import * as store from './conflicts.store.ts'

/** As often as a row may change while a conflict is resolved. */
const ATTEMPTS = 20

export async function listConflicts(
  ctx: AppContext,
  { userId }: Actor,
  query: ConflictsQuery,
): Promise<Page<ConflictView>> {
  const page = await store.conflictsPage(ctx.db.read, userId, query)
  const isReadable = await readableTo(ctx, userId, page.items)
  return mapPage(page, (row) => toView(row, isReadable(row)))
}

/** Whether the user may still read the organization to which the kept state of a conflict belongs. */
async function readableTo(ctx: AppContext, userId: number, rows: readonly store.ConflictRow[]) {
  const readable = new Map<string, boolean>()
  const keyOf = ({ entity, serverData }: store.ConflictRow) => `${entity} ${serverData?.['orgId']}`
  for (const row of rows) {
    const key = keyOf(row)
    const orgId = row.serverData?.['orgId']
    const entity = entitiesOf(ctx).get(row.entity)
    if (typeof orgId !== 'number' || orgId === 0) readable.set(key, true)
    else if (!readable.has(key)) readable.set(key, entity !== undefined && (await mayRead(ctx, entity, userId, orgId)))
  }
  return (row: store.ConflictRow) => readable.get(keyOf(row)) === true
}

const toView = (row: store.ListedConflict, isReadable: boolean): ConflictView => ({
  id: row.id,
  entity: row.entity,
  serverId: row.serverId,
  localId: row.localId,
  deviceId: row.deviceKey,
  winner: row.winner,
  clientData: row.clientData,
  serverData: isReadable || row.serverData === null ? row.serverData : { id: row.serverId },
  baseVersion: row.baseVersion,
  serverVersion: row.serverVersion,
  clientUpdatedAt: row.clientUpdatedAt,
  serverUpdatedAt: row.serverUpdatedAt,
  status: row.status,
  acceptServer: row.acceptServer,
  createdAt: row.createdAt,
  resolvedAt: row.resolvedAt,
})

/** Repeating the same answer changes nothing. @throws AppError 400 for another one, 404 for conflicts of other users */
export async function resolveConflict(
  ctx: AppContext,
  author: SyncAuthor,
  input: ResolveConflict,
): Promise<ResolvedConflict> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await resolveOnce(ctx, author, input)
    } catch (error) {
      if (!(error instanceof RowChanged)) throw error
      if (attempt === ATTEMPTS)
        throw unavailable('The row is changed too often at the moment', '数据更新过于频繁，请稍后再试')
    }
  }
}

async function resolveOnce(
  ctx: AppContext,
  author: SyncAuthor,
  { conflictId, acceptServer }: ResolveConflict,
): Promise<ResolvedConflict> {
  const { userId } = author.actor
  const conflict = await store.findConflict(ctx.db.read, userId, conflictId)
  const entity = conflict && entitiesOf(ctx).get(conflict.entity)
  if (conflict === undefined || entity === undefined) throw notFound()
  const kind: Kind = { name: conflict.entity, entity }
  const [row] = await findRows(ctx, ctx.db.read, kind, userId, [conflict.serverId])
  const result = (version: number): ResolvedConflict => ({
    conflictId,
    entity: conflict.entity,
    localId: conflict.localId,
    serverId: conflict.serverId,
    version: acceptServer ? version : 0,
    acceptServer,
  })
  if (conflict.status === 'RESOLVED') {
    if (conflict.acceptServer !== acceptServer)
      throw badRequest('The conflict has been resolved with the other answer', '冲突已按另一选择解决')
    return result(row?.version ?? conflict.serverVersion)
  }
  const restore =
    acceptServer && conflict.winner === 'CLIENT' ? await prepareRestore(ctx, author, kind, conflict, row) : undefined
  return ctx.db.write('sync.resolve', async (tx) => {
    if (!(await store.resolve(tx, userId, conflictId, { acceptServer, resolvedAt: ctx.clock.now() })))
      throw new RowChanged()
    const version = restore === undefined ? (row?.version ?? conflict.serverVersion) : await restore(tx)
    const [mapping] = await mappingsOfRow(tx, conflict.device, conflict.entity, conflict)
    if (mapping !== undefined) {
      // Of several conflicts about the row, one may have been accepted before: the row still comes again.
      await setMapping(tx, mapping.id, { isForced: !acceptServer, ...(acceptServer && { resendAt: tx.stamp }) })
      if (!acceptServer) await deleteReceiptsOf(tx, mapping.id, conflictId)
    }
    return result(version)
  })
}

/** Prepares to give the row the state that the push has overwritten. Returns its new version. @throws AppError 403, 404 */
async function prepareRestore(
  ctx: AppContext,
  author: SyncAuthor,
  kind: Kind,
  { serverData }: store.ConflictRow,
  row: Row | undefined,
): Promise<(tx: Tx) => Promise<number>> {
  const { userId } = author.actor
  if (row === undefined) throw notFound()
  await checkPermission(ctx, kind, userId, row.owner, serverData === null ? 'delete' : 'update')
  if (row.isGone && serverData !== null) await checkPermission(ctx, kind, userId, row.owner, 'create')
  const data = serverData && (await withLiveReferences(ctx, kind, userId, row, serverData))
  const run = await prepareChange(ctx, author, kind, row, data, true)
  return async (tx) => {
    await checkUnchanged(ctx, tx, kind, userId, row)
    return (await run(tx)).version
  }
}

/** The data without references to rows that are gone. */
async function withLiveReferences(
  ctx: AppContext,
  { entity }: Kind,
  userId: number,
  row: Row,
  data: Data,
): Promise<Data> {
  const result = { ...data }
  for (const [field, name] of Object.entries(entity.references)) {
    const id = data[field]
    const target = name === 'location' ? undefined : entitiesOf(ctx).get(name)
    if (typeof id !== 'number' || target === undefined) continue
    const [state] = await target.states(ctx, ctx.db.read, userId, [id])
    if (state === undefined || state.isDeleted || state.owner !== row.owner) result[field] = null
  }
  return result
}

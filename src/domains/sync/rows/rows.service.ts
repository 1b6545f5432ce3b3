/** Rows of all entities as pushes and resolved conflicts change them, also those that were deleted. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { SyncEntityName, TombstoneEntity } from '#db/schema/sync.ts'
import type { Db, Tx } from '#db/store.ts'
import { forgetDeleted } from '#db/tombstones.ts'
import * as access from '#domains/access/index.ts'
import type { SyncAuthor, SyncEntity, SyncState } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { noPermission } from '#http/permissions.ts'
import type { Locale } from '#lib/localized.ts'

import { entitiesOf } from '../sync.service.ts'
import { findTombstones } from './rows.store.ts'

export interface Kind {
  readonly name: SyncEntityName
  readonly entity: SyncEntity
}

export interface Row extends SyncState {
  /** Deleted permanently: only its tombstone is left. */
  readonly isGone: boolean
}

export type Data = Readonly<Record<string, unknown>>

/** The row has changed since it was read. The write is rolled back, and the caller begins again. */
export class RowChanged extends Error {
  override name = 'RowChanged'
}

/** The rows with these ids, of any owner. Those that the user may not know of, although they may read the owner's rows, are left out. */
export async function findRows(
  ctx: AppContext,
  db: Db | Tx,
  { name, entity }: Kind,
  userId: number,
  ids: readonly number[],
): Promise<Row[]> {
  if (ids.length === 0) return []
  const rows = (await entity.states(ctx, db, userId, ids)).map((state) => ({ ...state, isGone: false }))
  const found = new Set(rows.map(({ id }) => id))
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length === 0) return rows
  return [...rows, ...(await findGone(db, name, missing))]
}

async function findGone(db: Db | Tx, name: TombstoneEntity, ids: readonly number[]): Promise<Row[]> {
  return (await findTombstones(db, name, ids)).map((row) => ({ ...row, isDeleted: true, isGone: true }))
}

/**
 * Whether the row with this id was deleted within the last 90 days, and the user may know that it was there: it belonged to `owner`, or to an
 * organization whose rows the user may read if rows of users can refer to these.
 */
export async function wasDeleted(
  ctx: AppContext,
  { entity }: Kind,
  { userId, owner }: { readonly userId: number; readonly owner: OwnerKey },
  name: TombstoneEntity,
  id: number,
): Promise<boolean> {
  if (!Number.isSafeInteger(id) || id <= 0) return false
  const target = name === 'location' ? undefined : entitiesOf(ctx).get(name)
  const db = ctx.db.read
  const [row] =
    name === 'location' || target === undefined
      ? await findGone(db, name, [id])
      : await findRows(ctx, db, { name, entity: target }, userId, [id])
  if (row?.isDeleted !== true) return false
  if (row.owner === owner) return true
  const isOfUsers = entity.readPoint === undefined
  return isOfUsers && target !== undefined && row.owner > 0 && (await mayRead(ctx, target, userId, row.owner))
}

/** @throws RowChanged unless the row is still as it was read */
export async function checkUnchanged(ctx: AppContext, tx: Tx, kind: Kind, userId: number, row: Row): Promise<void> {
  const [now] = await findRows(ctx, tx, kind, userId, [row.id])
  if (now?.version !== row.version || now.isDeleted !== row.isDeleted || now.isGone !== row.isGone)
    throw new RowChanged()
}

export const ownerOf = (userId: number, key: OwnerKey): Owner => ({ userId, orgId: orgOf(key) })

/** @throws AppError 403; 404 if the user may not know of rows of this owner */
export async function checkPermission(
  ctx: AppContext,
  { entity }: Kind,
  userId: number,
  key: OwnerKey,
  action: keyof SyncEntity['points'],
): Promise<void> {
  const point = entity.points[action]
  const orgId = orgOf(key)
  if (orgId === 0) {
    if (key !== -userId) throw notFound()
    if (!(await access.can(ctx, userId, 'APP', 0, point))) throw noPermission
    return
  }
  if (await access.can(ctx, userId, 'ORG', orgId, point)) return
  throw (await mayRead(ctx, entity, userId, orgId)) ? await access.refusalIn(ctx, userId, orgId, point) : notFound()
}

/** Whether the user may read rows of the organization. */
export const mayRead = async (ctx: AppContext, entity: SyncEntity, userId: number, orgId: number): Promise<boolean> =>
  entity.readPoint !== undefined && (await access.can(ctx, userId, 'ORG', orgId, entity.readPoint))

/** The row as pulls show it. If the user may change the row but not read it: only the fields that all rows have. */
export async function viewOf(
  ctx: AppContext,
  { entity }: Kind,
  userId: number,
  locale: Locale,
  row: Row,
): Promise<Data> {
  const viewer = ownerOf(userId, row.owner)
  const isReadable = viewer.orgId === 0 || (await mayRead(ctx, entity, userId, viewer.orgId))
  const views = isReadable
    ? await entity.views(ctx, ctx.db.read, viewer, locale, [row.id], Number.MAX_SAFE_INTEGER)
    : []
  const { id, version, updatedAt } = row
  return views[0] ?? { id, version, updatedAt, orgId: viewer.orgId === 0 ? null : viewer.orgId }
}

/**
 * Checks the change of a row: its new `data`, or null to delete it. The returned function runs in a write in which the row is as given. A
 * row that was deleted comes back, and then all its fields are needed if it was deleted permanently. `isRestore`: the data is a view that
 * a push has overwritten. Permissions are checked before.
 */
export async function prepareChange(
  ctx: AppContext,
  author: SyncAuthor,
  { name, entity }: Kind,
  row: Row,
  data: Data | null,
  isRestore = false,
): Promise<(tx: Tx) => Promise<SyncState>> {
  const owner = ownerOf(author.actor.userId, row.owner)
  const { id, version } = row
  if (data === null) return row.isDeleted ? async () => row : (tx) => entity.remove(ctx, tx, owner, id)
  if (!row.isGone) {
    const prepare = (isRestore && entity.prepareRestore) || entity.prepareUpdate
    const update = await prepare(ctx, author, owner, data)
    return (tx) => update(tx, id)
  }
  const create = await entity.prepareCreate(ctx, author, owner, data)
  return async (tx) => {
    await forgetDeleted(tx, name, id)
    return create(tx, { id, version: version + 1 })
  }
}

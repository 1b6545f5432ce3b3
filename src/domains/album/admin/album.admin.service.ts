/** Album photos of all owners, for administrators. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import { adminPage, hasFilters, ownersOf } from '#domains/admin/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import type { PhotoView } from '../album.model.ts'
import { deleteWithFile, toView } from '../album.service.ts'
import { allPhotosPage, findAnyPhoto, type PhotoRow } from '../album.store.ts'
import type { AdminPhotosQuery, AdminPhotoView } from './album.admin.model.ts'
import { filteredPhotos } from './album.admin.store.ts'

export async function listAllPhotos(
  ctx: AppContext,
  { userId }: Actor,
  query: AdminPhotosQuery,
): Promise<Page<AdminPhotoView>> {
  const { items, ...page } = await rowsPage(ctx, userId, query)
  const ownedBy = await ownersOf(ctx.db.read, items)
  return { ...page, items: items.map((row) => ({ ...toView(ctx, row), ...ownedBy(row) })) }
}

function rowsPage(ctx: AppContext, adminId: number, query: AdminPhotosQuery): Promise<Page<PhotoRow>> {
  const { page, size, sort } = query
  return hasFilters(query)
    ? adminPage(ctx, adminId, filteredPhotos(query), { page, size })
    : allPhotosPage(ctx.db.read, { page, size, sort })
}

export async function getAnyPhoto(ctx: AppContext, id: number): Promise<PhotoView> {
  const row = await findAnyPhoto(ctx.db.read, id)
  if (row === undefined) throw notFound()
  return toView(ctx, row)
}

export async function deleteAnyPhoto(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  await actor.write('album.deleteAny', async (tx) => {
    const row = await findAnyPhoto(tx, id)
    if (row === undefined || (await deleteWithFile(ctx, tx, row, id)) === undefined) throw notFound()
    const { name, fileId, userId, orgId, createdAt } = row
    const before = { name, fileId, userId, orgId: orgId || null, createdAt }
    return { result: undefined, logged: { targetId: id, targetName: name, before } }
  })
}

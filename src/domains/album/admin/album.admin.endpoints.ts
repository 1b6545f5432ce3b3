import { endpoint, type MemberAccess, platform, type RowOf } from '#http/endpoint.ts'

import { PhotoView } from '../album.model.ts'
import { versionOfPhoto } from '../album.store.ts'
import { AdminPhotoPage, AdminPhotosQuery, ByPhoto } from './album.admin.model.ts'
import * as service from './album.admin.service.ts'

const tag = 'Album'
const anyPhoto: RowOf<MemberAccess, typeof ByPhoto> = {
  version: versionOfPhoto,
  view: PhotoView,
  show: ({ ctx, params }) => service.getAnyPhoto(ctx, params.photoId),
}

export const albumAdminEndpoints = [
  endpoint({
    id: 'admin.albums.list',
    method: 'GET',
    path: '/api/admin/albums',
    summary: 'List the album photos of all users and organizations',
    description: 'The latest added first, unless `sort` is given.',
    tag,
    access: platform('album:read'),
    query: AdminPhotosQuery,
    data: AdminPhotoPage,
    run: ({ ctx, actor, query }) => service.listAllPhotos(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.albums.delete',
    method: 'DELETE',
    path: '/api/admin/albums/:photoId',
    summary: 'Delete any album photo',
    description:
      'Permanently, with its file. A photo that was shared with an organization is a photo of its own and stays.',
    tag,
    access: platform('album:delete'),
    logs: 'ALBUM_PHOTO_DELETE',
    params: ByPhoto,
    row: anyPhoto,
    run: ({ ctx, actor, params }) => service.deleteAnyPhoto(ctx, actor, params.photoId),
  }),
]

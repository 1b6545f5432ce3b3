import { organizationOfCode } from '#domains/qr-codes/index.ts'
import { getSetting, LARGEST_UPLOAD } from '#domains/settings/index.ts'
import { dual, type DualAccess, endpoint, org, type RowOf } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'
import { ById, InOrg } from '#http/schema.ts'

import {
  AddPhoto,
  ByCode,
  ByOrg,
  PhotoPage,
  PhotosOfCodeQuery,
  PhotosOfOrgQuery,
  PhotosQuery,
  PhotoView,
} from './album.model.ts'
import { PHOTO_BUDGET } from './album.rules.ts'
import * as service from './album.service.ts'
import { organizationOfPhoto, versionOfPhoto } from './album.store.ts'

const tag = 'Album'
const photo: RowOf<DualAccess, typeof ById> = {
  version: versionOfPhoto,
  view: PhotoView,
  show: ({ ctx, owner, params }) => service.getPhoto(ctx, owner, params.id),
}
const order = 'Latest first by `takenAt`, or by `createdAt` for photos without that time, unless `sort` is given.'

export const albumEndpoints = [
  endpoint({
    id: 'album.list',
    method: 'GET',
    path: '/api/album',
    summary: 'List album photos',
    description: `Your personal photos, or with \`orgId\` those of that organization. ${order}`,
    tag,
    access: dual('album:read'),
    query: PhotosQuery,
    data: PhotoPage,
    run: ({ ctx, owner, query }) => service.listPhotos(ctx, owner, query),
  }),
  endpoint({
    id: 'album.add',
    method: 'POST',
    path: '/api/album',
    summary: 'Add a photo to the album',
    description:
      'Send the id of an upload, or the image itself in the field `file` of a form. The image of a photo never changes; clients that ' +
      'synchronize can change the rest. Time and position come from the EXIF data of the upload if you give none.',
    tag,
    access: dual('album:create'),
    query: InOrg,
    body: AddPhoto,
    acceptsFile: { maxBytes: (ctx) => getSetting(ctx, 'upload.maxBytes'), required: false, insteadOf: 'fileId' },
    maxBody: LARGEST_UPLOAD + FORM_OVERHEAD,
    data: PhotoView,
    budgets: [PHOTO_BUDGET],
    refuses: {
      404: 'The organization does not exist.',
      415: 'The file is not an image of an accepted type, or cannot be decoded.',
    },
    run: ({ ctx, owner, body, upload }) => service.addPhoto(ctx, owner, body, upload),
  }),
  endpoint({
    id: 'album.listOfCode',
    method: 'GET',
    path: '/api/album/qr-code/:qrCodeId',
    summary: 'List the album photos of a QR code',
    description: order,
    tag,
    access: dual('album:read', organizationOfCode),
    params: ByCode,
    query: PhotosOfCodeQuery,
    data: PhotoPage,
    run: ({ ctx, owner, params, query }) => service.listPhotosOfCode(ctx, owner, params.qrCodeId, query),
  }),
  endpoint({
    id: 'album.listOfOrg',
    method: 'GET',
    path: '/api/album/org/:orgId',
    summary: 'List the album photos of an organization',
    description: `Shared copies and photos that members added. ${order}`,
    tag,
    access: org('album:read'),
    params: ByOrg,
    query: PhotosOfOrgQuery,
    data: PhotoPage,
    run: ({ ctx, actor, params, query }) =>
      service.listPhotos(ctx, { userId: actor.userId, orgId: params.orgId }, query),
  }),
  endpoint({
    id: 'album.get',
    method: 'GET',
    path: '/api/album/:id',
    summary: 'Get an album photo',
    tag,
    access: dual('album:read', organizationOfPhoto),
    params: ById,
    query: InOrg,
    data: PhotoView,
    run: ({ ctx, owner, params }) => service.getPhoto(ctx, owner, params.id),
  }),
  endpoint({
    id: 'album.delete',
    method: 'DELETE',
    path: '/api/album/:id',
    summary: 'Delete an album photo',
    description: 'Permanently deletes the photo and its file. Copies that were shared with organizations stay.',
    tag,
    access: dual('album:delete', organizationOfPhoto),
    params: ById,
    query: InOrg,
    row: photo,
    run: ({ ctx, owner, params }) => service.deletePhoto(ctx, owner, params.id),
  }),
]

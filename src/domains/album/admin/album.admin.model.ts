import { keywordFilter, ownerFields, ownerFilters } from '#domains/admin/index.ts'
import { Id, Model, PageOf, PageQuery, Sort, type Static, Type } from '#http/schema.ts'

import { PhotoView } from '../album.model.ts'

export const AdminPhotosQuery = PageQuery({
  qrCodeId: Type.Optional(Id),
  ...keywordFilter('name, address and the texts of the watermark'),
  ...ownerFilters,
  sort: Sort(['createdAt']),
})
export type AdminPhotosQuery = Static<typeof AdminPhotosQuery>

export const AdminPhotoView = Model('AdminAlbumPhoto', { ...PhotoView.properties, ...ownerFields })
export type AdminPhotoView = Static<typeof AdminPhotoView>
export const AdminPhotoPage = PageOf(AdminPhotoView)

export const ByPhoto = Type.Object({ photoId: Id })

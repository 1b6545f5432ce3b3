import { and, eq, ne } from 'drizzle-orm'

import { albumPhotos } from '#db/schema/album.ts'
import type { AdminList } from '#domains/admin/index.ts'

import { keywordMatches, type PhotoRow, photosWithFiles } from '../album.store.ts'
import type { AdminPhotosQuery } from './album.admin.model.ts'

/** The photos that pass the filters. An organization's photos, those of a code and a time have indexes, a user's photos have none. */
export const filteredPhotos = (query: AdminPhotosQuery): AdminList<PhotoRow> => {
  const { qrCodeId, keyword, userId, orgId, sort } = query
  return {
    table: albumPhotos,
    scope: and(
      qrCodeId === undefined ? undefined : eq(albumPhotos.qrCodeId, qrCodeId),
      // The literal 0 lets the planner use the partial index.
      orgId === undefined ? undefined : and(eq(albumPhotos.orgId, orgId), ne(albumPhotos.orgId, 0).inlineParams()),
    ),
    period: query,
    where: and(
      userId === undefined ? undefined : eq(albumPhotos.userId, userId),
      keyword ? keywordMatches(keyword) : undefined,
    ),
    order: [albumPhotos.createdAt, albumPhotos.id],
    isReversed: sort !== 'createdAt',
    select: photosWithFiles,
  }
}

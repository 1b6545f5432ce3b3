import { and, eq } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { albumPhotos } from '#db/schema/album.ts'
import { files } from '#db/schema/files.ts'
import type { Tx } from '#db/store.ts'

/** The user's own photos, at most `limit`, each with the id of its file. */
export const personalPhotos = (tx: Tx, userId: number, limit: number) =>
  tx
    .select({ id: albumPhotos.id, fileId: files.id })
    .from(albumPhotos)
    .leftJoin(files, and(eq(files.entityType, 'PHOTO'), eq(files.entityId, albumPhotos.id)))
    .where(and(eq(albumPhotos.userId, userId), eq(albumPhotos.orgId, 0).inlineParams()))
    .limit(limit)

export const photoAreas: readonly DataArea[] = [
  tableArea({
    name: 'photos',
    title: { en: 'Photos', zh: '照片' },
    from: albumPhotos,
    joins: [{ table: files, on: and(eq(files.entityType, 'PHOTO'), eq(files.entityId, albumPhotos.id))! }],
    columns: {
      id: albumPhotos.id,
      fileId: files.id,
      orgId: albumPhotos.orgId,
      qrCodeId: albumPhotos.qrCodeId,
      takenAt: albumPhotos.takenAt,
      latitude: albumPhotos.latitude,
      longitude: albumPhotos.longitude,
      address: albumPhotos.address,
      watermark: albumPhotos.watermark,
      createdAt: albumPhotos.createdAt,
      updatedAt: albumPhotos.updatedAt,
    },
    where: (userId) => eq(albumPhotos.userId, userId),
    key: [albumPhotos.createdAt, albumPhotos.id],
    show: (row) => ({ ...row, orgId: row['orgId'] || null }),
  }),
]

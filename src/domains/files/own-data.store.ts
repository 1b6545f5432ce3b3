import { and, asc, eq, gt, inArray, sum } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { blobs, files } from '#db/schema/files.ts'
import type { Db } from '#db/store.ts'
import { safeFileName } from '#lib/file-name.ts'

/** Where the bytes of a file are in the archive. */
const pathOf = (id: number, name: string): string => `files/${safeFileName(`${id}-${name}`)}`

export const fileAreas: readonly DataArea[] = [
  tableArea({
    name: 'files',
    title: { en: 'Files', zh: '文件' },
    from: files,
    columns: {
      id: files.id,
      orgId: files.orgId,
      type: files.type,
      name: files.name,
      mime: files.mime,
      size: files.size,
      width: files.width,
      height: files.height,
      entityType: files.entityType,
      entityId: files.entityId,
      capture: files.capture,
      path: files.name,
      createdAt: files.createdAt,
    },
    where: (userId) => eq(files.uploaderId, userId),
    key: [files.orgId, files.id],
    show: (row) => ({
      ...row,
      orgId: row['orgId'] || null,
      path: pathOf(row['id'] as number, row['name'] as string),
    }),
  }),
]

/** The files that the user uploaded, in the order of their ids. `key` is that of their bytes. */
export async function bytesOfUploads(db: Db, userId: number, afterId: number, limit: number) {
  const rows = await db
    .select({ id: files.id, name: files.name, size: files.size, key: blobs.key })
    .from(files)
    .innerJoin(blobs, eq(blobs.id, files.blobId))
    .where(and(eq(files.uploaderId, userId), gt(files.id, afterId)))
    .orderBy(asc(files.id))
    .limit(limit)
  return rows.map(({ id, name, size, key }) => ({ id, path: pathOf(id, name), size, key }))
}

/** Their bytes together. */
export async function sizeOfUploads(db: Db, userId: number): Promise<number> {
  const [row] = await db
    .select({ bytes: sum(files.size) })
    .from(files)
    .where(eq(files.uploaderId, userId))
  return Number(row?.bytes ?? 0)
}

export type ArchiveFile = Awaited<ReturnType<typeof bytesOfFiles>>[number]

/** Files of any owner, as `bytesOfUploads`. Callers check whether the user may see them. */
export async function bytesOfFiles(db: Db, ids: readonly number[]) {
  const rows = await db
    .select({ id: files.id, name: files.name, size: files.size, key: blobs.key })
    .from(files)
    .innerJoin(blobs, eq(blobs.id, files.blobId))
    .where(inArray(files.id, [...ids]))
  return rows.map(({ id, name, size, key }) => ({ id, name, path: pathOf(id, name), size, key }))
}

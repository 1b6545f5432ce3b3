import { and, count, eq, inArray, ne, sum } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { messageFiles } from '#db/schema/chat.ts'
import { files } from '#db/schema/files.ts'
import type { Db } from '#db/store.ts'
import type { AdminList } from '#domains/admin/index.ts'

import { type FileRow, filesWithHashes } from '../files.store.ts'
import type { AdminFilesQuery } from './files.admin.model.ts'

/**
 * The files that pass the filters. Those of a user, an organization or a thing are found by indexes and then sorted; among other conditions
 * the order is followed instead, so that a search never sorts.
 */
export function filteredFiles(query: AdminFilesQuery): AdminList<FileRow> {
  const { type, entityType, entityId, keyword, userId, orgId, sort } = query
  const isThing = entityType !== undefined && entityId !== undefined
  const indexed = and(
    userId === undefined ? undefined : eq(files.uploaderId, userId),
    // The literal 0 lets the planner use the partial index.
    orgId === undefined ? undefined : and(eq(files.orgId, orgId), ne(files.orgId, 0).inlineParams()),
    isThing ? and(eq(files.entityType, entityType), eq(files.entityId, entityId)) : undefined,
  )
  const others = and(
    type === undefined ? undefined : eq(files.type, type),
    entityType === undefined || isThing ? undefined : eq(files.entityType, entityType),
    entityId === undefined || isThing ? undefined : eq(files.entityId, entityId),
    keyword ? contains(files.name, keyword) : undefined,
  )
  return {
    table: files,
    scope: others === undefined ? indexed : undefined,
    period: query,
    where: others && and(indexed, others),
    order: [files.createdAt, files.id],
    isReversed: sort !== 'createdAt',
    select: filesWithHashes,
  }
}

/** The number of messages that have each of the files. */
export async function countMessages(db: Db, fileIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (fileIds.length === 0) return new Map()
  const rows = await db
    .select({ fileId: messageFiles.fileId, n: count() })
    .from(messageFiles)
    .where(inArray(messageFiles.fileId, [...fileIds]))
    .groupBy(messageFiles.fileId)
  return new Map(rows.map((row) => [row.fileId, row.n]))
}

/** Reads all files. */
export const sumByType = (db: Db) =>
  db
    .select({ type: files.type, count: count(), bytes: sum(files.size).mapWith(Number) })
    .from(files)
    .groupBy(files.type)

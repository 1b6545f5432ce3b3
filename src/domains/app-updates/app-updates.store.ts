import { and, count, desc, eq, exists, isNull, sql } from 'drizzle-orm'

import { type Page, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { appPackages, appUpdates, publisherKeys } from '#db/schema/app-updates.ts'
import { blobs } from '#db/schema/files.ts'
import type { Db, Tx } from '#db/store.ts'

import type { AppUpdatesQuery } from './app-updates.model.ts'
import type { Publication } from './app-updates.rules.ts'

const p = sql.placeholder

const activeKey = prepared((db) =>
  db
    .select({ id: publisherKeys.id })
    .from(publisherKeys)
    .where(and(eq(publisherKeys.keyHash, p('keyHash')), isNull(publisherKeys.revokedAt))),
)

/** Undefined if there is no such key or it was revoked. Not cached: the command line revokes keys while the server runs. */
export async function findActiveKey(db: Db | Tx, keyHash: string): Promise<number | undefined> {
  return (await activeKey(db, { keyHash }))[0]?.id
}

export interface PackageRow {
  readonly id: number
  readonly fileName: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
  /** In the blob store. */
  readonly key: string
}

const packageFields = {
  id: appPackages.id,
  fileName: appPackages.fileName,
  size: blobs.size,
  sha256: blobs.sha256,
  key: blobs.key,
}

const packageByName = prepared((db) =>
  db
    .select(packageFields)
    .from(appPackages)
    .innerJoin(blobs, eq(blobs.id, appPackages.blobId))
    .where(eq(appPackages.fileName, p('fileName'))),
)

export async function findPackage(db: Db | Tx, fileName: string): Promise<PackageRow | undefined> {
  return (await packageByName(db, { fileName }))[0]
}

const publishedPackage = prepared((db) =>
  db
    .select(packageFields)
    .from(appPackages)
    .innerJoin(blobs, eq(blobs.id, appPackages.blobId))
    .where(
      and(
        eq(appPackages.fileName, p('fileName')),
        exists(db.select({ id: appUpdates.id }).from(appUpdates).where(eq(appUpdates.packageId, appPackages.id))),
      ),
    ),
)

/** Undefined if there is no such package or no version with it was published. */
export async function findPublishedPackage(db: Db, fileName: string): Promise<PackageRow | undefined> {
  return (await publishedPackage(db, { fileName }))[0]
}

/** Returns false and adds no row if the name is taken. */
export async function insertPackage(tx: Tx, fileName: string, blobId: number): Promise<boolean> {
  const rows = await tx
    .insert(appPackages)
    .values({ fileName, blobId, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning({ id: appPackages.id })
  return rows.length > 0
}

export interface AppUpdateRow extends Publication {
  readonly id: number
  readonly releaseNotesHtml: string
  readonly fileName: string
  readonly size: number
  readonly sha256: string
  readonly createdAt: number
}

const fields = {
  id: appUpdates.id,
  versionCode: appUpdates.versionCode,
  versionName: appUpdates.versionName,
  packageId: appUpdates.packageId,
  releaseNotes: appUpdates.releaseNotes,
  releaseNotesHtml: appUpdates.releaseNotesHtml,
  isMajor: appUpdates.isMajor,
  forceUpdate: appUpdates.forceUpdate,
  createdAt: appUpdates.createdAt,
  fileName: appPackages.fileName,
  size: blobs.size,
  sha256: blobs.sha256,
}

const newest = prepared((db) =>
  db
    .select(fields)
    .from(appUpdates)
    .innerJoin(appPackages, eq(appPackages.id, appUpdates.packageId))
    .innerJoin(blobs, eq(blobs.id, appPackages.blobId))
    .orderBy(desc(appUpdates.versionCode))
    .limit(p('limit')),
)

/** Newest first: the version codes of later publications are greater. */
export const listNewest = (db: Db | Tx, limit: number): Promise<AppUpdateRow[]> => newest(db, { limit })

const updateByVersion = prepared((db) =>
  db
    .select(fields)
    .from(appUpdates)
    .innerJoin(appPackages, eq(appPackages.id, appUpdates.packageId))
    .innerJoin(blobs, eq(blobs.id, appPackages.blobId))
    .where(eq(appUpdates.versionCode, p('versionCode'))),
)

export async function findUpdate(tx: Tx, versionCode: number): Promise<AppUpdateRow | undefined> {
  return (await updateByVersion(tx, { versionCode }))[0]
}

/** Newest first. */
export const updatesPage = (db: Db, query: AppUpdatesQuery): Promise<Page<AppUpdateRow>> =>
  pageOfQuery(
    query,
    db
      .select(fields)
      .from(appUpdates)
      .innerJoin(appPackages, eq(appPackages.id, appUpdates.packageId))
      .innerJoin(blobs, eq(blobs.id, appPackages.blobId))
      .orderBy(desc(appUpdates.versionCode)),
    db.select({ n: count() }).from(appUpdates),
  )

export type NewUpdate = Publication & {
  readonly releaseNotesHtml: string
  readonly publishedBy: number | null
  readonly publisherKeyId: number | null
}

export async function insertUpdate(tx: Tx, update: NewUpdate): Promise<void> {
  await tx.insert(appUpdates).values({ ...update, createdAt: tx.stamp })
}

import { and, count, eq, inArray, isNull, lt, lte, notInArray, or, type SQL, sql, sum } from 'drizzle-orm'

import type { Select } from '#db/list-order.ts'
import { pagedTable } from '#db/lists.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { users } from '#db/schema/accounts.ts'
import { blobs, type Capture, type FileEntity, files, type FileType, storageUsage } from '#db/schema/files.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import type { StorageQuota, StorageUse } from './files.rules.ts'

export interface FileRow {
  readonly id: number
  readonly uploaderId: number
  readonly orgId: number
  readonly type: FileType
  readonly name: string
  readonly mime: string
  readonly size: number
  readonly width: number | null
  readonly height: number | null
  readonly durationMs: number | null
  readonly sha256: string
  readonly blobId: number
  readonly thumbnailBlobId: number | null
  readonly entityType: FileEntity | null
  readonly entityId: number | null
  readonly publicKey: string | null
  readonly capture: Capture | null
  readonly createdAt: number
}

/** For other domains' queries that join the file of a thing. */
export const fileColumns = {
  id: files.id,
  uploaderId: files.uploaderId,
  orgId: files.orgId,
  type: files.type,
  name: files.name,
  mime: files.mime,
  size: files.size,
  width: files.width,
  height: files.height,
  durationMs: files.durationMs,
  sha256: blobs.sha256,
  blobId: files.blobId,
  thumbnailBlobId: files.thumbnailBlobId,
  entityType: files.entityType,
  entityId: files.entityId,
  publicKey: files.publicKey,
  capture: files.capture,
  createdAt: files.createdAt,
}

export const filesWithHashes = (db: Pick<Builders, 'select'>) =>
  db
    .select(fileColumns)
    .from(files)
    .innerJoin(blobs, eq(blobs.id, files.blobId))
    .$dynamic() as unknown as Select<FileRow>

const listed = pagedTable(files, ['id', 'createdAt'])

/** All owners' files, for the console. */
export const allFiles = listed.list({
  owner: [],
  total: 'files.all',
  orders: { createdAt: ['createdAt', 'id'] },
  sort: '-createdAt',
  select: filesWithHashes,
})

/** A file of any owner. Callers check whether the user may see it. */
export async function findFile(db: Db | Tx, id: number): Promise<FileRow | undefined> {
  return (await filesWithHashes(db).where(eq(files.id, id)))[0]
}

const FILES_PER_QUERY = 1000

/** Files of any owner, in no particular order. Callers check whether the user may see them. */
export async function findFiles(db: Db | Tx, ids: readonly number[]): Promise<FileRow[]> {
  const rows: FileRow[] = []
  for (let i = 0; i < ids.length; i += FILES_PER_QUERY)
    rows.push(...(await filesWithHashes(db).where(inArray(files.id, ids.slice(i, i + FILES_PER_QUERY)))))
  return rows
}

export type NewFile = Omit<FileRow, 'id' | 'sha256' | 'createdAt'> & { readonly requestId: string | null }

/** Callers of files with a `requestId` look for the first file in the same write (`findByRequest`). */
export async function insertFile(tx: Tx, file: NewFile): Promise<number> {
  const rows = await tx
    .insert(files)
    .values({ ...file, createdAt: tx.stamp })
    .returning(listed.columns)
  listed.inserted(tx, rows[0]!)
  return rows[0]!.id
}

/** The file of a request that is repeated. */
export async function findByRequest(db: Db | Tx, uploaderId: number, requestId: string): Promise<FileRow | undefined> {
  return (await filesWithHashes(db).where(and(eq(files.uploaderId, uploaderId), eq(files.requestId, requestId))))[0]
}

export interface Attachment {
  readonly entityType: FileEntity
  readonly entityId: number
  readonly publicKey: string | null
}

/** Gives a file to a thing. False if there is no such file or it belongs to something. */
export async function attach(tx: Tx, id: number, to: Attachment): Promise<boolean> {
  const rows = await tx
    .update(files)
    // The place where a photo was taken is kept only until the photo is used.
    .set({ ...to, capture: null })
    .where(and(eq(files.id, id), isNull(files.entityType)))
    .returning({ id: files.id })
  return rows.length > 0
}

/** Gives a file another public key, or none. */
export async function setPublicKey(tx: Tx, id: number, publicKey: string | null): Promise<void> {
  await tx.update(files).set({ publicKey }).where(eq(files.id, id))
}

const DELETED = {
  ...listed.columns,
  uploaderId: files.uploaderId,
  orgId: files.orgId,
  size: files.size,
  blobId: files.blobId,
  thumbnailBlobId: files.thumbnailBlobId,
}
/** The facts of a deleted row by which its storage and bytes are released. */
export type DeletedFile = Pick<FileRow, keyof typeof DELETED>

/** Undefined if there is no such file, or no unused one; of several concurrent calls, one gets it. */
export async function deleteFile(tx: Tx, id: number, which?: 'unused'): Promise<DeletedFile | undefined> {
  const rows = await tx
    .delete(files)
    .where(and(eq(files.id, id), which && isNull(files.entityType)))
    .returning(DELETED)
  for (const row of rows) listed.deleted(tx, row)
  return rows[0]
}

/** Files of any owners, whatever uses them; of several concurrent calls, one gets each. */
export async function deleteFiles(tx: Tx, ids: readonly number[]) {
  const { name, type, mime, entityType, entityId, publicKey } = files
  const rows = await tx
    .delete(files)
    .where(inArray(files.id, [...ids]))
    .returning({ ...DELETED, name, type, mime, entityType, entityId, publicKey })
  for (const row of rows) listed.deleted(tx, row)
  return rows
}

/** The second condition is that of the index, which SQLite does not use if its 0 is a parameter. */
const isOfOrg = (orgId: number) => and(eq(files.orgId, orgId), sql`${files.orgId} <> 0`)

async function deleteWhere(tx: Tx, where: SQL | undefined): Promise<DeletedFile[]> {
  const rows = await tx.delete(files).where(where).returning(DELETED)
  for (const row of rows) listed.deleted(tx, row)
  return rows
}

/** Deletes the avatar of a user or of an organization. */
export const deleteAvatar = (tx: Tx, owner: OwnerKey): Promise<DeletedFile[]> =>
  deleteWhere(tx, and(eq(files.entityType, owner < 0 ? 'USER' : 'ORG'), eq(files.entityId, Math.abs(owner))))

/** Deletes at most `limit` files that belong to nothing, of a user or of an organization. */
export function deleteSomeUnused(tx: Tx, owner: OwnerKey, limit: number): Promise<DeletedFile[]> {
  const owned = owner < 0 ? eq(files.uploaderId, -owner) : isOfOrg(owner)
  return deleteWhere(tx, isAmongFirst(tx, files, { where: and(owned, isNull(files.entityType)), limit }))
}

/** Deletes at most `limit` files of a user, but those of messages and groups, and covers of activities, which are deleted with these. */
export function deleteSomePersonal(tx: Tx, userId: number, limit: number): Promise<DeletedFile[]> {
  const isOther = or(isNull(files.entityType), notInArray(files.entityType, ['MESSAGE', 'GROUP', 'ACTIVITY']))
  const where = and(eq(files.uploaderId, userId), eq(files.orgId, 0), isOther)
  return deleteWhere(tx, isAmongFirst(tx, files, { where, limit }))
}

/**
 * Files of an organization that things in it have. Its own avatar does not count, nor metadata values, photos of inventories and
 * pictures of designs, which end with it.
 */
export async function countUsedByOrg(db: Db | Tx, orgId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(files)
    .where(and(isOfOrg(orgId), notInArray(files.entityType, ['ORG', 'INVENTORY', 'META_VALUE', 'QR_DESIGN'])))
  return row!.n
}

export async function hasUploaded(db: Db | Tx, userId: number): Promise<boolean> {
  const rows = await db.select({ id: files.id }).from(files).where(eq(files.uploaderId, userId)).limit(1)
  return rows.length > 0
}

/**
 * Whether the user can still own files: while a file was on its way, or waited to be decoded, the account and the organization may
 * have ended, and the user may have left the organization.
 */
export async function existsOwner(tx: Tx, { userId, orgId }: Owner): Promise<boolean> {
  const user = tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), eq(users.status, 'ACTIVE')))
  if ((await user).length === 0) return false
  if (orgId === 0) return true
  const member = tx
    .select({ userId: orgMembers.userId })
    .from(orgMembers)
    .where(and(eq(orgMembers.orgId, orgId), eq(orgMembers.userId, userId)))
  return (await member).length > 0 && isWritable(tx, orgId)
}

/** Whether files can be added to or deleted from an organization: it exists and is not disabled. 0 stands for none. */
export async function isWritable(tx: Tx, orgId: number): Promise<boolean> {
  if (orgId === 0) return true
  const org = tx.select({ id: organizations.id }).from(organizations)
  return (await org.where(and(eq(organizations.id, orgId), eq(organizations.status, 'ACTIVE')))).length > 0
}

/** The columns that count the storage of an owner: personal files count for the user, others for the organization only. */
const usageOf = ({ userId, orgId }: Owner) => ({ userId: orgId === 0 ? userId : 0, orgId })

const isUsageOf = (owner: Owner) => {
  const { userId, orgId } = usageOf(owner)
  return and(eq(storageUsage.userId, userId), eq(storageUsage.orgId, orgId))
}

const limitOf = (quota: number): number => (quota === 0 ? Number.MAX_SAFE_INTEGER : quota)

/** Adds a file of `bytes` to the storage of the owner, unless that would exceed the quota. Returns whether it did. */
export async function chargeStorage(tx: Tx, owner: Owner, bytes: number, quota: StorageQuota): Promise<boolean> {
  const max = limitOf(quota.bytes)
  if (bytes > max) return false
  const rows = await tx
    .insert(storageUsage)
    .values({ ...usageOf(owner), bytes, files: 1 })
    .onConflictDoUpdate({
      target: [storageUsage.userId, storageUsage.orgId],
      set: { bytes: sql`${storageUsage.bytes} + ${bytes}`, files: sql`${storageUsage.files} + 1` },
      setWhere: and(lte(storageUsage.bytes, max - bytes), lt(storageUsage.files, limitOf(quota.files))),
    })
    .returning({ bytes: storageUsage.bytes })
  return rows.length > 0
}

/** Takes files of `bytes` together off the storage of the owner. */
export async function refundStorage(tx: Tx, owner: Owner, bytes: number, count = 1): Promise<void> {
  await tx
    .update(storageUsage)
    .set({ bytes: sql`${storageUsage.bytes} - ${bytes}`, files: sql`${storageUsage.files} - ${count}` })
    .where(isUsageOf(owner))
}

/** The files of an owner, with those that uploads under way reserve. */
export async function storageUse(db: Db, owner: Owner): Promise<StorageUse> {
  const rows = await db
    .select({ bytes: storageUsage.bytes, files: storageUsage.files })
    .from(storageUsage)
    .where(isUsageOf(owner))
  return rows[0] ?? { bytes: 0, files: 0 }
}

/** All files, with those that uploads under way reserve. Reads a row for each owner. */
export async function storedFiles(db: Db): Promise<{ readonly count: number; readonly bytes: number }> {
  const [row] = await db
    .select({ count: sum(storageUsage.files).mapWith(Number), bytes: sum(storageUsage.bytes).mapWith(Number) })
    .from(storageUsage)
  return { count: row!.count ?? 0, bytes: row!.bytes ?? 0 }
}

/** Bytes. */
export const usedStorage = async (db: Db, owner: Owner): Promise<number> => (await storageUse(db, owner)).bytes

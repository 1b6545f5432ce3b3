/** Decisions about the types of files, and about quotas. Pure. */

import type { FileType } from '#db/schema/files.ts'
import type { OrgPoint } from '#permission-points'

/** The points of which a member needs one to upload files for the organization. Files of the other types are personal. */
const ORG_POINTS: Readonly<Partial<Record<FileType, readonly OrgPoint[]>>> = {
  album: ['album:create'],
  activity: ['activity:create', 'activity:update'],
  // Also photos of inventories, which members take who may only scan.
  asset: ['asset:create', 'asset:update', 'inventory:scan'],
  qr_code: ['qr_code:create', 'qr_code:update'],
  org: ['org:update'],
}

/** The points of which one is needed to delete what others have uploaded and nothing uses yet: ids ascend, so everybody could guess them. */
const CLEARING: Readonly<Partial<Record<FileType, readonly OrgPoint[]>>> = {
  album: ['album:delete'],
  activity: ['activity:delete', 'activity:update'],
  asset: ['asset:delete', 'asset:update'],
  qr_code: ['qr_code:delete'],
  org: ['org:delete', 'org:update'],
}

export const pointsToClear = (type: FileType): readonly OrgPoint[] => CLEARING[type] ?? []

/** Undefined if files of this type cannot belong to an organization. */
export const orgPointsFor = (type: FileType): readonly OrgPoint[] | undefined => ORG_POINTS[type]

const HEIC = 'image/heic'
const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', HEIC])

/**
 * Whether bytes of this media type may be uploaded as a file of this type. `others`: the setting `upload.types`. HEIC is stored as JPEG;
 * the setting `upload.heic` is asked when it is decoded.
 */
export const isAcceptedAs = (type: FileType, mime: string, others: readonly string[]): boolean =>
  type === 'asset' || type === 'other' ? others.includes(mime === HEIC ? 'image/jpeg' : mime) : IMAGES.has(mime)

/** Of a user or an organization. */
export interface StorageUse {
  readonly bytes: number
  readonly files: number
}

/** The most that a user or an organization may store; 0 = unlimited. */
export type StorageQuota = StorageUse

/** Whether no further file fits, however small. `reserved`: bytes that `used` already contains for the file. */
export function isUsedUp(used: StorageUse, quota: StorageQuota, reserved?: number): boolean {
  const [bytes, files] = reserved === undefined ? [used.bytes, used.files] : [used.bytes - reserved, used.files - 1]
  return (quota.bytes > 0 && bytes >= quota.bytes) || (quota.files > 0 && files >= quota.files)
}

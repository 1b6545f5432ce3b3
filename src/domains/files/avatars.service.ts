/** The picture of a user or an organization: an address that the client gives, or an uploaded image that everyone may see. */

import type { AppContext } from '#context'
import type { FileEntity, FileType } from '#db/schema/files.ts'
import type { Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import { idsOfEntity, setOrganization } from './avatars.store.ts'
import type { StorageQuota } from './files.rules.ts'
import { attachFile, charge, releaseFile } from './files.service.ts'
import { findFile, refundStorage } from './files.store.ts'
import { avatarUrl, publicImagePath } from './files.view.ts'

/** The fields of the request. The file counts if both are given. */
export interface AvatarChange {
  /** Null clears the picture, whichever kind it is. */
  readonly avatarFileId?: number | null
  /** Null or an empty text clears the picture. */
  readonly avatarUrl?: string | null
}

export interface AvatarOf {
  readonly type: FileType
  readonly entityType: Extract<FileEntity, 'USER' | 'ORG'>
  readonly entityId: number
}

/**
 * Attaches and releases files as the change demands. `stored` is the column `avatar` of the user or organization; the result is its new
 * value, or undefined if it stays. @throws AppError 400 if the file cannot be used
 */
export async function changeAvatar(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  stored: string | null,
  change: AvatarChange,
  of: AvatarOf,
): Promise<string | null | undefined> {
  const { avatarFileId } = change
  if (avatarFileId != null) {
    const old = await idsOfEntity(tx, of.entityType, of.entityId)
    if (old.includes(avatarFileId)) return undefined
    const file = await attachFile(tx, owner, avatarFileId, { ...of, isPublic: true, path: 'body.avatarFileId' })
    for (const id of old) await releaseFile(ctx, tx, id)
    return publicImagePath(file.publicKey!)
  }
  if (avatarFileId === undefined && change.avatarUrl === undefined) return undefined
  const given = change.avatarUrl || null
  // A client that changes another field sends the address of the last answer again.
  if (given !== null && given === avatarUrl(ctx, stored)) return undefined
  for (const id of await idsOfEntity(tx, of.entityType, of.entityId)) await releaseFile(ctx, tx, id)
  return given
}

/** Makes a file of a user one of an organization, whose storage it then takes. @throws AppError 429 if the quota does not allow it */
export async function giveToOrganization(tx: Tx, fileId: number, orgId: number, quota: StorageQuota): Promise<void> {
  const file = (await findFile(tx, fileId))!
  await charge(tx, { userId: file.uploaderId, orgId }, file.size, quota)
  await refundStorage(tx, { userId: file.uploaderId, orgId: file.orgId }, file.size)
  await setOrganization(tx, fileId, orgId)
}

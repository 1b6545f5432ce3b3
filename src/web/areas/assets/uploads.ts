/** Uploads of files for assets: photos and files of fields. */

import { uploadFile as upload } from '../../api/upload-file.ts'
import type { FileItem } from './fields/model.ts'

/** Uploads a file for an owner. @param onProgress takes the fraction that was sent, from 0 to 1 */
export async function uploadFile(
  file: File,
  owner: { readonly orgId?: number },
  onProgress: (fraction: number) => void,
): Promise<FileItem> {
  const stored = await upload(file, { type: 'asset', ...owner, onProgress })
  const { id, name, mime, size, url, thumbnailUrl } = stored
  return { fileId: id, name, mime, size, url, thumbnailUrl }
}

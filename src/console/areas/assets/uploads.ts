/** Uploads of files for assets: photos and files of fields. */

import { upload } from '../../api/client.ts'
import type { UploadedFile } from '../../api/types.ts'
import { ownerQuery } from '../../session/session.ts'
import type { FileItem } from './fields/model.ts'

/** Uploads a file for the workspace. @param onProgress takes the fraction that was sent, from 0 to 1 */
export async function uploadFile(file: File, onProgress: (fraction: number) => void): Promise<FileItem> {
  const form = new FormData()
  form.set('type', 'asset')
  form.set('file', file, file.name)
  const stored = (await upload('files.upload', { query: ownerQuery(), form, onProgress })) as UploadedFile
  const { id, name, mime, size, url, thumbnailUrl } = stored
  return { fileId: id, name, mime, size, url, thumbnailUrl }
}

/** Uploads of files, of which an answer that was lost leaves no second copy on the server. */

import { upload } from './client.ts'
import { newId } from './new-id.ts'
import type { UploadedFile } from './types.ts'

export type FileType = 'avatar' | 'album' | 'asset' | 'qr_code' | 'activity' | 'org' | 'other'

export interface UploadSettings {
  type: FileType
  /** The organization that owns the file; by default the user. */
  orgId?: number | undefined
  /** Takes the fraction that was sent, from 0 to 1. */
  onProgress?: (fraction: number) => void
  /** By default the same one when the same file is uploaded again because no answer came. */
  requestId?: string
  signal?: AbortSignal
}

/** Request ids of uploads that have not been answered, by type, owner and file. */
const unanswered = new Map<string, string>()

/** @throws ApiError */
export async function uploadFile(
  file: File,
  { type, orgId, onProgress, requestId, signal }: UploadSettings,
): Promise<UploadedFile> {
  const key = JSON.stringify([type, orgId, file.name, file.size, file.lastModified])
  const id = requestId ?? unanswered.get(key) ?? newId()
  unanswered.set(key, id)
  const form = new FormData()
  form.set('type', type)
  form.set('requestId', id)
  form.set('file', file, file.name)
  const query = orgId === undefined ? {} : { orgId }
  const settings = { ...(onProgress && { onProgress }), ...(signal && { signal }) }
  const stored = (await upload('files.upload', { query, form, ...settings })) as UploadedFile
  unanswered.delete(key)
  return stored
}

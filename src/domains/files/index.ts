/** Files: uploads, their bytes, and the things that they belong to. */

import { domain } from '#domains/domain.ts'

import { fileAdminEndpoints } from './admin/files.admin.endpoints.ts'
import { contentEndpoints } from './content/content.endpoints.ts'
import { fileEndpoints } from './files.endpoints.ts'
import { jobs } from './files.jobs.ts'
import { deleteAvatar, deleteUnused, eraseFiles } from './files.service.ts'
import { countUsedByOrg, hasUploaded, storageUse, usedStorage } from './files.store.ts'
import { fileAreas } from './own-data.store.ts'
import { checkOwnership } from './ownership.service.ts'
import { uploadEndpoints } from './uploads/uploads.endpoints.ts'
import { endUploads } from './uploads/uploads.service.ts'
import { hasAsked } from './uploads/uploads.store.ts'

export const files = domain({
  name: 'files',
  endpoints: [...uploadEndpoints, ...fileEndpoints, ...contentEndpoints, ...fileAdminEndpoints],
  jobs,
  quotaUsage: {
    storage: (ctx, owner) => usedStorage(ctx.db.read, owner),
    files: async (ctx, owner) => (await storageUse(ctx.db.read, owner)).files,
  },
  userContent: async (db, userId) => (await hasUploaded(db, userId)) || hasAsked(db, userId),
  orgResources: [{ key: 'files', name: 'files', count: countUsedByOrg }],
  on: {
    async 'user.deleting'(ctx, tx, { userId }) {
      await endUploads(ctx, tx, { userId })
      await deleteAvatar(ctx, tx, -userId)
    },
    async 'org.dissolving'(ctx, tx, { orgId }) {
      await endUploads(ctx, tx, { orgId })
      await deleteAvatar(ctx, tx, orgId)
    },
  },
  dataAreas: fileAreas,
  erase: eraseFiles,
  remains: deleteUnused,
  async start(ctx) {
    // Temporary files of a process that was killed. No other process uses the data directory.
    await ctx.staging.clear()
    const checked = checkOwnership(ctx)
    // A bucket may take seconds to answer.
    if (ctx.blobs.storage === 'LOCAL') await checked
  },
})

export { dropBytes, keepBytes, type StoredBytes, withStoredBytes } from './bytes.service.ts'
export { findBlob } from './bytes.store.ts'
export { FOREIGN_FILES, ownsFiles } from './ownership.service.ts'
export { answerContent } from './content/content.service.ts'
export type { StorageQuota } from './files.rules.ts'
export {
  attachFile,
  copyFile,
  findVisibleFile,
  mayRead,
  releaseFile,
  setPublic,
  storageQuota,
} from './files.service.ts'
export { type InsertFile, type NewUpload, storeUpload } from './storing.service.ts'
export { fileColumns, type FileRow, findByRequest, findFile, findFiles, storedFiles } from './files.store.ts'
export { avatarUrl, expiryOfUrls, isImage, publicImagePath, publicImageUrl, urlsOf } from './files.view.ts'
export { loadPixels, pictureOf } from './pixels.service.ts'
export { changeAvatar, giveToOrganization } from './avatars.service.ts'
export { type ArchiveFile, bytesOfFiles, bytesOfUploads, sizeOfUploads } from './own-data.store.ts'
export { AvatarFileId } from './files.model.ts'

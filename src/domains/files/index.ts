/** Files: uploads, their bytes, and the things that they belong to. */

import { domain } from '#domains/domain.ts'

import { usedStorage } from './bytes/store.ts'

export const files = domain({
  name: 'files',
  quotaUsage: { storage: (ctx, userId) => usedStorage(ctx.db.read, { userId, orgId: 0 }) },
})

export { dropBytes, keepBytes, type StoredBytes, withStoredBytes } from './bytes/service.ts'
export { findBlob } from './bytes/store.ts'
export { attachFile, copyFile, releaseFile, storageQuota } from './service.ts'
export { fileColumns, type FileRow, findFile } from './store.ts'
export { avatarUrl, isImage, publicImageUrl, urlsOf } from './view.ts'

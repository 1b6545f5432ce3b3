import type { AppContext } from '#context'

import { type AppUpdateView, DOWNLOAD_PATH, type PackageView, type UpdateCheck } from './app-updates.model.ts'
import type { AppUpdateRow, PackageRow } from './app-updates.store.ts'

const urlOf = (ctx: AppContext, fileName: string): string => ctx.config.publicUrl + DOWNLOAD_PATH + fileName

export const toPackageView = (ctx: AppContext, row: PackageRow): PackageView => ({
  fileName: row.fileName,
  fileSize: row.size,
  sha256: row.sha256,
  downloadUrl: urlOf(ctx, row.fileName),
})

const toVersion = (ctx: AppContext, row: AppUpdateRow) => ({
  versionCode: row.versionCode,
  versionName: row.versionName,
  downloadUrl: urlOf(ctx, row.fileName),
  fileSize: row.size,
  releaseNotes: row.releaseNotes,
  releaseNotesHtml: row.releaseNotesHtml,
  isMajor: Number(row.isMajor),
  forceUpdate: Number(row.forceUpdate),
  sha256: row.sha256,
})

export const toAppUpdateView = (ctx: AppContext, row: AppUpdateRow): AppUpdateView => ({
  id: row.id,
  ...toVersion(ctx, row),
  createdAt: row.createdAt,
})

const NOTHING: UpdateCheck = {
  hasUpdate: false,
  versionCode: null,
  versionName: null,
  downloadUrl: null,
  fileSize: null,
  releaseNotes: null,
  releaseNotesHtml: null,
  isMajor: null,
  forceUpdate: null,
  sha256: null,
}

/** `installed`: the version code of the app that asks. */
export const toUpdateCheck = (ctx: AppContext, latest: AppUpdateRow | undefined, installed: number): UpdateCheck =>
  latest === undefined ? NOTHING : { hasUpdate: latest.versionCode > installed, ...toVersion(ctx, latest) }

/** The address of a package, and whether two publications are the same. Pure. */

import { DOWNLOAD_PATH } from './app-updates.model.ts'

/** The file name in the path or address of a download. `origins`: those of this service. Undefined if it is another address. */
export function fileNameIn(downloadUrl: string, origins: readonly string[]): string | undefined {
  const origin = origins.find((known) => downloadUrl.startsWith(`${known}/`)) ?? ''
  const path = downloadUrl.slice(origin.length)
  // Anything after the name, even `..` or a query, makes it the name of no package.
  return path.startsWith(DOWNLOAD_PATH) ? path.slice(DOWNLOAD_PATH.length) : undefined
}

export interface Publication {
  readonly versionCode: number
  readonly versionName: string
  readonly packageId: number
  readonly releaseNotes: string
  readonly isMajor: boolean
  readonly forceUpdate: boolean
}

export const isSamePublication = (a: Publication, b: Publication): boolean =>
  a.versionCode === b.versionCode &&
  a.versionName === b.versionName &&
  a.packageId === b.packageId &&
  a.releaseNotes === b.releaseNotes &&
  a.isMajor === b.isMajor &&
  a.forceUpdate === b.forceUpdate

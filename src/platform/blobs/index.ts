/** Chooses the blob store by the configuration. */

import { join } from 'node:path'

import type { Config } from '#config/config.ts'
import { readStorageUrl } from '#config/storage.ts'

import { LocalBlobs } from './local.ts'
import type { BlobStore } from './port.ts'
import { S3Blobs } from './s3.ts'
import { createStaging, type Staging } from './staging.ts'

/** The folder of files on local disk. With files in S3 it contains uploads under way only. */
export const filesFolder = (config: Pick<Config, 'dataDir' | 'sharedFiles'>): string =>
  config.sharedFiles || join(config.dataDir, 'files')

export function openBlobs(config: Config): BlobStore {
  if (config.storageUrl === '') return new LocalBlobs(filesFolder(config))
  const bucket = readStorageUrl(config.storageUrl)
  if (typeof bucket === 'string') throw new TypeError(`The address of the bucket is not accepted: ${bucket}`)
  return new S3Blobs(bucket)
}

export const openStaging = (config: Config): Staging =>
  createStaging(join(filesFolder(config), '.staging'), { isShared: config.sharedFiles !== '' })

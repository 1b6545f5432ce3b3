/** Chooses the blob store by the configuration. */

import { join } from 'node:path'

import type { Config } from '#config/config.ts'

import { localBlobs } from './local.ts'
import type { BlobStore } from './port.ts'
import { createStaging, type Staging } from './staging.ts'

const filesFolder = (config: Config): string => join(config.dataDir, 'files')

export const openBlobs = (config: Config): BlobStore => localBlobs(filesFolder(config))

export const openStaging = (config: Config): Staging => createStaging(join(filesFolder(config), '.staging'))

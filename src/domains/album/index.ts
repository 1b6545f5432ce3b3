/** The photo album: photos of users and of organizations, with time, place and watermark. */

import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'
import { MINUTE } from '#platform/clock.ts'

import { albumAdminEndpoints } from './admin/album.admin.endpoints.ts'
import { albumEndpoints } from './album.endpoints.ts'
import {
  clearPurgedCodes,
  clearRemaining,
  deleteCopy,
  erasePhotos,
  eventRows,
  mayRead,
  prepareCopy,
} from './album.service.ts'
import { countOfOrg, deletePhotos, hasPhotos } from './album.store.ts'
import { photoAreas } from './own-data.store.ts'
import { photoEntity } from './sync.service.ts'

export const album = domain({
  name: 'album',
  endpoints: [...albumEndpoints, ...albumAdminEndpoints],
  jobs: [{ name: 'album.clearPurgedCodes', every: MINUTE, run: clearRemaining }],
  userContent: hasPhotos,
  orgResources: [{ key: 'albumPhotos', name: 'album photos', count: countOfOrg }],
  on: {
    'qrCodes.purging': (_ctx, tx, { ids }) => clearPurgedCodes(tx, ids),
    // A photo is nothing without its image.
    async 'files.deleted'(_ctx, tx, { files }) {
      const lost = lostBy(files, 'PHOTO')
      if (lost) await deletePhotos(tx, lost.entityIds)
    },
  },
  dataAreas: photoAreas,
  erase: erasePhotos,
  fileEntities: { PHOTO: mayRead },
  syncEntities: { albumPhoto: photoEntity },
  eventRows,
  shareable: { ALBUM_PHOTO: { prepareCopy, deleteCopy } },
})

export { AddPhoto, PhotoView } from './album.model.ts'

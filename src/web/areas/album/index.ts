/** Photos of the workspace. */

import { PhotoLibrary } from '@mui/icons-material'

import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'
import { finishUploads, stopUploadsAtSignOut, uploadsNotice } from './uploads.ts'

export const album = area({
  menu: [
    {
      group: 'things',
      to: '/album',
      label: things.album.one,
      icon: PhotoLibrary,
      needs: 'album.list',
      order: 50,
    },
  ],
  pages: [{ path: '/album', component: part(() => import('./Album.tsx')) }],
  unsent: { start: stopUploadsAtSignOut, send: finishUploads, notice: uploadsNotice },
})

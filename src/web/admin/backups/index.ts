/** Backups of the server. */

import { Backup } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

export const backups = area({
  menu: [
    {
      group: 'system',
      to: '/admin/backups',
      label: things.backup.many,
      icon: Backup,
      needs: 'backups.list',
      order: 20,
    },
  ],
  pages: [{ path: '/admin/backups', component: part(() => import('./BackupsPage.tsx')) }],
})

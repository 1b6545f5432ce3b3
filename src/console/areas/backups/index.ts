/** Backups of the server. */

import { Backup } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../area.ts'

export const backups = area({
  menu: [
    {
      group: 'system',
      to: '/admin/backups',
      label: { en: 'Backups', zh: '备份' },
      icon: Backup,
      needs: 'backups.list',
      order: 20,
    },
  ],
  pages: [{ path: '/admin/backups', component: lazy(() => import('./BackupsPage.tsx')) }],
})

/** The settings of the server. */

import { Settings } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../area.ts'

export const settings = area({
  menu: [
    {
      group: 'system',
      to: '/admin/settings',
      label: { en: 'Settings', zh: '设置' },
      icon: Settings,
      needs: 'admin.settings.list',
      order: 10,
    },
  ],
  pages: [{ path: '/admin/settings', component: lazy(() => import('./SettingsPage.tsx')) }],
})

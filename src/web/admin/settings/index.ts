/** The settings of the server. */

import { Settings } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

export const settings = area({
  menu: [
    {
      group: 'system',
      to: '/admin/settings',
      label: things.setting.many,
      icon: Settings,
      needs: 'admin.settings.list',
      order: 10,
    },
  ],
  pages: [{ path: '/admin/settings', component: lazy(() => import('./SettingsPage.tsx')) }],
})

/** The settings of the server. */

import { Settings } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

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
  pages: [{ path: '/admin/settings', component: part(() => import('./SettingsPage.tsx')) }],
})

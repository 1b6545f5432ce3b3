/** The sessions of all users, for administrators. */

import { Devices } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

export const sessionsAdmin = area({
  menu: [
    {
      group: 'people',
      to: '/admin/sessions',
      label: things.session.many,
      icon: Devices,
      needs: 'admin.sessions.list',
      order: 40,
    },
  ],
  pages: [
    { path: '/admin/sessions', component: part(() => import('./SessionList.tsx')), needs: 'admin.sessions.list' },
  ],
})

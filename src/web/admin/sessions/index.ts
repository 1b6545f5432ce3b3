/** The sessions of all users, for administrators. */

import { Devices } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

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
    { path: '/admin/sessions', component: lazy(() => import('./SessionList.tsx')), needs: 'admin.sessions.list' },
  ],
})

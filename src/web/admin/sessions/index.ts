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
  resources: [
    {
      name: 'admin/sessions',
      label: { en: 'sessions', zh: '会话' },
      operations: { list: 'admin.sessions.list' },
      list: lazy(() => import('./SessionList.tsx')),
    },
  ],
})

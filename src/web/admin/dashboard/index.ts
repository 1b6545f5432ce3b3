/** The overview for administrators. */

import { Dashboard } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const dashboard = area({
  menu: [
    {
      group: 'overview',
      to: '/admin',
      label: { en: 'Overview', zh: '概览' },
      icon: Dashboard,
      needs: 'admin.statistics.get',
      order: 10,
    },
  ],
  pages: [{ path: '/admin', component: part(() => import('./Overview.tsx')) }],
})

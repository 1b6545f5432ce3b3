/** Messages of people who found assets or scanned codes of the workspace. */

import { TravelExplore } from '@mui/icons-material'

import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'

export const found = area({
  menu: [
    {
      group: 'things',
      to: '/found',
      label: things.foundReport.many,
      icon: TravelExplore,
      needs: 'found.reports',
      badge: 'found',
      order: 60,
    },
  ],
  pages: [
    { path: '/found', component: part(() => import('./ReportList.tsx')) },
    { path: '/found/:id', component: part(() => import('./ReportPage.tsx')) },
  ],
})

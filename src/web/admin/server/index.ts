/** The parts of the server: processes, database, files, background work and limits. */

import { Dns } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const server = area({
  menu: [
    {
      group: 'system',
      to: '/admin/server',
      label: { en: 'Server', zh: '服务器' },
      icon: Dns,
      needs: 'processes.list',
      order: 45,
    },
  ],
  pages: [{ path: '/admin/server', component: part(() => import('./ServerPage.tsx')) }],
})

/** The log of the server process. */

import { Terminal } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const serverLog = area({
  menu: [
    {
      group: 'system',
      to: '/admin/server-log',
      label: { en: 'Server log', zh: '服务器日志' },
      icon: Terminal,
      needs: 'serverLog.list',
      order: 50,
    },
  ],
  pages: [{ path: '/admin/server-log', component: part(() => import('./ServerLogPage.tsx')) }],
})

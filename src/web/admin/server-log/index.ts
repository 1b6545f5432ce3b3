/** The log of the server process. */

import { Terminal } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'

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
  pages: [{ path: '/admin/server-log', component: lazy(() => import('./ServerLogPage.tsx')) }],
})

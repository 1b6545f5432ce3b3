/** The operation log: which administrator has changed what. */

import { ReceiptLong } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const operationLog = area({
  menu: [
    {
      group: 'system',
      to: '/admin/operation-log',
      label: { en: 'Operation log', zh: '操作日志' },
      icon: ReceiptLong,
      needs: 'operationLog.list',
      order: 40,
    },
  ],
  pages: [
    { path: '/admin/operation-log', component: part(() => import('./OperationLog.tsx')), needs: 'operationLog.list' },
  ],
})

/** The operation log: which administrator has changed what. */

import { ReceiptLong } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'

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
  resources: [
    {
      name: 'admin/operation-log',
      label: { en: 'operation log', zh: '操作日志' },
      operations: { list: 'operationLog.list' },
      list: lazy(() => import('./OperationLog.tsx')),
    },
  ],
})

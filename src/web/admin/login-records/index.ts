/** Sign-ins and account events of all users, for administrators. */

import { History } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

export const loginRecords = area({
  menu: [
    {
      group: 'people',
      to: '/admin/login-records',
      label: things.loginRecord.many,
      icon: History,
      needs: 'admin.loginRecords.list',
      order: 60,
    },
  ],
  resources: [
    {
      name: 'admin/login-records',
      label: { en: 'login records', zh: '登录记录' },
      operations: { list: 'admin.loginRecords.list' },
      list: lazy(() => import('./LoginRecordList.tsx')),
    },
  ],
})

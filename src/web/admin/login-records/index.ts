/** Sign-ins and account events of all users, for administrators. */

import { History } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

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
  pages: [
    {
      path: '/admin/login-records',
      component: part(() => import('./LoginRecordList.tsx')),
      needs: 'admin.loginRecords.list',
    },
  ],
})

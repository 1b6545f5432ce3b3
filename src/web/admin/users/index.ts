/** All users, for administrators. */

import { People } from '@mui/icons-material'
import { lazy } from 'react'

import type { UserAdmin } from '../../api/types.ts'
import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

export const users = area({
  menu: [
    {
      group: 'people',
      to: '/admin/users',
      label: things.user.many,
      icon: People,
      needs: 'admin.users.list',
      order: 10,
    },
  ],
  resources: [
    {
      name: 'admin/users',
      label: { en: 'users', zh: '用户' },
      operations: {
        list: 'admin.users.list',
        get: 'admin.users.get',
        create: 'admin.users.create',
        update: 'admin.users.update',
        param: 'userId',
      },
      list: lazy(() => import('./UserList.tsx')),
      show: lazy(() => import('./UserShow.tsx')),
      create: lazy(() => import('./UserCreate.tsx')),
      representation: ({ nickname, username }: UserAdmin) => nickname || username || '',
    },
  ],
})

/** All users, for administrators. */

import { People } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

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
  pages: [
    { path: '/admin/users', component: part(() => import('./UserList.tsx')), needs: 'admin.users.list' },
    { path: '/admin/users/create', component: part(() => import('./UserCreate.tsx')), needs: 'admin.users.create' },
    { path: '/admin/users/import', component: part(() => import('./UserImport.tsx')), needs: 'admin.users.import' },
    { path: '/admin/users/:id/show', component: part(() => import('./UserShow.tsx')), needs: 'admin.users.get' },
  ],
})

/** Roles, permission points, and the explanation of a decision. */

import { Key } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const access = area({
  menu: [
    {
      group: 'people',
      to: '/admin/access',
      label: { en: 'Permissions', zh: '角色与权限' },
      icon: Key,
      needs: 'access.listRoles',
      order: 30,
    },
  ],
  pages: [
    { path: '/admin/access', component: part(() => import('./AccessPage.tsx')) },
    { path: '/admin/access/roles/:id', component: part(() => import('./RolePage.tsx')) },
  ],
})

/** Roles, permission points, and the explanation of a decision. */

import { Key } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'

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
    { path: '/admin/access', component: lazy(() => import('./AccessPage.tsx')) },
    { path: '/admin/access/roles/:id', component: lazy(() => import('./RolePage.tsx')) },
  ],
})

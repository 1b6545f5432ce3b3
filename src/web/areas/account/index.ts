/** The user's own account. */

import { ManageAccountsOutlined } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../area.ts'

export const account = area({
  menu: [
    {
      group: 'account',
      to: '/account',
      label: { en: 'Account', zh: '账号' },
      icon: ManageAccountsOutlined,
      order: 20,
    },
  ],
  pages: [
    { path: '/account', component: lazy(() => import('./Profile.tsx')) },
    { path: '/account/security', component: lazy(() => import('./Security.tsx')) },
    { path: '/account/devices', component: lazy(() => import('./Devices.tsx')) },
    { path: '/account/history', component: lazy(() => import('./History.tsx')) },
    { path: '/account/links', component: lazy(() => import('./Links.tsx')) },
    { path: '/account/storage', component: lazy(() => import('./Storage.tsx')) },
    { path: '/account/privacy', component: lazy(() => import('./Privacy.tsx')) },
  ],
})

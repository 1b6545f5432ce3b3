/** The user's own account. */

import { ManageAccountsOutlined } from '@mui/icons-material'

import { part } from '../../ui/part.tsx'
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
    { path: '/account', component: part(() => import('./Profile.tsx')) },
    { path: '/account/security', component: part(() => import('./Security.tsx')) },
    { path: '/account/devices', component: part(() => import('./Devices.tsx')) },
    { path: '/account/history', component: part(() => import('./History.tsx')) },
    { path: '/account/links', component: part(() => import('./Links.tsx')) },
    { path: '/account/webhooks', component: part(() => import('./Webhooks.tsx')) },
    { path: '/account/storage', component: part(() => import('./Storage.tsx')) },
    { path: '/account/privacy', component: part(() => import('./Privacy.tsx')) },
    { path: '/account/data', component: part(() => import('./YourData.tsx')) },
  ],
})

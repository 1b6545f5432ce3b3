/** Sign-in by OpenID providers. */

import { BadgeOutlined } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const signIn = area({
  menu: [
    {
      group: 'system',
      to: '/admin/sign-in',
      label: { en: 'Sign-in', zh: '登录方式' },
      icon: BadgeOutlined,
      needs: 'admin.oidcProviders.list',
      order: 8,
    },
  ],
  pages: [{ path: '/admin/sign-in', component: part(() => import('./SignInPage.tsx')) }],
})

/** The name and look of the server, and its mail server. */

import { StorefrontOutlined } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const site = area({
  menu: [
    {
      group: 'system',
      to: '/admin/site',
      label: { en: 'Name and mail', zh: '名称与邮件' },
      icon: StorefrontOutlined,
      needs: 'server.values',
      order: 5,
    },
  ],
  pages: [{ path: '/admin/site', component: part(() => import('./SitePage.tsx')) }],
})

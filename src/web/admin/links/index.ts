/** The links between accounts, for administrators. */

import { Link } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

export const linksAdmin = area({
  menu: [
    {
      group: 'people',
      to: '/admin/links',
      label: things.accountLink.many,
      icon: Link,
      needs: 'admin.links.list',
      order: 50,
    },
  ],
  pages: [{ path: '/admin/links', component: lazy(() => import('./LinkList.tsx')), needs: 'admin.links.list' }],
})

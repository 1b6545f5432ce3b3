/** The links between accounts, for administrators. */

import { Link } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

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
  pages: [{ path: '/admin/links', component: part(() => import('./LinkList.tsx')), needs: 'admin.links.list' }],
})

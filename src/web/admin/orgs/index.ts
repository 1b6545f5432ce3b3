/** All organizations, for administrators. */

import { CorporateFare } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

export const orgsAdmin = area({
  menu: [
    {
      group: 'people',
      to: '/admin/orgs',
      label: things.organization.many,
      icon: CorporateFare,
      needs: 'admin.orgs.list',
      order: 20,
    },
  ],
  pages: [
    { path: '/admin/orgs', component: lazy(() => import('./OrgList.tsx')), needs: 'admin.orgs.list' },
    {
      path: '/admin/orgs/create',
      component: lazy(async () => ({ default: (await import('./OrgForm.tsx')).OrgCreate })),
      needs: 'admin.orgs.create',
    },
    {
      path: '/admin/orgs/:id',
      component: lazy(async () => ({ default: (await import('./OrgForm.tsx')).OrgEdit })),
      needs: 'admin.orgs.update',
    },
    { path: '/admin/orgs/:id/show', component: lazy(() => import('./OrgShow.tsx')), needs: 'admin.orgs.get' },
  ],
})

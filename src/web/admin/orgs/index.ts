/** All organizations, for administrators. */

import { CorporateFare } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

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
    { path: '/admin/orgs', component: part(() => import('./OrgList.tsx')), needs: 'admin.orgs.list' },
    {
      path: '/admin/orgs/create',
      component: part(async () => ({ default: (await import('./OrgForm.tsx')).OrgCreate })),
      needs: 'admin.orgs.create',
    },
    {
      path: '/admin/orgs/:id',
      component: part(async () => ({ default: (await import('./OrgForm.tsx')).OrgEdit })),
      needs: 'admin.orgs.update',
    },
    { path: '/admin/orgs/:id/show', component: part(() => import('./OrgShow.tsx')), needs: 'admin.orgs.get' },
  ],
})

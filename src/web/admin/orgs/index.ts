/** All organizations, for administrators. */

import { CorporateFare } from '@mui/icons-material'
import { lazy } from 'react'

import type { AdminOrganization } from '../../api/types.ts'
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
  resources: [
    {
      name: 'admin/orgs',
      label: { en: 'organizations', zh: '组织' },
      operations: {
        list: 'admin.orgs.list',
        get: 'admin.orgs.get',
        create: 'admin.orgs.create',
        update: 'admin.orgs.update',
        param: 'orgId',
      },
      list: lazy(() => import('./OrgList.tsx')),
      show: lazy(() => import('./OrgShow.tsx')),
      create: lazy(async () => ({ default: (await import('./OrgForm.tsx')).OrgCreate })),
      edit: lazy(async () => ({ default: (await import('./OrgForm.tsx')).OrgEdit })),
      representation: ({ name }: AdminOrganization) => name,
    },
  ],
})

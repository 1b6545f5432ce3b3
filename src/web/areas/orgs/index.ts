/** Organizations of the user: members, invitations, joining, locations, shares, ownership. */

import { Groups } from '@mui/icons-material'
import { lazy } from 'react'

import { things } from '../../i18n/things.ts'
import { area } from '../area.ts'

export const orgs = area({
  menu: [
    {
      group: 'community',
      to: '/orgs',
      label: things.organization.many,
      icon: Groups,
      needs: 'orgs.list',
      order: 60,
    },
  ],
  pages: [
    { path: '/orgs', component: lazy(() => import('./OrgList.tsx')) },
    { path: '/orgs/new', component: lazy(() => import('./OrgCreate.tsx')) },
    { path: '/orgs/discover', component: lazy(() => import('./Discover.tsx')) },
    { path: '/orgs/:id', component: lazy(() => import('./OrgDetail.tsx')) },
    { path: '/orgs/:id/poster', component: lazy(() => import('./Poster.tsx')) },
    // Public pages of organizations link to this address.
    { path: '/join', component: lazy(() => import('./Join.tsx')) },
  ],
})

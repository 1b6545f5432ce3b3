/** Organizations of the user: members, invitations, joining, locations, shares, ownership. */

import { Groups } from '@mui/icons-material'

import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'
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
    { path: '/orgs', component: part(() => import('./OrgList.tsx')) },
    { path: '/orgs/new', component: part(() => import('./OrgCreate.tsx')) },
    { path: '/orgs/discover', component: part(() => import('./Discover.tsx')) },
    { path: '/orgs/:id', component: part(() => import('./OrgDetail.tsx')) },
    { path: '/orgs/:id/poster', component: part(() => import('./Poster.tsx')) },
    { path: '/places/:uuid', component: part(() => import('./PlaceCode.tsx')) },
    // Invitations by mail link to this address.
    { path: '/invited', component: part(() => import('./Invited.tsx')) },
    // Public pages of organizations link to this address.
    { path: '/join', component: part(() => import('./Join.tsx')) },
  ],
})

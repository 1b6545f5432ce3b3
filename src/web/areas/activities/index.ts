/** Activities of the workspace and of others: lists, details, registration, check-in, passes and the gate. */

import { Event } from '@mui/icons-material'

import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'
import { gateOutbox } from './gate/outbox.ts'

export const activities = area({
  menu: [
    {
      group: 'community',
      to: '/activities',
      label: things.activity.many,
      icon: Event,
      needs: 'activities.list',
      order: 30,
    },
  ],
  pages: [
    { path: '/activities', component: part(() => import('./ActivityList.tsx')) },
    { path: '/activities/new', component: part(() => import('./ActivityEdit.tsx')) },
    { path: '/activities/passes', component: part(() => import('./MyPasses.tsx')), needs: 'activities.list' },
    { path: '/activities/templates', component: part(() => import('./PassTemplates.tsx')) },
    { path: '/activities/:id', component: part(() => import('./ActivityDetail.tsx')) },
    { path: '/activities/:id/gate', component: part(() => import('./gate/Gate.tsx')) },
    { path: '/activities/:id/messages/new', component: part(() => import('./messages/MessageForm.tsx')) },
    { path: '/activities/:id/messages/:messageId', component: part(() => import('./messages/MessagePage.tsx')) },
    { path: '/activities/:id/registrations/import', component: part(() => import('./participants/Import.tsx')) },
    // Public pages of activities and of their check-in link to this address: `/s/check-in/<uuid>` below `/console`.
    { path: '/s/:type/:uuid', component: part(() => import('./Visit.tsx')) },
    { path: '/registrations/claim', component: part(() => import('./ClaimGuest.tsx')) },
    { path: '/activities/:id/edit', component: part(() => import('./ActivityEdit.tsx')) },
  ],
  keep: async (userId) => (await import('./my-passes.ts')).keepActivities(userId),
  unsent: gateOutbox,
})

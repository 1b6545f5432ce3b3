/** The webhooks of the server. */

import { Webhook } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

export const webhooksAdmin = area({
  menu: [
    {
      group: 'system',
      to: '/admin/webhooks',
      label: things.webhook.many,
      icon: Webhook,
      needs: 'webhooks.listOfServer',
      order: 55,
    },
  ],
  pages: [
    { path: '/admin/webhooks', component: part(() => import('./ServerWebhooks.tsx')), needs: 'webhooks.listOfServer' },
  ],
})

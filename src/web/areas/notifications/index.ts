/** The user's notifications. */

import { NotificationsOutlined } from '@mui/icons-material'

import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'

export const notifications = area({
  menu: [
    {
      group: 'account',
      to: '/notifications',
      label: things.notification.many,
      icon: NotificationsOutlined,
      needs: 'notifications.list',
      badge: 'notifications',
      order: 10,
    },
  ],
  pages: [
    { path: '/notifications', component: part(() => import('./NotificationList.tsx')) },
    { path: '/notifications/:id', component: part(() => import('./NotificationPage.tsx')) },
  ],
})

/** The user's notifications. */

import { NotificationsOutlined } from '@mui/icons-material'
import { lazy } from 'react'

import { things } from '../../i18n/things.ts'
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
    { path: '/notifications', component: lazy(() => import('./NotificationList.tsx')) },
    { path: '/notifications/:id', component: lazy(() => import('./NotificationPage.tsx')) },
  ],
})

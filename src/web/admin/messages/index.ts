/** Messages of administrators to users: notifications, agreements, versions of the app, and the rules of chat. */

import { Campaign, Chat, Gavel, SystemUpdate } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

export const adminMessages = area({
  menu: [
    {
      group: 'messages',
      to: '/admin/notifications',
      label: things.notification.many,
      icon: Campaign,
      needs: 'admin.notifications.list',
      order: 10,
    },
    {
      group: 'messages',
      to: '/admin/agreements',
      label: things.agreement.many,
      icon: Gavel,
      needs: 'agreements.list',
      order: 20,
    },
    {
      group: 'messages',
      to: '/admin/app-updates',
      label: things.appVersion.many,
      icon: SystemUpdate,
      needs: 'appUpdates.list',
      order: 30,
    },
    {
      group: 'messages',
      to: '/admin/chat',
      label: { en: 'Chat', zh: '聊天' },
      icon: Chat,
      needs: 'admin.chat.stats',
      order: 40,
    },
  ],
  pages: [
    { path: '/admin/chat', component: lazy(() => import('./ChatPage.tsx')) },
    {
      path: '/admin/notifications',
      component: lazy(() => import('./NotificationList.tsx')),
      needs: 'admin.notifications.list',
    },
    {
      path: '/admin/notifications/create',
      component: lazy(() => import('./NotificationForm.tsx')),
      needs: 'admin.notifications.send',
    },
    { path: '/admin/agreements', component: lazy(() => import('./AgreementList.tsx')), needs: 'agreements.list' },
    {
      path: '/admin/agreements/create',
      component: lazy(() => import('./AgreementForm.tsx')),
      needs: 'agreements.publish',
    },
    {
      path: '/admin/agreements/:id/show',
      component: lazy(() => import('./AgreementShow.tsx')),
      needs: 'agreements.get',
    },
    { path: '/admin/app-updates', component: lazy(() => import('./AppUpdateList.tsx')), needs: 'appUpdates.list' },
    {
      path: '/admin/app-updates/create',
      component: lazy(() => import('./AppUpdateForm.tsx')),
      needs: 'appUpdates.publish',
    },
  ],
})

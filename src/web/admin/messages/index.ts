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
  pages: [{ path: '/admin/chat', component: lazy(() => import('./ChatPage.tsx')) }],
  resources: [
    {
      name: 'admin/notifications',
      label: { en: 'notifications', zh: '通知' },
      operations: {
        list: 'admin.notifications.list',
        create: 'admin.notifications.send',
        delete: 'admin.notifications.delete',
        param: 'notificationId',
      },
      list: lazy(() => import('./NotificationList.tsx')),
      create: lazy(() => import('./NotificationForm.tsx')),
    },
    {
      name: 'admin/agreements',
      label: { en: 'agreements', zh: '协议' },
      operations: { list: 'agreements.list', get: 'agreements.get', create: 'agreements.publish' },
      list: lazy(() => import('./AgreementList.tsx')),
      show: lazy(() => import('./AgreementShow.tsx')),
      create: lazy(() => import('./AgreementForm.tsx')),
    },
    {
      name: 'admin/app-updates',
      label: { en: 'app versions', zh: '应用版本' },
      operations: { list: 'appUpdates.list', create: 'appUpdates.publish' },
      list: lazy(() => import('./AppUpdateList.tsx')),
      create: lazy(() => import('./AppUpdateForm.tsx')),
    },
  ],
})

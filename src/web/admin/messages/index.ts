/** Messages of administrators to users: notifications, agreements, versions of the app, and the rules of chat. */

import { Campaign, Chat, Flag, Gavel, SystemUpdate } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

/** Reported messages are for SYSTEM_ADMIN only, and of the roles of the server no other one may grant roles. */
const FOR_SYSTEM_ADMIN = 'access.grantRole'

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
    {
      group: 'messages',
      to: '/admin/chat/reports',
      label: { en: 'Reported messages', zh: '被举报的消息' },
      icon: Flag,
      needs: FOR_SYSTEM_ADMIN,
      order: 50,
    },
  ],
  pages: [
    { path: '/admin/chat', component: part(() => import('./ChatPage.tsx')) },
    {
      path: '/admin/chat/reports',
      component: part(() => import('./ReportList.tsx')),
      needs: FOR_SYSTEM_ADMIN,
    },
    {
      path: '/admin/notifications',
      component: part(() => import('./NotificationList.tsx')),
      needs: 'admin.notifications.list',
    },
    {
      path: '/admin/notifications/create',
      component: part(() => import('./NotificationForm.tsx')),
      needs: 'admin.notifications.send',
    },
    { path: '/admin/agreements', component: part(() => import('./AgreementList.tsx')), needs: 'agreements.list' },
    {
      path: '/admin/agreements/create',
      component: part(() => import('./AgreementForm.tsx')),
      needs: 'agreements.publish',
    },
    {
      path: '/admin/agreements/:id/show',
      component: part(() => import('./AgreementShow.tsx')),
      needs: 'agreements.get',
    },
    { path: '/admin/app-updates', component: part(() => import('./AppUpdateList.tsx')), needs: 'appUpdates.list' },
    {
      path: '/admin/app-updates/create',
      component: part(() => import('./AppUpdateForm.tsx')),
      needs: 'appUpdates.publish',
    },
  ],
})

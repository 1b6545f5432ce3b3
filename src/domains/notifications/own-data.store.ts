import { eq } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { notificationContents, notificationPreferences, notifications } from '#db/schema/notifications.ts'

export const notificationAreas: readonly DataArea[] = [
  tableArea({
    name: 'mail-settings',
    title: { en: 'Settings of mails', zh: '邮件设置' },
    from: notificationPreferences,
    columns: {
      emailActivities: notificationPreferences.emailActivities,
      emailAssets: notificationPreferences.emailAssets,
      digestHour: notificationPreferences.digestHour,
      timeZone: notificationPreferences.timeZone,
    },
    where: (userId) => eq(notificationPreferences.userId, userId),
    key: [notificationPreferences.userId],
  }),
  tableArea({
    name: 'notifications',
    title: { en: 'Notifications', zh: '通知' },
    from: notifications,
    joins: [{ table: notificationContents, on: eq(notificationContents.id, notifications.contentId) }],
    columns: {
      id: notifications.id,
      type: notifications.type,
      title: notificationContents.title,
      body: notificationContents.body,
      read: notifications.read,
      createdAt: notifications.createdAt,
    },
    where: (userId) => eq(notifications.userId, userId),
    key: [notifications.id],
  }),
]

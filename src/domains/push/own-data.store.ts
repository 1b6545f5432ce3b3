import { eq } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { pushSubscriptions } from '#db/schema/push.ts'

export const pushAreas: readonly DataArea[] = [
  tableArea({
    name: 'push-subscriptions',
    title: { en: 'Devices with push messages', zh: '推送设备' },
    from: pushSubscriptions,
    // Anyone who has the address and the keys can send messages to the device.
    columns: {
      id: pushSubscriptions.id,
      sessionId: pushSubscriptions.sessionId,
      quietFrom: pushSubscriptions.quietFrom,
      quietTo: pushSubscriptions.quietTo,
      locale: pushSubscriptions.locale,
      timeZone: pushSubscriptions.timeZone,
      createdAt: pushSubscriptions.createdAt,
    },
    where: (userId) => eq(pushSubscriptions.userId, userId),
    key: [pushSubscriptions.id],
  }),
]

/** The part of a data export that is about webhooks: without their secrets. */

import { and, isNull } from 'drizzle-orm'

import { type DataArea, orgIdOf, ownedOrMade, tableArea } from '#db/data-areas.ts'
import { webhooks } from '#db/schema/webhooks.ts'

export const webhookAreas: readonly DataArea[] = [
  tableArea({
    name: 'webhooks',
    title: { en: 'Webhooks', zh: 'Webhook' },
    from: webhooks,
    columns: {
      id: webhooks.id,
      orgId: orgIdOf(webhooks.owner),
      name: webhooks.name,
      url: webhooks.url,
      events: webhooks.events,
      enabled: webhooks.enabled,
      disabledReason: webhooks.disabledReason,
      lastSuccessAt: webhooks.lastSuccessAt,
      lastFailureAt: webhooks.lastFailureAt,
      createdAt: webhooks.createdAt,
      updatedAt: webhooks.updatedAt,
    },
    where: (userId) => and(ownedOrMade(webhooks.owner, webhooks.userId, userId), isNull(webhooks.deletedAt)),
    key: [webhooks.id],
  }),
]

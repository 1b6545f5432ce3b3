/** Webhooks: tell other programs of changes, by signed requests. */

import { domain } from '#domains/domain.ts'

import { deliveryAdminEndpoints } from './deliveries/deliveries.admin.endpoints.ts'
import { deliveryEndpoints } from './deliveries/deliveries.endpoints.ts'
import { cleanUpJob } from './deliveries/deliveries.service.ts'
import { eventEndpoints } from './events/events.endpoints.ts'
import { startOutbox } from './outbox/outbox.service.ts'
import { tellScansJob } from './outbox/scans.service.ts'
import { webhookAreas } from './own-data.store.ts'
import { startSending, stopSending } from './sending/sending.service.ts'
import { webhookAdminEndpoints } from './webhooks/webhooks.admin.endpoints.ts'
import { webhookEndpoints } from './webhooks/webhooks.endpoints.ts'
import { deleteEndedJob, endWebhooksOf } from './webhooks/webhooks.service.ts'

export const webhooks = domain({
  name: 'webhooks',
  endpoints: [
    ...webhookEndpoints,
    ...deliveryEndpoints,
    ...webhookAdminEndpoints,
    ...deliveryAdminEndpoints,
    ...eventEndpoints,
  ],
  jobs: [cleanUpJob, deleteEndedJob, tellScansJob],
  on: {
    'user.deleting': (_ctx, tx, { userId }) => endWebhooksOf(tx, -userId),
    'org.dissolving': (_ctx, tx, { orgId }) => endWebhooksOf(tx, orgId),
  },
  dataAreas: webhookAreas,
  async start(ctx) {
    await startOutbox(ctx)
    startSending(ctx)
  },
  stop: stopSending,
})

export { networkOf, wakeWebhooks } from './sending/sending.service.ts'

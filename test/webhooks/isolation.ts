import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'
import { deliveries } from './helpers.ts'

export const isolation: IsolationFixture = {
  async make({ victim, admin, mark, owned }) {
    // Nobody answers there.
    const url = `https://127-0-0-1.example.net/${mark}`
    const body = { name: mark, url, events: ['*'] }
    const webhook = ok(await victim.call('webhooks.create', { body: { ...body, orgId: Number(owned['org']) } })).data.id
    ok(await victim.call('webhooks.test', { params: { id: webhook } }))
    const [delivery] = await deliveries(victim, webhook)
    const ofServer = { ...body, name: 'Monitoring', url: 'https://monitoring.example.net/' }
    const serverWebhook = ok(await admin.call('webhooks.createOfServer', { body: ofServer })).data.id
    const test = ok(await admin.call('webhooks.testOfServer', { params: { id: serverWebhook } })).data
    return { webhook, delivery: delivery!.id, serverWebhook, serverDelivery: test.id }
  },
  paths: [
    [/^\/api\/webhooks\/:/, 'webhook'],
    [/^\/api\/admin\/webhooks\/:/, 'serverWebhook'],
  ],
  fields: { deliveryId: 'delivery' },
  fieldsIn: [[/^\/api\/admin\/webhooks\//, { deliveryId: 'serverDelivery' }]],
  reads: ({ org }) => ['/api/webhooks', `/api/webhooks?orgId=${org}`],
}

import { endpoint, signedIn } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import {
  CreateWebhook,
  LIMITS,
  NewWebhookView,
  UpdateWebhook,
  WebhookPage,
  WebhookSecret,
  WebhooksQuery,
  WebhookView,
} from './webhooks.model.ts'
import * as service from './webhooks.service.ts'

const tag = 'Webhooks'
const RIGHT = 'For an organization you need `org:update` there.'
const refuses = { 403: 'You are a member of the organization, but lack `org:update` there.' } as const
const CONFIRM = 'You have not confirmed within the last 10 minutes that it is you (code 4031).'

export const webhookEndpoints = [
  endpoint({
    id: 'webhooks.list',
    method: 'GET',
    path: '/api/webhooks',
    summary: 'List webhooks, newest first',
    description: `Yours, or with \`orgId\` those of an organization. ${RIGHT}`,
    tag,
    access: signedIn,
    query: WebhooksQuery,
    data: WebhookPage,
    refuses: { 403: 'You lack `org:update` in the organization.' },
    run: ({ ctx, actor, query }) => service.listWebhooks(ctx, service.asUser(actor), query),
  }),
  endpoint({
    id: 'webhooks.create',
    method: 'POST',
    path: '/api/webhooks',
    summary: 'Create a webhook',
    description:
      `Sends changes to another program, by signed requests to its \`url\`. ${RIGHT} At most ${LIMITS.USER} for a user and ${LIMITS.ORG} for an ` +
      'organization. You must have confirmed within the last 10 minutes that it is you.',
    tag,
    access: signedIn,
    body: CreateWebhook,
    data: NewWebhookView,
    ignoresKey: 'Its answer is a secret.',
    refuses: {
      403: `${CONFIRM} Or you lack \`org:update\`, have no proved address, or webhooks are switched off.`,
      404: 'The organization does not exist.',
    },
    run: ({ ctx, actor, body }) => service.createWebhook(ctx, service.asUser(actor), body),
  }),
  endpoint({
    id: 'webhooks.get',
    method: 'GET',
    path: '/api/webhooks/:id',
    summary: 'Get a webhook',
    tag,
    access: signedIn,
    params: ById,
    query: InOrg,
    data: WebhookView,
    refuses,
    run: ({ ctx, actor, params, query }) => service.getWebhook(ctx, service.asUser(actor), params.id, query.orgId),
  }),
  endpoint({
    id: 'webhooks.update',
    method: 'PUT',
    path: '/api/webhooks/:id',
    summary: 'Update a webhook',
    description: 'Absent fields stay. Another `url` needs a confirmation within the last 10 minutes.',
    tag,
    access: signedIn,
    params: ById,
    body: UpdateWebhook,
    data: WebhookView,
    refuses: { 403: `${CONFIRM} Or you lack \`org:update\`.` },
    run: ({ ctx, actor, params, body }) => service.updateWebhook(ctx, service.asUser(actor), params.id, body),
  }),
  endpoint({
    id: 'webhooks.delete',
    method: 'DELETE',
    path: '/api/webhooks/:id',
    summary: 'Delete a webhook with its log',
    tag,
    access: signedIn,
    params: ById,
    query: InOrg,
    refuses,
    run: ({ ctx, actor, params, query }) => service.deleteWebhook(ctx, service.asUser(actor), params.id, query.orgId),
  }),
  endpoint({
    id: 'webhooks.renewSecret',
    method: 'POST',
    path: '/api/webhooks/:id/secret',
    summary: 'Replace the secret of a webhook',
    description: 'For 24 hours the old one signs too.',
    tag,
    access: signedIn,
    params: ById,
    query: InOrg,
    data: WebhookSecret,
    ignoresKey: 'Its answer is a secret.',
    refuses,
    run: ({ ctx, actor, params, query }) => service.renewSecret(ctx, service.asUser(actor), params.id, query.orgId),
  }),
]

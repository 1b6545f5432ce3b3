import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

import {
  ByMessage,
  MessageOrForecast,
  MessagePage,
  MessagePreview,
  MessagesQuery,
  MessageView,
  NewMessage,
  PreviewMessage,
  RecipientPage,
  RecipientsQuery,
} from './messages.model.ts'
import * as service from './messages.service.ts'
import { previewMessage } from './previews.service.ts'

const shared = { tag: 'Activities', access: dualByRow('activity:update') } as const

export const messageEndpoints = [
  endpoint({
    ...shared,
    id: 'activityMessages.create',
    method: 'POST',
    path: '/api/activities/:id/messages',
    summary: 'Send a message to the participants of an activity',
    description:
      'Each gets a notification and, at a proved address, a mail, once. A message that is not for later begins at once; its numbers grow until ' +
      'it is DONE. If fewer messages or mails are left today than it needs, the answer is 429 and nothing is sent.',
    params: ById,
    query: InOrg,
    body: NewMessage,
    data: MessageOrForecast,
    refuses: {
      403: 'You may see the activity, but not change it.',
    },
    run: ({ ctx, owner, params, body, caller }) =>
      service.createMessage(ctx, params.id, body, { viewer: owner, caller }, caller.locale),
  }),
  endpoint({
    ...shared,
    id: 'activityMessages.preview',
    method: 'POST',
    path: '/api/activities/:id/messages/preview',
    summary: 'Preview a message to the participants of an activity',
    description:
      'Answers the mail in both languages. With `test` you get it as a mail at your proved address, at most 10 an hour; nobody else does, and it is ' +
      'not in the list of messages.',
    params: ById,
    query: InOrg,
    body: PreviewMessage,
    data: MessagePreview,
    budgets: [
      {
        name: 'activities.messagePreviews',
        counts: { en: 'previews', zh: '预览' },
        per: 'user',
        limit: 60,
        windowMs: MINUTE,
      },
    ],
    refuses: {
      400: '`test`, and you have no proved address, or the server sends no mails.',
      403: 'You may see the activity, but not change it.',
    },
    ignoresKey: 'It changes nothing.',
    run: ({ ctx, owner, params, body, caller }) =>
      previewMessage(ctx, params.id, body, { viewer: owner, caller }, caller.locale),
  }),
  endpoint({
    ...shared,
    id: 'activityMessages.list',
    method: 'GET',
    path: '/api/activities/:id/messages',
    summary: 'List the messages to the participants of an activity, newest first',
    description: 'With the automatic notices about its date and place, and about its cancellation.',
    params: ById,
    query: MessagesQuery,
    data: MessagePage,
    refuses: { 403: 'You may see the activity, but not change it.' },
    run: ({ ctx, owner, params, query, caller }) =>
      service.listMessages(ctx, params.id, query, { viewer: owner, caller }, caller.locale),
  }),
  endpoint({
    ...shared,
    id: 'activityMessages.get',
    method: 'GET',
    path: '/api/activities/:id/messages/:messageId',
    summary: 'Get a message to the participants of an activity',
    params: ByMessage,
    query: InOrg,
    data: MessageView,
    refuses: { 403: 'You may see the activity, but not change it.' },
    run: ({ ctx, owner, params, caller }) => service.showMessage(ctx, params, { viewer: owner, caller }, caller.locale),
  }),
  endpoint({
    ...shared,
    id: 'activityMessages.recipients',
    method: 'GET',
    path: '/api/activities/:id/messages/:messageId/recipients',
    summary: 'List who gets a message, and how',
    params: ByMessage,
    query: RecipientsQuery,
    data: RecipientPage,
    refuses: { 403: 'You may see the activity, but not change it.' },
    run: ({ ctx, owner, params, query, caller }) =>
      service.listRecipients(ctx, params, query, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'activityMessages.delete',
    method: 'DELETE',
    path: '/api/activities/:id/messages/:messageId',
    summary: 'Cancel a message that waits for its time',
    params: ByMessage,
    query: InOrg,
    refuses: {
      400: 'The message is being sent or was sent.',
      403: 'You may see the activity, but not change it.',
    },
    run: ({ ctx, owner, params, caller }) => service.deleteMessage(ctx, params, { viewer: owner, caller }),
  }),
]

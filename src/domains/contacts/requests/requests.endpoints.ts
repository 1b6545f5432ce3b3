import { app, endpoint } from '#http/endpoint.ts'
import { ById, Count } from '#http/schema.ts'

import { REQUESTS } from '../contacts.model.ts'
import { ContactView } from '../list/list.model.ts'
import { AcceptRequest, RejectRequest, RequestPage, RequestsQuery, RequestView, SendRequest } from './requests.model.ts'
import * as service from './requests.service.ts'

const tag = 'Contacts'

export const requestEndpoints = [
  endpoint({
    id: 'contacts.request',
    method: 'POST',
    path: '/api/contacts/requests',
    summary: 'Ask a person to become a contact',
    description:
      'Give `userId` of somebody you may know (a common organization, a contact, a conversation, a card you received, or found by search ' +
      'or card in the last 24 hours), or the `code` of a card. A request that waits is answered unchanged. If the person has asked you ' +
      'too, or still has you as a contact, the request is accepted at once. After a rejection, 4022 for 24 hours. 4022 also if either of ' +
      'you would get too many contacts, and after 20 wrong codes in a minute from one IP address.',
    tag,
    access: app('contact:create'),
    body: SendRequest,
    data: RequestView,
    budgets: [REQUESTS],
    refuses: { 404: 'You may not know this person, nobody has this code, or the person takes no requests from you.' },
    run: ({ ctx, actor, caller, body }) => service.sendRequest(ctx, actor, caller, body),
  }),
  endpoint({
    id: 'contacts.incoming',
    method: 'GET',
    path: '/api/contacts/incoming',
    summary: 'List the contact requests that you received',
    description: 'Newest first.',
    tag,
    access: app('contact:read'),
    query: RequestsQuery,
    data: RequestPage,
    run: ({ ctx, actor, query }) => service.listRequests(ctx, actor, 'INCOMING', query),
  }),
  endpoint({
    id: 'contacts.outgoing',
    method: 'GET',
    path: '/api/contacts/outgoing',
    summary: 'List the contact requests that you sent',
    description: 'Newest first.',
    tag,
    access: app('contact:read'),
    query: RequestsQuery,
    data: RequestPage,
    run: ({ ctx, actor, query }) => service.listRequests(ctx, actor, 'OUTGOING', query),
  }),
  endpoint({
    id: 'contacts.pendingCount',
    method: 'GET',
    path: '/api/contacts/pending-count',
    summary: 'Count the contact requests that wait for your answer',
    tag,
    access: app('contact:read'),
    data: Count,
    run: ({ ctx, actor }) => service.countOpen(ctx, actor),
  }),
  endpoint({
    id: 'contacts.accept',
    method: 'POST',
    path: '/api/contacts/:id/accept',
    summary: 'Accept a contact request',
    description:
      'Only the recipient can answer. 4022 if either of you would get too many contacts; the request then stays open.',
    tag,
    access: app('contact:create'),
    params: ById,
    body: AcceptRequest,
    data: ContactView,
    run: ({ ctx, actor, params, body }) => service.acceptRequest(ctx, actor, params.id, body.remark ?? ''),
  }),
  endpoint({
    id: 'contacts.reject',
    method: 'POST',
    path: '/api/contacts/:id/reject',
    summary: 'Reject a contact request',
    description: 'Only the recipient can answer. The sender sees the status, but is not notified.',
    tag,
    access: app('contact:create'),
    params: ById,
    body: RejectRequest,
    data: RequestView,
    run: ({ ctx, actor, params, body }) => service.rejectRequest(ctx, actor, params.id, body.block ?? false),
  }),
]

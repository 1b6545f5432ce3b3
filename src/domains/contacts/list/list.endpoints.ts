import { app, endpoint } from '#http/endpoint.ts'

import { ByContact } from '../contacts.model.ts'
import { ContactDetail, ContactPage, ContactView, ListQuery, SetRemark, SetTags } from './list.model.ts'
import * as service from './list.service.ts'

const tag = 'Contacts'

export const contactEndpoints = [
  endpoint({
    id: 'contacts.list',
    method: 'GET',
    path: '/api/contacts',
    summary: 'List your contacts',
    description: 'By name (the remark, otherwise the nickname), unless you give `sort`.',
    tag,
    access: app('contact:read'),
    query: ListQuery,
    data: ContactPage,
    run: ({ ctx, actor, query }) => service.listContacts(ctx, actor, query),
  }),
  endpoint({
    id: 'contacts.get',
    method: 'GET',
    path: '/api/contacts/:contactId',
    summary: 'Get a contact',
    tag,
    access: app('contact:read'),
    params: ByContact,
    data: ContactDetail,
    run: ({ ctx, actor, params }) => service.getContact(ctx, actor, params.contactId),
  }),
  endpoint({
    id: 'contacts.setRemark',
    method: 'PUT',
    path: '/api/contacts/:contactId/remark',
    summary: 'Set your own name for a contact',
    description: 'Only you see it. null or an empty string clears it.',
    tag,
    access: app('contact:update'),
    params: ByContact,
    body: SetRemark,
    data: ContactView,
    run: ({ ctx, actor, params, body }) => service.setRemark(ctx, actor, params.contactId, body.remark),
  }),
  endpoint({
    id: 'contacts.setTags',
    method: 'PUT',
    path: '/api/contacts/:contactId/tags',
    summary: 'Replace the tags of a contact',
    description: 'Only you see them.',
    tag,
    access: app('contact:update'),
    params: ByContact,
    body: SetTags,
    data: ContactView,
    run: ({ ctx, actor, params, body }) => service.setTags(ctx, actor, params.contactId, body.tags),
  }),
  endpoint({
    id: 'contacts.delete',
    method: 'DELETE',
    path: '/api/contacts/:contactId',
    summary: 'Delete a contact',
    description:
      'Deletes your side and takes the conversation off your list. The other person is not notified, keeps you as a contact that is not ' +
      '`twoWay`, and can only write to you if your privacy settings allow it.',
    tag,
    access: app('contact:delete'),
    params: ByContact,
    run: ({ ctx, actor, params }) => service.deleteContact(ctx, actor, params.contactId),
  }),
  endpoint({
    id: 'contacts.block',
    method: 'POST',
    path: '/api/contacts/:contactId/block',
    summary: 'Block a contact',
    description: 'Neither of you can write to the other. The other person is not notified. The history stays.',
    tag,
    access: app('contact:update'),
    params: ByContact,
    data: ContactView,
    run: ({ ctx, actor, params }) => service.blockContact(ctx, actor, params.contactId),
  }),
  endpoint({
    id: 'contacts.unblock',
    method: 'POST',
    path: '/api/contacts/:contactId/unblock',
    summary: 'Unblock a contact',
    description: 'If the person was blocked without being a contact, the row is deleted: its id is then 404.',
    tag,
    access: app('contact:update'),
    params: ByContact,
    data: ContactView,
    run: ({ ctx, actor, params }) => service.unblockContact(ctx, actor, params.contactId),
  }),
]

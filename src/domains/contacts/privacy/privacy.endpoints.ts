import { app, endpoint } from '#http/endpoint.ts'

import { PrivacyView, UpdatePrivacy } from './privacy.model.ts'
import { getPrivacy, updatePrivacy } from './privacy.service.ts'

const tag = 'Contacts'

export const privacyEndpoints = [
  endpoint({
    id: 'contacts.privacy',
    method: 'GET',
    path: '/api/contacts/settings',
    summary: 'Get your privacy settings for contacts',
    tag,
    access: app('contact:read'),
    data: PrivacyView,
    run: ({ ctx, actor }) => getPrivacy(ctx, actor),
  }),
  endpoint({
    id: 'contacts.updatePrivacy',
    method: 'PUT',
    path: '/api/contacts/settings',
    summary: 'Update your privacy settings for contacts',
    description: 'Settings that you leave out stay as they are.',
    tag,
    access: app('contact:update'),
    body: UpdatePrivacy,
    data: PrivacyView,
    run: ({ ctx, actor, body }) => updatePrivacy(ctx, actor, body),
  }),
]

import { app, endpoint } from '#http/endpoint.ts'

import { CardView } from './card.model.ts'
import { getCard, refreshCard } from './card.service.ts'

const tag = 'Contacts'

export const cardEndpoints = [
  endpoint({
    id: 'contacts.card',
    method: 'GET',
    path: '/api/contacts/my-qrcode',
    summary: 'Get your contact card',
    description:
      'Anyone who has the code can find you and, if your privacy settings allow it, ask to become a contact.',
    tag,
    access: app('contact:read'),
    data: CardView,
    run: ({ ctx, actor }) => getCard(ctx, actor),
  }),
  endpoint({
    id: 'contacts.refreshCard',
    method: 'POST',
    path: '/api/contacts/my-qrcode/refresh',
    summary: 'Replace the code of your contact card',
    description: 'The old code stops working at once.',
    tag,
    access: app('contact:update'),
    data: CardView,
    run: ({ ctx, actor }) => refreshCard(ctx, actor),
  }),
]

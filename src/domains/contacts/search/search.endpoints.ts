import { contactLookUps } from '#domains/accounts/index.ts'
import { app, endpoint } from '#http/endpoint.ts'

import { ByCode } from '../card/card.model.ts'
import { FoundCard, SearchQuery, SearchResult } from './search.model.ts'
import { getByCard, search } from './search.service.ts'

const tag = 'Contacts'

export const searchEndpoints = [
  endpoint({
    id: 'contacts.search',
    method: 'GET',
    path: '/api/contacts/search',
    summary: 'Find a person by e-mail address or phone number',
    description:
      'Finds people who have proved exactly this e-mail address or phone number and may be found by it. The answer is the same for all ' +
      'others, whether or not they exist.',
    tag,
    access: app('user:search'),
    query: SearchQuery,
    data: SearchResult,
    budgets: contactLookUps(() => 1),
    run: ({ ctx, actor, query }) => search(ctx, actor, query.q),
  }),
  endpoint({
    id: 'contacts.byCard',
    method: 'GET',
    path: '/api/contacts/by-qr-code/:code',
    secrets: ['code'],
    summary: 'Find a person by the code of a contact card',
    description: '404 if no card has this code. 4022 after 20 wrong codes in a minute from one IP address.',
    tag,
    access: app('contact:read'),
    params: ByCode,
    data: FoundCard,
    budgets: contactLookUps(() => 1),
    run: ({ ctx, actor, caller, params }) => getByCard(ctx, actor, caller, params.code),
  }),
]

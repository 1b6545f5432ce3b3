import { endpoint, open, signedIn } from '#http/endpoint.ts'
import { wantsJson } from '#http/refusals.ts'

import { AcceptAgreement, AcceptanceView, ByType, CurrentAgreement, CurrentQuery } from './agreements.model.ts'
import { agreementPage } from './agreements.page.ts'
import { acceptAgreement, getCurrent, getCurrentByName } from './agreements.service.ts'

const tag = 'Agreements'

export const agreementEndpoints = [
  endpoint({
    id: 'agreements.current',
    method: 'GET',
    path: '/api/agreement/current',
    summary: 'Get the current agreement of a type',
    description: 'The answer has an `ETag` that changes with each publication and reactivation.',
    tag,
    access: open,
    query: CurrentQuery,
    data: CurrentAgreement,
    refuses: { 404: 'No version of this type is published.' },
    run: async ({ ctx, query }) => (await getCurrent(ctx, query.type)).answer,
  }),
  endpoint({
    id: 'agreements.accept',
    method: 'POST',
    path: '/api/agreement/accept',
    summary: 'Accept the current agreement of a type',
    description:
      'Send the version that you have shown to the user. If it has been replaced meanwhile, the answer is 400. If the user has ' +
      'accepted this version before, you get the time of the first acceptance.',
    tag,
    access: signedIn,
    body: AcceptAgreement,
    data: AcceptanceView,
    refuses: { 400: 'The request is not valid, or the version is not the current one.' },
    run: ({ ctx, actor, body }) => acceptAgreement(ctx, actor, body),
  }),
  endpoint({
    id: 'agreements.page',
    method: 'GET',
    path: '/public/agreement/:type',
    summary: 'Show the page of the current terms of service or privacy policy',
    description:
      'An HTML page. With `Accept: application/json` you get the same answer as from `/api/agreement/current`.',
    tag: 'Public pages',
    access: open,
    params: ByType,
    answers: 'text/html',
    data: CurrentAgreement,
    run: async ({ ctx, params, request, caller }) => {
      const current = await getCurrentByName(ctx, params.type)
      return wantsJson(request) ? current.answer : agreementPage(ctx, current, caller.locale)
    },
  }),
]

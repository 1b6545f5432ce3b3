import { endpoint, platform } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import { AgreementPage, AgreementsQuery, AgreementView, PublishAgreement } from './agreements.model.ts'
import { activateAgreement, getAgreement, listAgreements, publishAgreement } from './agreements.service.ts'

const tag = 'Agreements'

export const adminEndpoints = [
  endpoint({
    id: 'agreements.list',
    method: 'GET',
    path: '/api/admin/agreements',
    summary: 'List all versions of the agreements, highest version first',
    tag,
    access: platform('agreement:read'),
    query: AgreementsQuery,
    data: AgreementPage,
    run: ({ ctx, query }) => listAgreements(ctx, query),
  }),
  endpoint({
    id: 'agreements.get',
    method: 'GET',
    path: '/api/admin/agreements/:id',
    summary: 'Get a version of an agreement',
    tag,
    access: platform('agreement:read'),
    params: ById,
    data: AgreementView,
    run: ({ ctx, params }) => getAgreement(ctx, params.id),
  }),
  endpoint({
    id: 'agreements.publish',
    method: 'POST',
    path: '/api/admin/agreements',
    summary: 'Publish the next version of an agreement',
    description:
      'It replaces the current version at once, and users are asked to accept it. A published version is never changed or deleted: to ' +
      'correct one, publish another.',
    tag,
    access: platform('agreement:publish'),
    logs: 'AGREEMENT_PUBLISH',
    budgets: [
      {
        name: 'agreements.publish',
        counts: { en: 'publications of agreements', zh: '协议发布次数' },
        per: 'user',
        limit: 100,
        windowMs: HOUR,
      },
    ],
    body: PublishAgreement,
    data: AgreementView,
    run: ({ actor, body }) => publishAgreement(actor, body),
  }),
  endpoint({
    id: 'agreements.activate',
    method: 'POST',
    path: '/api/admin/agreements/:id/activate',
    summary: 'Activate a version of an agreement',
    description:
      'It replaces the current version at once. Users who accepted it before are not asked again. If it is the current version already, ' +
      'nothing changes.',
    tag,
    access: platform('agreement:publish'),
    logs: 'AGREEMENT_ACTIVATE',
    params: ById,
    data: AgreementView,
    run: ({ actor, params }) => activateAgreement(actor, params.id),
  }),
]

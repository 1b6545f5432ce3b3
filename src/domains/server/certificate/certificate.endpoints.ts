import { endpoint, platform } from '#http/endpoint.ts'
import { HOUR } from '#platform/clock.ts'

import { OWNER_REFUSAL } from '../server.service.ts'
import { CertificateView } from './certificate.model.ts'
import { renewCertificate } from './certificate.service.ts'

export const certificateEndpoints = [
  endpoint({
    id: 'server.certificate.renew',
    method: 'POST',
    path: '/api/admin/server/certificate/renew',
    summary: 'Renew the certificate of the server now',
    description:
      'With ACME a new one is ordered, without the pause after a failure; look at `GET /api/admin/server` for its progress. With LOCAL_CA each process ' +
      'gets a new one. The answer is also 429 while five validations of one of the names have failed within an hour. The other administrators are notified.',
    tag: 'Server',
    access: platform('setting:update'),
    data: CertificateView,
    logs: 'SERVER_UPDATE',
    ignoresKey: 'Its answer is the present state of the certificate.',
    budgets: [
      {
        name: 'server.renewCertificate',
        counts: { en: 'renewals', zh: '续期' },
        per: 'user',
        limit: 3,
        windowMs: HOUR,
        durable: true,
      },
    ],
    refuses: {
      400: 'The server has no certificate, or one from files.',
      403: OWNER_REFUSAL,
    },
    run: ({ ctx, actor, caller }) => renewCertificate(ctx, actor, caller.locale),
  }),
]

import { endpoint, platform } from '#http/endpoint.ts'
import { HOUR } from '#platform/clock.ts'

import { OWNER_REFUSAL, serverVersionRow } from '../server.service.ts'
import { CertificateView } from './certificate.model.ts'
import { renewCertificate, showCertificate } from './certificate.service.ts'
import { CertificateChange } from './change.model.ts'
import { updateCertificate } from './change.service.ts'

export const certificateEndpoints = [
  endpoint({
    id: 'server.certificate.update',
    method: 'PUT',
    path: '/api/admin/server/certificate',
    summary: 'Change where the certificate of the server comes from',
    description:
      'With ACME the answer is PENDING, and `GET /api/admin/server` shows how the order goes. The port for HTTPS is tried before anything is stored. ' +
      'The other administrators are notified.',
    tag: 'Server',
    access: platform('setting:update'),
    row: serverVersionRow(CertificateView, ({ ctx, caller }) => showCertificate(ctx, caller.locale)),
    body: CertificateChange,
    data: CertificateView,
    logs: 'SERVER_UPDATE',
    refuses: {
      400: 'A value contradicts another one, is set at the start, or a port cannot be opened.',
      403: OWNER_REFUSAL,
    },
    run: ({ ctx, actor, body, caller }) => updateCertificate(ctx, actor, body, caller.locale),
  }),
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

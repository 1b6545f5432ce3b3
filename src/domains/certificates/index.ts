/** Certificates for the names of the server, which it gets and renews by itself. */

import type { AppContext } from '#context'
import { domain } from '#domains/domain.ts'
import type { CertificateSource } from '#http/tls.ts'
import { HOUR } from '#platform/clock.ts'

import { certificateEndpoints } from './certificates.endpoints.ts'
import { waitingPage } from './certificates.page.ts'
import { certificateToUse, present } from './certificates.service.ts'
import { findCertificate, startOrders, stopOrders, warnOfEnd } from './orders.service.ts'

export const certificates = domain({
  name: 'certificates',
  endpoints: certificateEndpoints,
  jobs: [{ name: 'certificates.warn', every: HOUR, run: warnOfEnd }],
  start: findCertificate,
  stop: stopOrders,
})

export { waitingPage } from './certificates.page.ts'
export { covers, sentenceOf, targetOf } from './certificates.rules.ts'
export { certificateOrders, checkPause, getsCertificate } from './certificates.service.ts'
export { applySettings, orderSoon } from './orders.service.ts'

export const certificatesByAcme = (ctx: AppContext): CertificateSource => ({
  read: () => certificateToUse(ctx),
  onChange(changed) {
    present(ctx).changed = changed
    startOrders(ctx)
  },
  waiting: (request) => waitingPage(ctx, request),
})

/** Terms of service and privacy policy: their versions, and which users have accepted them. */

import { domain } from '#domains/domain.ts'

import { adminEndpoints } from './admin.endpoints.ts'
import { agreementEndpoints } from './endpoints.ts'
import { pendingAgreements } from './service.ts'

export const agreements = domain({
  name: 'agreements',
  endpoints: [...agreementEndpoints, ...adminEndpoints],
  pendingAgreements,
})

export { CurrentAgreement } from './model.ts'
export { currentAgreements } from './service.ts'

/** Terms of service and privacy policy: their versions, and which users have accepted them. */

import { domain } from '#domains/domain.ts'

import { adminEndpoints } from './agreements.admin.endpoints.ts'
import { agreementEndpoints } from './agreements.endpoints.ts'
import { pendingAgreements } from './agreements.service.ts'
import { agreementAreas } from './agreements.store.ts'

export const agreements = domain({
  name: 'agreements',
  endpoints: [...agreementEndpoints, ...adminEndpoints],
  dataAreas: agreementAreas,
  pendingAgreements,
})

export { CurrentAgreement } from './agreements.model.ts'
export { currentAgreements } from './agreements.service.ts'

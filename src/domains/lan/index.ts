/** Servers of a private network: their certificate authority, and the pages from which devices learn to trust it. */

import { domain } from '#domains/domain.ts'

import { lookedAfter } from './authority/authority.service.ts'
import { trustEndpoints } from './trust/trust.endpoints.ts'

export const lan = domain({ name: 'lan', endpoints: trustEndpoints, stop: lookedAfter })

export { lanRenewalTime, trustUrl } from './authority/authority.rules.ts'
export {
  authorityFor,
  authorityState,
  countTrustingDevices,
  lanCertificates,
  lookedAfter,
  prepareAuthority,
  renewLanCertificates,
  replaceAuthority,
} from './authority/authority.service.ts'

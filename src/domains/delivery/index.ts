/**
 * E-mails and SMS to users, and queries to other outside services: the phone number of a one-click token, the city of an IP
 * address.
 */

import { domain } from '#domains/domain.ts'

import { startDelivery, stopDelivery } from './delivery-worker.ts'
import { placesOf } from './gateways.ts'

export const delivery = domain({
  name: 'delivery',
  start(ctx) {
    // Refuses the start if a configured city database cannot be used.
    placesOf(ctx)
    startDelivery(ctx)
  },
  stop: stopDelivery,
})

export {
  cityOf,
  countryOf,
  reportCeiling,
  resolveOneClickToken,
  sendCode,
  sendLastNotice,
  sendNotice,
  usesOfCeiling,
} from './sending.service.ts'
export type { CodeMessage, CodePurpose, EventContext, NoticeData, NoticeKind, NoticeMessage } from './delivery.model.ts'
export { readBacklog } from './delivery.store.ts'
export { lastDelivery, wake } from './delivery-worker.ts'
export { canSend, hasCountries, type MailServer, mailServerIn, mailServerOf } from './gateways.ts'
export { codeLetter, codeSms, trialLetter } from './templates/codes.ts'
export { senderOf } from './templates/layout.ts'

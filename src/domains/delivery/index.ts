/**
 * E-mails and SMS to users, and queries to other outside services: the phone number of a one-click token, the city of an IP
 * address.
 */

import { domain } from '#domains/domain.ts'

import { startDelivery, stopDelivery } from './delivery-worker.ts'
import { placesOf } from './gateways.ts'
import { refusalsJob } from './refusals.service.ts'

export const delivery = domain({
  name: 'delivery',
  jobs: [refusalsJob],
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
  sendComposed,
  sendLastNotice,
  sendNotice,
  usesOfCeiling,
} from './sending.service.ts'
export type {
  CodeMessage,
  CodePurpose,
  ComposedMessage,
  EventContext,
  NoticeData,
  NoticeKind,
  NoticeMessage,
} from './delivery.model.ts'
export { ATTEMPT_TIMEOUT_MS, NOTICE_LIFETIME_MS } from './delivery.model.ts'
export { nextAttempt } from './delivery.rules.ts'
export { readBacklog } from './delivery.store.ts'
export { lastDelivery, wake } from './delivery-worker.ts'
export {
  canSend,
  hasCountries,
  hasMailServer,
  mailerOf,
  type MailServer,
  mailServerIn,
  mailServerOf,
} from './gateways.ts'
export { addressHash, endSuppression, recordAccepted, recordRefusal, suppressedAmong } from './refusals.service.ts'
export { codeLetter, codeSms, trialLetter } from './templates/codes.ts'
export { type Content, letter, type Letter, type Sender, senderOf } from './templates/layout.ts'

/** Messages to people outside the app, and what other outside services tell: phone numbers of tokens, cities of addresses. */

import { domain } from '#domains/domain.ts'

import { citiesOf } from './gateways.ts'
import { startDelivery, stopDelivery } from './worker.ts'

export const delivery = domain({
  name: 'delivery',
  start(ctx) {
    // Refuses the start if a configured file of addresses cannot be used.
    citiesOf(ctx)
    startDelivery(ctx)
  },
  stop: stopDelivery,
})

export { cityOf, resolveOneClickToken, sendCode, sendNotice } from './service.ts'
export type { CodeMessage, CodePurpose, Happening, NoticeData, NoticeKind, NoticeMessage } from './model.ts'
export { wake } from './worker.ts'
export { codeLetter, codeSms } from './templates/codes.ts'

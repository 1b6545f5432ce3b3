/** Messages to people outside the app, and what other outside services tell: phone numbers of tokens, cities of addresses. */
export { cityOf, resolveOneClickToken, sendCode, sendNotice } from './service.ts'
export type { CodeMessage, CodePurpose, Happening, NoticeData, NoticeKind, NoticeMessage } from './model.ts'
export { startDelivery, stopDelivery, wake } from './worker.ts'
export { citiesOf } from './gateways.ts'
export { codeLetter, codeSms } from './templates/codes.ts'

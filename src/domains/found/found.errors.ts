import { badRequest, limited } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

export const pageTooOld = () =>
  badRequest('This page is too old or was used already: open the page again', '此页面已过期或已使用过，请重新打开页面')
export const tooFast = () =>
  badRequest('This was sent too fast: wait two seconds and send it again', '发送过快，请等待两秒后重新发送')
export const onlyAssetsAreLost = () => invalid('body.when', 'can be LOST for assets only', '仅资产可以设为 LOST')
export const messageTooLong = (max: number) =>
  invalid('body.message', `must have at most ${max} characters`, `最多 ${max} 个字符`)
export const conversationEnded = () =>
  badRequest('The conversation has ended, so nobody would read it', '对话已结束，无法再发送消息')
export const conversationFull = (max: number) =>
  limited(`A conversation has at most ${max} messages from each side`, `每段对话双方各最多 ${max} 条消息`, 24 * 60 * 60)
export const tooManyReports = (seconds: number) =>
  limited('Too many messages to owners, try again later', '发送给失主的消息过多，请稍后再试', seconds)

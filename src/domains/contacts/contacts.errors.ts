import { badRequest, limited } from '#http/errors.ts'

/** Waiting does not help here, but an hour keeps clients from retrying at once. */
const FULL_RETRY_SECONDS = 3600

export const oneTarget = () => badRequest('Give either userId or code', '请填写 userId 或 code 其中一项')
export const oneself = () => badRequest('You cannot add yourself', '不能添加自己')
export const alreadyContacts = () => badRequest('This person is already a contact of yours', '对方已经是你的联系人')
export const requestClosed = () => badRequest('This request has been answered or has expired', '该申请已处理或已过期')
export const contactsFull = () =>
  limited('You have reached your limit of contacts', '你的联系人数量已达上限', FULL_RETRY_SECONDS)
export const otherContactsFull = () =>
  limited('This person has reached the limit of contacts', '对方的联系人数量已达上限', FULL_RETRY_SECONDS)
export const rejectedRecently = (seconds: number) =>
  limited('You can ask this person again a day after the last answer', '对方刚刚拒绝了申请，请一天后再试', seconds)
export const tooManyWrongCodes = (seconds: number) =>
  limited('Too many wrong codes', '错误的名片码过多，请稍后再试', seconds)

import { AppError, badRequest, limited } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import type { BlankView } from './blanks.model.ts'

export const tooManyWrongSlugs = (wait: number): AppError =>
  limited('Too many wrong short links, try again later', '短链接错误次数过多，请稍后再试', wait)

export const numbersTaken = (): AppError =>
  invalid('body.prefix', 'makes numbers that other labels have already', '生成的编号与已有标签重复')

export const oneOfBoth = (): AppError =>
  invalid('body.id', 'or `create` must be given, but not both', '必须且只能提供 id 与 create 之一')

export const createsCodesOnly = (): AppError =>
  invalid('body.create', 'is only for the kind QR_CODE', '仅适用于类型 QR_CODE')

export const noSuchThing = (): AppError =>
  invalid('body.id', 'refers to nothing that belongs to the owner of the label', '不存在，或不属于该标签的所有者')

export const isVoid = (): AppError => badRequest('The label is void', '该标签已作废')

/** For those who only know its slug. */
export const isNoLongerUsed = (): AppError =>
  new AppError(410, 410, { en: 'The label is no longer used', zh: '该标签已停用' })

/** `data` is the label with its thing. */
export function alreadyBound(blank: BlankView): AppError {
  const { title } = blank
  return badRequest(
    title === null ? 'The label already stands for something else' : `The label already stands for “${title}”`,
    title === null ? '该标签已绑定到其他内容' : `该标签已绑定到“${title}”`,
    { data: blank },
  )
}

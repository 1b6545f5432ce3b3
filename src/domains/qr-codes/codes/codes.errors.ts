import { type AppError, type FieldProblem, forbidden, limited } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'

import type { Warning } from './codes.model.ts'

export const contentTooLong = (path: string, bytes: number, max: number): FieldProblem => ({
  path,
  text: {
    en: `takes ${bytes} bytes; at this error correction level a code holds at most ${max}`,
    zh: `占 ${bytes} 字节；在此纠错级别下二维码最多容纳 ${max} 字节`,
  },
})

export const noSuchCategory = (path: string): FieldProblem => ({
  path,
  text: { en: 'refers to a category that does not exist', zh: '分类不存在' },
})

export const noSuchCode = (path: string): FieldProblem => ({
  path,
  text: { en: 'refers to a QR code that does not exist', zh: '二维码不存在' },
})

/** Code 4022 is always sent with 429 and `Retry-After`. Waiting does not help here, but an hour keeps clients from retrying at once. */
export const quotaReached = (limit: number): AppError =>
  limited(`You have reached your limit of ${limit} QR codes`, `已达到二维码数量上限（${limit} 个）`, 3600)

export const mayNotPublish = (): AppError =>
  forbidden('You do not have permission to make QR codes public', '没有权限公开二维码')

export const slugMalformed = (path: string): FieldProblem => ({
  path,
  text: {
    en: 'must be 3 to 50 letters a to z, digits and hyphens, with no hyphen at either end',
    zh: '须为 3 至 50 个字母（a-z）、数字或连字符，且首尾不能是连字符',
  },
})

export const slugReserved = (path: string): FieldProblem => ({
  path,
  text: { en: 'is a word that the server uses itself', zh: '是服务器保留的词' },
})

/** The same for a slug of a code that was deleted or that the caller may not see. */
export const slugTaken = (path: string): FieldProblem => ({ path, text: { en: 'is taken', zh: '已被占用' } })

export const tooManyAliases = (path: string, max: number): FieldProblem => ({
  path,
  text: {
    en: `cannot change again: ${max} earlier slugs lead to this code`,
    zh: `不能再更改：已有 ${max} 个旧短链指向此二维码`,
  },
})

export const slugQuotaReached = (limit: number): AppError =>
  limited(
    `You have reached your limit of ${limit} slugs of your own choice`,
    `已达到自定义短链数量上限（${limit} 个）`,
    3600,
  )

export const WARNING_TEXTS: Readonly<Record<Warning['code'], Localized>> = {
  NOT_PUBLIC: {
    en: 'This code is not public, so that scans find nothing',
    zh: '此二维码未公开，扫码将找不到内容',
  },
  PICTURE_CHANGED: {
    en: 'The picture has changed. Codes that you have printed already keep leading where they led before',
    zh: '二维码图片已改变。已打印的二维码仍指向原来的内容',
  },
}

/** The errors of imports of links. */

import { badRequest } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'

export const noTargetColumn = () =>
  badRequest(
    'The file has no column for the target, to which new codes lead: say which of its columns it is',
    '文件缺少目标链接列，无法新建二维码，请指定哪一列是目标',
  )
export const noIdentityColumn = () =>
  badRequest(
    'The file has no column by which codes are found: slug, shortUrl, uuid, publicUrl or id',
    '文件缺少用于查找二维码的列：slug、shortUrl、uuid、publicUrl 或 id',
  )

const text = (en: string, zh: string): Localized => ({ en, zh })
export const cellError = (error: string) => text(`contains the error ${error}`, `单元格包含错误 ${error}`)
export const targetNeeded = text('is required for a new code', '新建二维码时不能为空')
export const notBoolean = text('must be true or false', '须为 true 或 false')
export const notOpens = text('must be TARGET or PAGE', '须为 TARGET 或 PAGE')
export const notRules = text('must be the rules as JSON', '须为 JSON 格式的规则')
export const notATime = text('must be a time, such as 2026-03-08T09:30:00Z', '须为时间，例如 2026-03-08T09:30:00Z')
export const notACount = text('must be a whole number', '须为整数')
export const unknownCode = text('is no code of yours', '你没有该二维码')
export const repeatedCode = (row: number) => text(`is also the code of row ${row}`, `与第 ${row} 行是同一个二维码`)
export const repeatedSlug = (row: number) => text(`is also the slug of row ${row}`, `与第 ${row} 行的短链相同`)
export const slugMalformed = text(
  'must be at most 100 letters a to z, digits, hyphens and underscores, with no hyphen at either end',
  '须为不超过 100 个字母、数字、连字符或下划线，且首尾不能是连字符',
)
export const inFuture = text('must not be in the future', '不能晚于当前时间')
export const noShortLink = text(
  'has no short link, so it has no rules, limits or fallback',
  '没有短链接，因此不能设置规则、限制或备用链接',
)

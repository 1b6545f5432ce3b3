import { type AppError, type FieldProblem, forbidden, limited } from '#http/errors.ts'

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

import { type AppError, badRequest, type FieldProblem, limited } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'

export const noSuchDesign = (path: string): FieldProblem => ({
  path,
  text: { en: 'refers to a design that does not exist', zh: '外观不存在' },
})

/** Waiting does not help, but an hour keeps clients from retrying at once. */
export const tooManyDesigns = (max: number): AppError =>
  limited(`There can be at most ${max} designs`, `最多创建 ${max} 个外观`, 3600)

export const designInUse = (codes: number): AppError =>
  badRequest(
    `${codes === 1 ? '1 code has' : `${codes} codes have`} this design. With force they become plain`,
    `有 ${codes} 个二维码使用此外观；使用 force 参数会将它们恢复为普通样式`,
  )

const pictureProblem = (path: string, en: string, zh: string) => invalidAll([{ path, text: { en, zh } }])
export const wrongKind = (path: string) =>
  pictureProblem(path, 'must be a PNG, JPEG or WebP picture', '须为 PNG、JPEG 或 WebP 图片')
export const tooManyBytes = (path: string) => pictureProblem(path, 'must have at most 2 MB', '不能超过 2 MB')
export const stripTooLarge = (path: string) =>
  pictureProblem(path, 'must have at most 2,400 × 600 pixels', '不能超过 2400 × 600 像素')
export const notUsable = (path: string) =>
  pictureProblem(
    path,
    'must be the id of your own unused picture of type qr_code',
    '须为你上传的、类型为 qr_code 且未被使用的图片',
  )

/** A field of a code with which the design cannot be read. `problem`: that of the design. */
export const unfitFor = ({ path: part, text }: FieldProblem, path: string): FieldProblem => ({
  path,
  text: {
    en: `cannot be read with the design of the code, whose ${part.replace(/^body\./, '')} ${text.en}`,
    zh: `与二维码的外观不匹配：${text.zh}`,
  },
})

const MAX_NAMES = 20

/** Adds the names of codes to a problem of their design. */
export function withCodes(problem: FieldProblem, names: readonly string[]): FieldProblem {
  if (names.length === 0) return problem
  const some = names.slice(0, MAX_NAMES)
  const { en, zh } = problem.text
  const more = names.length > MAX_NAMES
  return {
    path: problem.path,
    text: {
      en: `${en} (codes: ${some.join(', ')}${more ? ' and others' : ''})`,
      zh: `${zh}（二维码：${some.join('、')}${more ? '等' : ''}）`,
    },
  }
}

/** Problems of values, as they continue a sentence about the field of the request. */

import type { Localized } from '#lib/localized.ts'

import { MAX_PARTS, MAX_TEXTS } from './values.model.ts'

export const unknownField: Localized = { en: 'is for a field that does not exist', zh: '对应的字段不存在' }
export const noField: Localized = { en: 'needs the id or the key of its field', zh: '须提供字段的 ID 或 key' }
export const repeatedField: Localized = { en: 'is for a field that is given twice', zh: '对应的字段重复' }
export const requiredByTemplate: Localized = {
  en: 'is required by a template and cannot be cleared',
  zh: '模板要求填写，不能清空',
}
export const unknownTarget: Localized = {
  en: 'must be the id of something of the same owner that you can see',
  zh: '须为同一归属且你可以查看的对象的 ID',
}
export const unusableFile: Localized = {
  en: 'must contain ids of your own unused files of the same owner',
  zh: '须为你上传的、归属相同且未被使用的文件的 ID',
}
export const tooManyParts: Localized = {
  en: `must not contain more than ${MAX_PARTS} options, files and values in all`,
  zh: `选项、文件和值的总数不能超过 ${MAX_PARTS}`,
}
export const tooMuchMatching: Localized = {
  en: 'is too long to be compared with the patterns of so many fields: write fewer values at once',
  zh: '需比对格式的字段过多且文本过长，请分批提交',
}
export const objectDisabled: Localized = {
  en: 'cannot be set: metadata is disabled here',
  zh: '元数据已停用，不能设置',
}
export const tooManyFilters = (max: number): Localized => ({
  en: `is one filter too many: at most ${max} fields can be given`,
  zh: `筛选字段过多，最多 ${max} 个`,
})
export const notAnId: Localized = { en: 'must contain the id of a field', zh: '须包含字段的 ID' }
export const tooMuchText: Localized = {
  en: `is too long: the values of one thing can have ${MAX_TEXTS} characters together`,
  zh: `过长：同一对象的值合计最多 ${MAX_TEXTS} 个字符`,
}

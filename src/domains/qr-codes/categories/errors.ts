import { badRequest } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { MAX_CATEGORIES, MAX_DEPTH } from './model.ts'

export const noSuchParent = () => invalid('body.parentId', 'names a category that does not exist', '上级分类不存在')
export const tooDeep = () =>
  badRequest(`Categories can be nested at most ${MAX_DEPTH} levels deep`, `分类最多嵌套 ${MAX_DEPTH} 级`)
export const insideItself = () =>
  badRequest('A category cannot be moved into itself or below itself', '不能将分类移动到自身或其下级中')
export const hasChildren = () => badRequest('Move or delete the sub-categories first', '请先移动或删除子分类')
export const tooMany = () =>
  badRequest(`There can be at most ${MAX_CATEGORIES} categories`, `最多创建 ${MAX_CATEGORIES} 个分类`)
export const nothingToOrder = () => badRequest('Give either ids or items', '请提供 ids 或 items 之一')
export const namedTwice = () => badRequest('A category is named twice', '分类重复')
export const notSiblings = () =>
  badRequest('Only categories of one parent can be reordered together', '只能对同一上级下的分类排序')

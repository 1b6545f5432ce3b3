import { badRequest } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { MAX_DEPTH, MAX_LOCATIONS } from './model.ts'

export const noSuchParent = () => invalid('body.parentId', 'names a location that does not exist', '上级位置不存在')
export const halfPlace = () =>
  invalid('body.latitude', 'and longitude are given together or not at all', '纬度与经度须同时提供')
export const tooDeep = () =>
  badRequest(`Locations can be nested at most ${MAX_DEPTH} levels deep`, `位置最多嵌套 ${MAX_DEPTH} 级`)
export const insideItself = () =>
  badRequest('A location cannot be moved into itself or below itself', '不能将位置移动到自身或其下级中')
export const hasChildren = () => badRequest('Move or delete the locations below it first', '请先移动或删除下级位置')
export const inUse = (what: string) =>
  badRequest(`The location cannot be deleted: it still has ${what}`, `该位置下仍有内容，不能删除：${what}`)
export const tooMany = () =>
  badRequest(`There can be at most ${MAX_LOCATIONS} locations`, `最多创建 ${MAX_LOCATIONS} 个位置`)
export const nothingToOrder = () => badRequest('Give either ids or items', '请提供 ids 或 items 之一')
export const namedTwice = () => badRequest('A location is named twice', '位置重复')
export const notSiblings = () =>
  badRequest('Only locations of one parent can be reordered together', '只能对同一上级下的位置排序')

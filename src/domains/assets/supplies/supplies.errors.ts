import { badRequest, type FieldProblem, forbidden, limited } from '#http/errors.ts'

import { MAX_QUANTITY, MAX_SUPPLIES } from './supplies.model.ts'

const problem =
  (en: string, zh: string) =>
  (path: string): FieldProblem => ({ path, text: { en, zh } })

export const numberTaken = problem('is the number of another supply', '物料编号已被使用')
export const notEmpty = problem('must not be empty', '不能为空')
export const orgOnly = problem('is possible for supplies of an organization only', '仅组织物料可用')
export const noSuchKeeper = problem('must be the id of a member of the organization', '须为该组织的成员')
export const kindIsUsed = problem('cannot change, because there are movements', '已有出入库记录，不能更改类型')
export const noSuchSupply = problem('refers to a supply that does not exist', '物料不存在')
export const onlyMove = problem('is possible for MOVE only', '仅移动时可用')
export const onlyPool = problem('is possible when a POOL is taken only', '仅借出时可用')
export const noPerson = problem('is possible for TAKE and RETURN only', '仅领用和归还时可用')
export const onePerson = problem('must be absent if userId is given', '提供 userId 时不能填写')
export const samePlace = problem('is where they are already', '与原位置相同')
export const atLeastOne = problem('must be at least 1', '至少为 1')
export const notForOthers = forbidden('Only keepers may book for others', '仅管理员可以为他人登记')
export const usedBefore = problem('was used for another movement', '已用于其他操作')
export const onlyPools = problem('cannot be RETURN, because it is used up', '消耗品不能归还')
export const tooManyAtOnce = (most: number) => problem(`must be at most ${most} at once`, `每次最多 ${most}`)
export const tooFewThere = (left: number) =>
  problem(`is more than there are: ${left} ${left === 1 ? 'is' : 'are'} left`, `超出现有数量：剩余 ${left}`)
export const hasFewer = (left: number) => problem(`is more than this person has: ${left}`, `超出该人持有数量：${left}`)
export const namePlace = problem('is required, because there are some at several places', '不能为空：多个位置都有库存')
export const tooMuch = problem(`would make the stock exceed ${MAX_QUANTITY}`, `库存将超过 ${MAX_QUANTITY}`)

export const stillLent = () => badRequest('Some of it are lent: take them back first', '仍有借出，请先归还')
export const stillReserved = () =>
  badRequest('Some of it are reserved: cancel the reservations first', '仍有预约，请先取消')
export const cannotReverse = (left: number) =>
  badRequest(`It cannot be reversed: only ${left} are left of what it has added`, `无法冲销：其增加的数量仅剩 ${left}`)
export const placeIsGone = () =>
  badRequest('It cannot be reversed: one of its places was deleted', '无法冲销：相关位置已删除')
export const isReversal = () => badRequest('A reversal cannot be reversed', '冲销记录不能再冲销')
/** Waiting does not help here, but an hour keeps clients from retrying at once. */
export const tooManySupplies = () =>
  limited(`There can be at most ${MAX_SUPPLIES} supplies`, `最多 ${MAX_SUPPLIES} 种物料`, 3600)

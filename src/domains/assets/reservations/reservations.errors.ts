import { badRequest, type FieldProblem, forbidden } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { MAX_OPEN, MAX_OPEN_ITEMS } from './reservations.model.ts'

const problem =
  (en: string, zh: string) =>
  (path: string): FieldProblem => ({ path, text: { en, zh } })

export const onlyOrganizations = () =>
  invalid('body.orgId', 'is required: only organizations have reservations', '不能为空：仅组织支持预约')
export const oneThing = problem(
  'must have exactly one of assetId, categoryId and supplyId',
  '须且只能提供 assetId、categoryId、supplyId 之一',
)
export const quantityNeeded = problem('is required with categoryId and supplyId', '按分类或物资预约时不能为空')
export const onePiece = problem('must be 1 for an asset', '单项资产的数量须为 1')
export const twice = problem('is in the list already', '不能重复')
export const noSuchAsset = problem('refers to an asset that does not exist', '资产不存在')
export const noSuchPool = problem('must be the id of a supply of the kind POOL', '须为可借还的物资')
export const gone = problem('is scrapped or lost', '资产已报废或遗失')
export const inRepair = problem('is being repaired', '资产正在维修')
export const notBookable = problem('cannot be reserved', '资产不可预约')
export const tooFew = (path: string, free: number): FieldProblem => ({
  path,
  text: {
    en: `is more than there are: ${free} ${free === 1 ? 'is' : 'are'} free`,
    zh: `超出可用数量：当前可用 ${free}`,
  },
})
export const tooMany = (limit: number) =>
  invalid('body.items', `must name at most ${limit} assets`, `最多预约 ${limit} 项资产`)
export const twoPeople = () => invalid('body.personName', 'must be absent if userId is given', '提供 userId 时不能填写')
export const endsBefore = () => invalid('body.to', 'must be after the beginning', '须晚于开始时间')
export const isPast = (field: 'to' | 'dueAt') => invalid(`body.${field}`, 'must be in the future', '须晚于当前时间')
export const notYours = forbidden(
  'Only keepers may do this with the reservations of others',
  '仅管理员可以处理他人的预约',
)
export const onlyKeepers = forbidden(
  'After the pick-up, only keepers may change the reservation',
  '领取后仅管理员可以修改预约',
)
export const notForOthers = forbidden('Only keepers may reserve for others', '仅管理员可以为他人预约')
export const tooManyOpen = () =>
  badRequest(`You can have at most ${MAX_OPEN} open reservations`, `最多同时有 ${MAX_OPEN} 个未结束的预约`)
export const tooManyItems = () =>
  badRequest(
    `You can have at most ${MAX_OPEN_ITEMS} assets in open reservations`,
    `未结束的预约中最多有 ${MAX_OPEN_ITEMS} 项资产`,
  )
export const closed = () => badRequest('The reservation is closed', '预约已结束')
export const isOut = () => badRequest('Assets of the reservation were picked up already', '预约的资产已被领取')
export const onlyTheEnd = () =>
  badRequest('After the pick-up, only the end of the reservation can change', '领取后只能修改结束时间')
export const notRequested = () => badRequest('The reservation does not wait for a decision', '预约不在待审批状态')
export const notApproved = () => badRequest('The reservation is not approved yet', '预约尚未获批准')
export const nothingWaits = () => badRequest('Nothing is left to hand out', '没有待领取的资产')
export const nothingIsOut = () => badRequest('Nothing of the reservation is out', '预约中没有借出的资产')
export const twoLists = () => invalid('body.assetIds', 'must be absent if codes are given', '提供 codes 时不能填写')
export const notPart = problem('is not part of the reservation', '不属于该预约')

/** The errors of assets. */

import { badRequest, type FieldProblem, limited } from '#http/errors.ts'

const problem =
  (en: string, zh: string) =>
  (path: string): FieldProblem => ({ path, text: { en, zh } })

export const noSuchCategory = problem('refers to a category that does not exist', '分类不存在')
export const noSuchLocation = problem('refers to a location that does not exist', '位置不存在')
export const noLocations = problem('exists only for assets of an organization', '仅组织资产可以设置位置')
export const noSuchMember = problem('must be the id of a member of the organization', '须为该组织的成员')
export const notYourself = problem('must be your own id, because the asset is yours', '个人资产的保管人须为本人')
export const numberTaken = problem('is the number of another asset', '资产编号已被使用')
export const numberNeeded = problem('must not be empty', '不能为空')
export const noFreeNumber = problem(
  'is required, because no number of the pattern is free',
  '不能为空：按编号规则已无可用编号',
)
export const notADay = problem('must be a day that exists, as YYYY-MM-DD', '须为有效日期，格式为 YYYY-MM-DD')
export const notAPrice = problem(
  'must be an amount from 0 to 9999999999999.99 with at most two decimals',
  '须为 0 至 9999999999999.99 之间的金额，最多两位小数',
)
export const halfAPosition = problem(
  'is required: give latitude and longitude together',
  '不能为空：经度与纬度须同时提供',
)
export const photoTwice = problem('must not contain a photo twice', '不能包含重复的照片')
export const notAnImage = problem('must be the id of an image', '须为图片')
export const notPublishable = problem(
  'must be the name of a column, or field: and the id of a field',
  '须为列名，或 field: 加字段编号',
)
export const scrapSeparately = problem(
  'cannot be SCRAPPED here: use POST /api/assets/{id}/scrap',
  '不能在此设为 SCRAPPED，请使用报废接口',
)
export const isFinal = problem('cannot change, because the asset is scrapped', '资产已报废，不能更改状态')

/** Waiting does not help here, but an hour keeps clients from retrying at once. */
export const quotaReached = (limit: number) =>
  limited(`You have reached the limit of ${limit} assets`, `已达到资产数量上限（${limit} 个）`, 3600)

export const onLoan = () => badRequest('The asset is on loan: check it in first', '资产已借出，请先归还')

export const isReserved = () =>
  badRequest(
    'The asset is reserved: cancel the reservations first, or delete it by force',
    '资产已被预约，请先取消预约或强制删除',
  )

export const scrapped = () => badRequest('The asset is scrapped', '资产已报废')

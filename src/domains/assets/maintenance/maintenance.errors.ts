import { badRequest } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { MAX_PLANS, MAX_RECORDS } from './maintenance.model.ts'

export const tooManyPlans = () =>
  badRequest(`There can be at most ${MAX_PLANS} plans of maintenance`, `最多创建 ${MAX_PLANS} 个维护计划`)
export const tooManyRecords = () =>
  badRequest(`An asset has at most ${MAX_RECORDS} maintenance records`, `每项资产最多 ${MAX_RECORDS} 条维护记录`)
export const oneInterval = () => invalid('body.every', 'must have either days or months', '须提供天数或月数之一')
export const oneTarget = () =>
  invalid('body.assetId', 'must be given, or categoryId, but not both', '须提供 assetId 或 categoryId 之一')
export const noSuchAsset = () => invalid('body.assetId', 'refers to an asset that does not exist', '资产不存在')
export const noSuchPlan = () =>
  invalid('body.planId', 'must be the id of a plan that holds for this asset', '须为适用于该资产的维护计划')
export const onlyRepairs = () =>
  invalid('body.status', 'is possible for records of the kind REPAIR only', '仅维修记录可以更改资产状态')

/** Refusals of inventories. The problems of single fields become details of an error 400. */

import { badRequest, type FieldProblem, forbidden } from '#http/errors.ts'

import { MAX_EXPECTED, MAX_INVENTORIES } from './inventories.model.ts'

export const tooManyInventories = () =>
  badRequest(`There can be at most ${MAX_INVENTORIES} inventories`, `最多创建 ${MAX_INVENTORIES} 个盘点`)
export const tooManyExpected = () =>
  badRequest(
    `An inventory has at most ${MAX_EXPECTED} assets: narrow its scope`,
    `单次盘点最多 ${MAX_EXPECTED} 项资产，请缩小范围`,
  )
export const isClosed = () => badRequest('The inventory is closed', '盘点已结束，不能修改')
export const scopeIsFrozen = () =>
  badRequest('The scope cannot change after the inventory has started', '盘点开始后不能修改范围')
export const wrongTransition = (from: string, to: string) =>
  badRequest(`The status cannot change from ${from} to ${to}`, `状态不能从 ${from} 变为 ${to}`)
export const notRunning = () => badRequest('The inventory is not running', '盘点未在进行中')
export const notAssigned = () =>
  forbidden('Only its assignees and managers may scan for this inventory', '仅指定人员和管理员可进行此盘点')

const problem =
  (en: string, zh: string) =>
  (path: string): FieldProblem => ({ path, text: { en, zh } })
export const noSuchCategory = problem('refers to a category that does not exist', '分类不存在')
export const noSuchLocation = problem('refers to a location that does not exist', '位置不存在')
export const noSuchMember = problem('must be a member of the organization', '须为该组织的成员')
export const onlyYourself = problem('must be your own id', '只能是你自己')
export const notAnImage = problem('must be the id of an image', '须为图片')
export const codeMissing = problem('is required, unless assetId is given', '不能为空，除非提供 assetId')

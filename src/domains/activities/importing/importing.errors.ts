/** The errors of imports of participants. */

import type { RegistrationStatus } from '#db/schema/activities.ts'
import { badRequest } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'

import { STATUSES } from '../participants/table.rules.ts'

export const noNameColumn = () =>
  badRequest(
    'The sheet has no column for the name, which new participants need: choose which of its columns is the name',
    '表格缺少姓名列，无法新增参与者，请选择哪一列是姓名',
  )
const text = (en: string, zh: string): Localized => ({ en, zh })
export const cellError = (error: string) => text(`contains the error ${error}`, `单元格包含错误 ${error}`)
export const nameNeeded = text('is required for a new participant', '新增参与者时不能为空')
export const noAddress = text('is not an e-mail address', '不是有效的邮箱地址')
export const repeatedEmail = (row: number) => text(`is also the address of row ${row}`, `与第 ${row} 行的邮箱重复`)
export const notALanguage = text('must be en or zh', '须为 en 或 zh')
export const notAStatus = text(
  'must be Confirmed, Waiting, Rejected or Cancelled',
  '须为：已报名、候补、未通过、已取消',
)
export const notForNew = text('must be Confirmed or Waiting for a new participant', '新增参与者时须为：已报名、候补')
export const cannotBecome = (from: RegistrationStatus, to: RegistrationStatus) =>
  text(
    `cannot become ${STATUSES[to].en}: the guest is ${STATUSES[from].en}`,
    `不能改为${STATUSES[to].zh}：该访客的状态为${STATUSES[from].zh}`,
  )
export const noPlace = (free: number) =>
  text(
    `gets no place (free places: ${free}): put the row on the waiting list, or allow more people than there are places`,
    `名额不足（剩余 ${free} 个）：请将该行改为候补，或允许超出名额`,
  )

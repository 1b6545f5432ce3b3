/** The columns of the table of participants, and the words in its cells. */

import type { RegistrationSource, RegistrationStatus } from '#db/schema/activities.ts'
import type { TitledColumn } from '#http/tables.ts'
import type { Localized } from '#lib/localized.ts'

/** In their order. The columns of answers and NOTE follow. `key`: what imports call it; null for columns that they leave out. */
export const COLUMNS = [
  { key: 'name', en: 'Name', zh: '姓名', width: 30 },
  { key: 'status', en: 'Status', zh: '状态', width: 12 },
  { key: null, en: 'Position', zh: '候补位次', width: 10 },
  { key: 'source', en: 'Source', zh: '来源', width: 12 },
  { key: 'email', en: 'E-mail', zh: '邮箱', width: 30 },
  { key: 'language', en: 'Language', zh: '语言', width: 10 },
  { key: null, en: 'Registered', zh: '报名时间', width: 20, isTime: true },
  { key: null, en: 'Confirmed on', zh: '确认时间', width: 20, isTime: true },
  { key: null, en: 'Pass no.', zh: '通行证编号', width: 12 },
  { key: null, en: 'Pass', zh: '通行证', width: 12 },
  { key: null, en: 'First check-in', zh: '首次签到', width: 20, isTime: true },
  { key: null, en: 'Admissions', zh: '入场次数', width: 12 },
] as const satisfies readonly (TitledColumn & { readonly key: string | null })[]
export const ANSWER_WIDTH = 24
export const NOTE = { key: 'note', en: 'Note', zh: '备注', width: 40 } as const

export const STATUSES: Readonly<Record<RegistrationStatus, Localized>> = {
  CONFIRMED: { en: 'Confirmed', zh: '已报名' },
  WAITING: { en: 'Waiting', zh: '候补' },
  CANCELLED: { en: 'Cancelled', zh: '已取消' },
  PENDING: { en: 'Pending', zh: '待确认' },
  REJECTED: { en: 'Rejected', zh: '未通过' },
}
export const SOURCES: Readonly<Record<RegistrationSource, Localized>> = {
  ACCOUNT: { en: 'Account', zh: '账号' },
  GUEST: { en: 'Guest', zh: '访客' },
  MANUAL: { en: 'Manual', zh: '手动添加' },
  IMPORT: { en: 'Import', zh: '导入' },
}

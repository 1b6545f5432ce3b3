/** Words that several parts of the list of participants show. */

import type { ListedRegistration, RegistrationStatus } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { number } from '../../../i18n/format.ts'
import { texts } from '../../../i18n/words.ts'
import type { Tone } from '../../../ui/Status.tsx'

export const participantWords = texts({
  en: {
    ...common.en,
    statuses: {
      CONFIRMED: 'Confirmed',
      WAITING: 'Waiting',
      PENDING: 'Address not confirmed',
      REJECTED: 'Rejected',
      CANCELLED: 'Cancelled',
    },
    place: (n: number) => `Number ${number(n)}`,
    sources: { ACCOUNT: 'Account', GUEST: 'Guest', MANUAL: 'Added by hand', IMPORT: 'Imported' },
    name: 'Name',
    language: 'Language',
    noLanguage: 'Not known',
    note: 'Note',
    noteHelp: 'Only managers of the activity see it.',
    reason: 'Reason (optional)',
    reasonHelp: 'The person reads it.',
    tell: 'Tell the person',
    tellMany: 'Tell these people',
    over: 'Even if all places are taken',
    actions: { CONFIRM: 'Confirm', WAIT: 'To the waiting list', REJECT: 'Reject', CANCEL: 'Cancel registration' },
  },
  zh: {
    ...common.zh,
    statuses: {
      CONFIRMED: '已报名',
      WAITING: '候补',
      PENDING: '邮箱待确认',
      REJECTED: '未通过',
      CANCELLED: '已取消',
    },
    place: (n: number) => `第 ${number(n)} 位`,
    sources: { ACCOUNT: '账号', GUEST: '来宾', MANUAL: '手动添加', IMPORT: '导入' },
    name: '姓名',
    language: '语言',
    noLanguage: '未知',
    note: '备注',
    noteHelp: '仅活动管理者可见。',
    reason: '原因（可不填）',
    reasonHelp: '对方会看到。',
    tell: '通知对方',
    tellMany: '通知这些人',
    over: '名额已满时仍然执行',
    actions: { CONFIRM: '确认报名', WAIT: '移入候补', REJECT: '拒绝', CANCEL: '取消报名' },
  },
})

export const TONES: Record<RegistrationStatus, Tone> = {
  CONFIRMED: 'good',
  WAITING: 'warning',
  PENDING: 'neutral',
  REJECTED: 'bad',
  CANCELLED: 'neutral',
}

export const LANGUAGES = [
  { id: 'en', name: 'English' },
  { id: 'zh', name: '中文' },
] as const

export type Action = keyof typeof participantWords.en.actions

/** The actions of managers on a registration of each status. */
export const ACTIONS_OF: Readonly<Record<RegistrationStatus, readonly Action[]>> = {
  PENDING: ['CONFIRM', 'WAIT'],
  CONFIRMED: ['WAIT', 'REJECT', 'CANCEL'],
  WAITING: ['CONFIRM', 'REJECT', 'CANCEL'],
  REJECTED: ['CONFIRM', 'WAIT'],
  CANCELLED: ['CONFIRM', 'WAIT'],
}

/** `Waiting · Number 3` */
export const statusText = (
  { status, position }: Pick<ListedRegistration, 'status' | 'position'>,
  t: typeof participantWords.en,
): string => [t.statuses[status], position !== null && t.place(position)].filter(Boolean).join(' · ')

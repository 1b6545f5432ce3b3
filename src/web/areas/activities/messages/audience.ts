/** Whom a message goes to: what the chips of the form choose, and the filter of the interface that it stands for. */

import type { ParticipantFilter } from '../../../api/types.ts'
import { list } from '../../../i18n/format.ts'
import { texts } from '../../../i18n/words.ts'

export interface Audience {
  readonly status: 'ALL' | 'CONFIRMED' | 'WAITING'
  readonly pass: 'ANY' | 'YES' | 'NO'
  readonly checkedIn: 'ANY' | 'YES' | 'NO'
}

export const EVERYBODY: Audience = { status: 'ALL', pass: 'ANY', checkedIn: 'ANY' }

/** Undefined for everybody. */
export function filterOf({ status, pass, checkedIn }: Audience): ParticipantFilter | undefined {
  const filter: ParticipantFilter = {
    ...(status !== 'ALL' && { status }),
    ...(pass !== 'ANY' && { pass: pass === 'YES' }),
    ...(checkedIn !== 'ANY' && { checkedIn: checkedIn === 'YES' }),
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

export const audienceWords = texts({
  en: {
    status: { ALL: 'Everyone', CONFIRMED: 'Registered', WAITING: 'On the waiting list' },
    pass: { ANY: 'With or without a pass', YES: 'With a pass', NO: 'Without a pass' },
    checkedIn: { ANY: 'Arrived or not', YES: 'Arrived', NO: 'Not arrived' },
    chosen: 'Chosen people',
  },
  zh: {
    status: { ALL: '所有人', CONFIRMED: '已报名', WAITING: '候补' },
    pass: { ANY: '不论有无通行证', YES: '有通行证', NO: '没有通行证' },
    checkedIn: { ANY: '不论是否到场', YES: '已到场', NO: '未到场' },
    chosen: '指定的人',
  },
})

/** `Registered, Without a pass`; a filter that another client has made and that has no words is "Chosen people". */
export function audienceText(filter: ParticipantFilter | null, t: typeof audienceWords.en): string {
  const { status, pass, checkedIn, ...others } = filter ?? {}
  const named = {
    ...(status !== undefined && { status: t.status[status as Audience['status']] ?? t.chosen }),
    ...(pass !== undefined && { pass: t.pass[pass ? 'YES' : 'NO'] }),
    ...(checkedIn !== undefined && { checkedIn: t.checkedIn[checkedIn ? 'YES' : 'NO'] }),
    ...(Object.keys(others).length > 0 && { others: t.chosen }),
  }
  const parts = [...new Set(Object.values(named))]
  return parts.length === 0 ? t.status.ALL : list(parts)
}

/** The results of handing things out and taking them back, in words. */

import type { DataOf } from '../../../api/types.ts'
import { texts } from '../../../i18n/words.ts'

export type HandoverResult = DataOf<'assetReservations.pickUp'>['results'][number]['result']

export const resultWords = texts({
  en: {
    OUT: 'Handed out',
    RETURNED: 'Back',
    EXCHANGED: 'Handed out instead of another one',
    NOT_PART: 'Not part of this reservation',
    UNKNOWN: 'No asset has this code',
    UNAVAILABLE: 'Not available',
  } as Record<HandoverResult, string>,
  zh: {
    OUT: '已借出',
    RETURNED: '已归还',
    EXCHANGED: '已换借',
    NOT_PART: '不属于此预约',
    UNKNOWN: '没有此编号的资产',
    UNAVAILABLE: '不可借出',
  } as Record<HandoverResult, string>,
})

export const isGoodResult = (result: HandoverResult): boolean => ['OUT', 'RETURNED', 'EXCHANGED'].includes(result)

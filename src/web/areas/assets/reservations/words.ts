/** Words of reservations that several pages share, and their times on the clocks of the organization. */

import type { AssetReservation, AssetReservationItem } from '../../../api/types.ts'
import { timeZone } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwner, useSession } from '../../../session/session.ts'
import { whenOf } from '../../activities/words.ts'

type ItemState = AssetReservationItem['state']

export const words = texts({
  en: {
    states: { WAITING: 'Not handed out yet', OUT: 'Handed out', RETURNED: 'Returned' } as Record<ItemState, string>,
    overdue: 'Overdue',
    from: 'From',
    to: 'Until',
    purpose: 'Purpose',
    busy: 'Busy',
    items: (n: number) => (n === 1 ? '1 thing' : `${n} things`),
  },
  zh: {
    states: { WAITING: '待领取', OUT: '已借出', RETURNED: '已归还' } as Record<ItemState, string>,
    overdue: '已逾期',
    from: '开始',
    to: '结束',
    purpose: '用途',
    busy: '已占用',
    items: (n: number) => `${n} 件物品`,
  },
})

/** First words of the operations whose answers change with a reservation. */
export const REFRESHED = ['assetReservations', 'assets'] as const

/** The IANA name of the organization's zone, in which its days begin. */
export function useZone(): string {
  const owner = useOwner()
  const { orgs } = useSession()
  return orgs.find(({ id }) => id === owner?.id)?.timeZone ?? timeZone()
}

/** `Sat, 21 Nov 2026, 14:00–16:00` on the clocks of the organization. */
export const timesText = ({ from, to }: { readonly from: number; readonly to: number }, zone: string): string =>
  whenOf({ startTime: from, endTime: to, timeZone: zone })

/** The person of a reservation. Members do not see those of others. */
export function useBorrower(): (reservation: Pick<AssetReservation, 'userName' | 'personName'>) => string {
  const t = useTexts(words)
  return ({ userName, personName }) => personName ?? userName ?? t.busy
}

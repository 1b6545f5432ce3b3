/** Notifications to keepers and to the people of reservations. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Localized } from '#lib/localized.ts'

import { timeText } from '../bookings.rules.ts'
import { zoneOfOwner } from '../days.service.ts'
import { keepersAmong, tell } from '../keepers.service.ts'
import { bookingOf } from './choosing.service.ts'
import type * as store from './reservations.store.ts'

const EVENTS = {
  REQUESTED: { en: 'A reservation waits for your decision', zh: '有预约待审批' },
  APPROVED: { en: 'Your reservation is approved', zh: '预约已批准' },
  REJECTED: { en: 'Your reservation is rejected', zh: '预约已被拒绝' },
  CANCELLED: { en: 'Your reservation is cancelled', zh: '预约已取消' },
  EXPIRED: { en: 'Your reservation has expired', zh: '预约已失效' },
  PICK_UP_TOMORROW: { en: 'You can pick up your reservation tomorrow', zh: '明天可领取预约的资产' },
  ASSET_LOST: { en: 'Your reservation has lost assets', zh: '预约的资产不再可用' },
} as const satisfies Record<string, Localized>
export type ReservationEvent = keyof typeof EVENTS

/** Things that a notification names. */
const NAMED = 5

/** Notifies the person of a reservation, unless they are `actorId` themselves or have no account. */
export async function tellPerson(
  ctx: AppContext,
  tx: Tx,
  event: Exclude<ReservationEvent, 'REQUESTED'>,
  row: store.ReservationRow,
  items: readonly store.ItemRow[],
  actorId?: number,
): Promise<void> {
  if (row.userId === null || row.userId === actorId) return
  await send(ctx, tx, event, row, items, [row.userId])
}

/** Notifies the users who decide about it: the keepers of the categories, or else those of the organization. */
export async function tellKeepers(
  ctx: AppContext,
  tx: Tx,
  row: store.ReservationRow,
  items: readonly store.ItemRow[],
): Promise<void> {
  const { keeperIds } = await bookingOf(tx, row.orgId, items)
  await send(ctx, tx, 'REQUESTED', row, items, await keepersAmong(tx, row.orgId, keeperIds))
}

async function send(
  ctx: AppContext,
  tx: Tx,
  event: ReservationEvent,
  row: store.ReservationRow,
  items: readonly store.ItemRow[],
  userIds: readonly number[],
): Promise<void> {
  const zone = await zoneOfOwner(tx, row.orgId)
  const [from, to] = [timeText(row.startsAt, zone), timeText(row.endsAt, zone)]
  const names = items
    .slice(0, NAMED)
    .map(({ name, assetNo, quantity }) => `${quantity > 1 ? `${quantity} × ` : ''}${name} (${assetNo})`)
  const more = items.length - names.length
  const person = event === 'REQUESTED' ? (row.userName ?? row.personName) : null
  const reason = row.reason === '' ? '' : ` ${row.reason}`
  const [first] = items
  await tell(ctx, tx, row.orgId, {
    userIds,
    title: EVENTS[event],
    body: {
      en: `${person === null ? '' : `${person}: `}${names.join('; ')}${more > 0 ? `; and ${more} more` : ''}, ${from} to ${to}.${reason}`,
      zh: `${person === null ? '' : `${person}：`}${names.join('；')}${more > 0 ? `；另有 ${more} 项` : ''}，${from} 至 ${to}。${reason}`,
    },
    data: { reservationId: row.id, ...(first?.assetId != null && { assetId: first.assetId }), event },
  })
}

/** How the assets of a category may be reserved, as requests give it. */

import type { Booking } from '#db/schema/reservations.ts'
import type { Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { invalid, invalidAll } from '#http/validate.ts'

import { DEFAULT_BOOKING } from '../bookings.rules.ts'
import { noSuchMember } from '../register/register.errors.ts'
import { membersAmong } from '../register/register.store.ts'
import type { BookingInput } from './categories.model.ts'

/**
 * Absent fields have their defaults. Keepers that it has `before` may have left the organization since.
 * @throws AppError 400 for a personal category, and for keepers who are not members
 */
export async function bookingOf(
  tx: Tx,
  { orgId }: Owner,
  given: BookingInput | null | undefined,
  where: string,
  before: Booking | null = null,
): Promise<Booking | null> {
  if (given == null) return null
  if (orgId === 0)
    throw invalid(`${where}.booking`, 'is possible only for categories of an organization', '仅组织的分类可以预约')
  const booking = { ...DEFAULT_BOOKING, ...given }
  const added = booking.keeperIds.filter((id) => before?.keeperIds.includes(id) !== true)
  const members = await membersAmong(tx, orgId, added)
  const i = booking.keeperIds.findIndex((id) => added.includes(id) && !members.has(id))
  if (i >= 0) throw invalidAll([noSuchMember(`${where}.booking.keeperIds.${i}`)])
  return booking
}

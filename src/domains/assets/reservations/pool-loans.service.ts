/** The loans of supplies that reservations hand out: a person has one of a supply, however many reservations of it are out. */

import type { Tx } from '#db/store.ts'

import { type LoanRow, loansOf, setLoan } from '../supplies/movements.store.ts'
import { nameKey } from '../supplies/supplies.rules.ts'
import { type ItemRow, outItemsOf, type ReservationRow } from './reservations.store.ts'

const nameOf = ({ userId, personName }: Pick<ReservationRow, 'userId' | 'personName'>): string =>
  userId === null ? nameKey(personName ?? '') : ''

/** The loans of the person of a reservation. The supplies are locked. */
export async function loansOfPerson(tx: Tx, row: ReservationRow, supplyIds: readonly number[]): Promise<LoanRow[]> {
  const person = { userId: row.userId ?? 0, nameKey: nameOf(row) }
  const loans = await loansOf(
    tx,
    supplyIds.map((supplyId) => ({ supplyId, ...person })),
  )
  return [...loans.values()]
}

/**
 * The loan is due when the last of it is: at the end of this reservation or of another one that is out, or at a time that a keeper has given for some
 * without a reservation. `items`: those that are out, as they were before. `to`: the new end of their reservation; without it, they come back.
 */
export async function settleDueTimes(tx: Tx, row: ReservationRow, items: readonly ItemRow[], to = 0): Promise<void> {
  const busyUntil = new Map(items.flatMap((item) => (item.supplyId === null ? [] : [[item.supplyId, item.busyUntil!]])))
  if (busyUntil.size === 0) return
  const others = (await outItemsOf(tx, row, [...busyUntil.keys()])).filter((one) => nameOf(one) === nameOf(row))
  for (const loan of await loansOfPerson(tx, row, [...busyUntil.keys()])) {
    const ends = others.filter(({ supplyId }) => supplyId === loan.supplyId).map((other) => other.busyUntil!)
    // The version before kept no `givenDueAt`: there, a time after all reservations was given by a keeper.
    const isGiven = loan.dueAt !== null && loan.dueAt > Math.max(busyUntil.get(loan.supplyId)!, ...ends)
    const dueAt = Math.max(to, (isGiven ? loan.dueAt : loan.givenDueAt) ?? 0, ...ends)
    if (dueAt > 0 && dueAt !== loan.dueAt) await setLoan(tx, { ...loan, dueAt })
  }
}

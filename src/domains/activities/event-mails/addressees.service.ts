/** Where and how people who take part are mailed: users at their proved address, guests at the address that they have confirmed. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { type Addressee, type MailTarget, mailTargetsOf } from '#domains/notifications/index.ts'

import { findGuests } from '../registrations/guests.store.ts'
import type { RegistrationRow } from '../registrations/registrations.store.ts'

/** `address` and `locale` are null if they are not known. */
export interface MailAddress extends MailTarget {
  /** The page of a guest. */
  readonly pageUrl?: string | undefined
}

/** By the person (`personOf`), of some hundred people. */
export async function mailAddressesOf(
  ctx: AppContext,
  db: Db | Tx,
  people: readonly number[],
): Promise<ReadonlyMap<number, MailAddress>> {
  const users = await mailTargetsOf(
    ctx,
    db,
    people.filter((person) => person > 0),
  )
  const guestIds = people.filter((person) => person < 0).map((person) => -person)
  if (guestIds.length === 0) return users
  const guests = (await findGuests(db, guestIds)).map((row): [number, MailAddress] => [
    -row.id,
    {
      address: row.emailConfirmedAt === null ? null : row.email,
      locale: row.language,
      timeZone: null,
      pageUrl: guestUrl(ctx, row),
    },
  ])
  return new Map([...users, ...guests])
}

/** The page of a guest. Undefined without a link: the guest was entered by a manager. */
export function guestUrl(ctx: AppContext, { secret }: Pick<RegistrationRow, 'secret'>): string | undefined {
  const given = secret === null ? undefined : ctx.seal.open(secret)
  return given === undefined ? undefined : `${ctx.config.publicUrl}/s/registration/${given}`
}

export const addresseeOf = (person: number, address: string): Addressee => ({
  userId: person > 0 ? person : null,
  address,
})

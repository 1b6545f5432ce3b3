/** Questions of this and other domains about two users: whether they know each other, and whether they may write. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { contributions } from '#domains/domain.ts'

import { LOOKUP_MS } from './contacts.model.ts'
import * as store from './contacts.store.ts'
import { type Person, toPerson } from './contacts.view.ts'

/**
 * Whether the user may name the other one in a request, message or card: a common organization, a contact on either side, a conversation,
 * a card that was received, or found by search or card in the last 24 hours. False for deleted and unknown users. A user who is only
 * blocked by the other one does not know them: it must not show who blocks whom.
 */
export async function mayKnow(ctx: AppContext, db: Db | Tx, userId: number, otherId: number): Promise<boolean> {
  const person = await store.findPerson(db, otherId)
  const { own, theirs } = await store.findSides(db, userId, otherId)
  // The same queries for an id that no user has.
  const isKnown =
    own !== undefined ||
    theirs?.isContact === true ||
    (await store.findLookups(db, userId, otherId, ctx.clock.now() - LOOKUP_MS)).length > 0 ||
    (await isAcquainted(ctx, db, userId, otherId))
  return isKnown && person !== undefined && person.status !== 'DELETED'
}

async function isAcquainted(ctx: AppContext, db: Db | Tx, userId: number, otherId: number): Promise<boolean> {
  for (const knows of contributions(ctx, 'acquaintance')) if (await knows(db, userId, otherId)) return true
  return false
}

/** Whether both users have each other as a contact, blocked or not. */
export async function areContacts(db: Db | Tx, userId: number, otherId: number): Promise<boolean> {
  const { own, theirs } = await store.findSides(db, userId, otherId)
  return own?.isContact === true && theirs?.isContact === true
}

/** Whether one of the users has blocked the other. */
export async function isBlocked(db: Db | Tx, userId: number, otherId: number): Promise<boolean> {
  const { own, theirs } = await store.findSides(db, userId, otherId)
  return own?.blocked === true || theirs?.blocked === true
}

/** Those of the users with whom the user has a block, on either side. */
export const blockedAmong = (db: Db | Tx, userId: number, otherIds: readonly number[]): Promise<Set<number>> =>
  store.findBlockedAmong(db, userId, otherIds)

/** The user's own rows about these people, by their ids. People without a row are left out. */
export async function remarksOf(
  db: Db | Tx,
  userId: number,
  otherIds: readonly number[],
): Promise<Map<number, { readonly remark: string; readonly contactId: number }>> {
  const rows = await store.findRemarks(db, userId, otherIds)
  return new Map(rows.map(({ otherId, remark, contactId }) => [otherId, { remark, contactId }]))
}

/** Whether each of the users sends read receipts. */
export async function readReceiptsOf(db: Db | Tx, userIds: readonly number[]): Promise<Map<number, boolean>> {
  const without = await store.withoutReadReceipts(db, userIds)
  return new Map(userIds.map((id) => [id, !without.has(id)]))
}

/** Deleted users are included, with the name that others see in place of theirs. */
export async function personsByIds(ctx: AppContext, db: Db | Tx, ids: readonly number[]): Promise<Map<number, Person>> {
  if (ids.length === 0) return new Map()
  const rows = await store.findUsers(db, [...new Set(ids)])
  return new Map(rows.map((row) => [row.userId, toPerson(ctx, row)]))
}

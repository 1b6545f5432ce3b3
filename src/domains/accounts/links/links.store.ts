import { and, asc, count, eq, or } from 'drizzle-orm'

import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { accountLinks, users } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'

export type LinkRow = typeof accountLinks.$inferSelect

export interface LinkWithOther extends LinkRow {
  /** Nickname of the other account. */
  readonly nickname: string
  readonly avatar: string | null
}

const pair = [accountLinks.ownerUserId, accountLinks.linkedUserId]

/** Inserts a link that is in force, or puts a proposed one in force. Undefined if such a link is in force already. */
export async function insertLink(
  tx: Tx,
  link: Pick<LinkRow, 'ownerUserId' | 'linkedUserId'>,
): Promise<LinkRow | undefined> {
  const active = { status: 'ACTIVE', createdAt: tx.stamp } as const
  const rows = await tx
    .insert(accountLinks)
    .values({ ...link, ...active })
    .onConflictDoUpdate({ target: pair, set: active, setWhere: eq(accountLinks.status, 'PENDING') })
    .returning()
  return rows[0]
}

/** Inserts a link that opens nothing until the linked user accepts it. Undefined if the pair has a link. */
export async function insertProposal(
  tx: Tx,
  link: Pick<LinkRow, 'ownerUserId' | 'linkedUserId'>,
): Promise<LinkRow | undefined> {
  const rows = await tx
    .insert(accountLinks)
    .values({ ...link, status: 'PENDING', createdAt: tx.stamp })
    .onConflictDoNothing({ target: pair })
    .returning()
  return rows[0]
}

/** Undefined if no such link was proposed to the user, or it was accepted or deleted. */
export async function acceptProposal(tx: Tx, linkedUserId: number, id: number): Promise<LinkRow | undefined> {
  const rows = await tx
    .update(accountLinks)
    .set({ status: 'ACTIVE' })
    .where(
      and(eq(accountLinks.id, id), eq(accountLinks.linkedUserId, linkedUserId), eq(accountLinks.status, 'PENDING')),
    )
    .returning()
  return rows[0]
}

/** The user's links in one direction, oldest first. INCOMING includes proposed ones. */
export function pageOfLinks(
  db: Db,
  userId: number,
  direction: 'OUTGOING' | 'INCOMING',
  page: PageInput,
): Promise<Page<LinkWithOther>> {
  const [mine, other] =
    direction === 'OUTGOING'
      ? [accountLinks.ownerUserId, accountLinks.linkedUserId]
      : [accountLinks.linkedUserId, accountLinks.ownerUserId]
  const where = and(eq(mine, userId), direction === 'OUTGOING' ? eq(accountLinks.status, 'ACTIVE') : undefined)
  return pageOfQuery(
    page,
    db
      .select({
        id: accountLinks.id,
        ownerUserId: accountLinks.ownerUserId,
        linkedUserId: accountLinks.linkedUserId,
        status: accountLinks.status,
        createdAt: accountLinks.createdAt,
        nickname: users.nickname,
        avatar: users.avatar,
      })
      .from(accountLinks)
      .innerJoin(users, eq(users.id, other))
      .where(where)
      .orderBy(asc(accountLinks.id)),
    db.select({ n: count() }).from(accountLinks).where(where),
  )
}

/** A link that `ownerUserId` may use, which its other side has accepted, by its id or by the account it leads to. */
export async function findLink(
  tx: Tx,
  ownerUserId: number,
  by: { id: number } | { linkedUserId: number },
): Promise<LinkRow | undefined> {
  const which = 'id' in by ? eq(accountLinks.id, by.id) : eq(accountLinks.linkedUserId, by.linkedUserId)
  const rows = await tx
    .select()
    .from(accountLinks)
    .where(and(eq(accountLinks.ownerUserId, ownerUserId), eq(accountLinks.status, 'ACTIVE'), which))
  return rows[0]
}

/** For both sides of a link. Undefined if the user has no such link. */
export async function deleteLink(tx: Tx, userId: number, id: number): Promise<LinkRow | undefined> {
  const ofUser = or(eq(accountLinks.ownerUserId, userId), eq(accountLinks.linkedUserId, userId))
  const rows = await tx
    .delete(accountLinks)
    .where(and(eq(accountLinks.id, id), ofUser))
    .returning()
  return rows[0]
}

import { and, count, desc, eq, gt, type SQL, sql } from 'drizzle-orm'

import { type Page, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { contactRequests, contacts, type RequestStatus } from '#db/schema/contacts.ts'
import type { Db, Tx } from '#db/store.ts'

import type { RequestRow } from '../contacts.store.ts'
import type { RequestsQuery } from './requests.model.ts'

export type Direction = 'INCOMING' | 'OUTGOING'

/** A request as one of the two sees it. */
export interface SeenRequest {
  readonly request: RequestRow
  /** The other person. */
  readonly userId: number
  readonly nickname: string
  readonly avatar: string | null
  /** Of the viewer's contact with the other person; null if there is none. */
  readonly contactId: number | null
}

/** The requests that a user received or sent. Those that are hidden from the recipient are the sender's only. */
const seenBy = (userId: number, direction: Direction): SQL =>
  direction === 'INCOMING'
    ? and(eq(contactRequests.toId, userId), eq(contactRequests.hidden, false))!
    : eq(contactRequests.fromId, userId)

function seenQuery(db: Db | Tx, userId: number, direction: Direction) {
  const otherId = direction === 'INCOMING' ? contactRequests.fromId : contactRequests.toId
  return db
    .select({
      request: contactRequests,
      userId: users.id,
      nickname: users.nickname,
      avatar: users.avatar,
      contactId: contacts.id,
    })
    .from(contactRequests)
    .innerJoin(users, eq(users.id, otherId))
    .leftJoin(contacts, and(eq(contacts.userId, userId), eq(contacts.otherId, otherId), eq(contacts.isContact, true)))
}

/** `now` (epoch milliseconds) decides which pending requests have expired. */
const hasStatus = (status: RequestStatus, now: number): SQL => {
  const pending = eq(contactRequests.status, 'PENDING').inlineParams()
  switch (status) {
    case 'PENDING':
      return and(pending, gt(contactRequests.expiresAt, now))!
    case 'EXPIRED':
      return sql`(${contactRequests.status} = 'EXPIRED' or (${pending} and ${contactRequests.expiresAt} <= ${now}))`
    default:
      return eq(contactRequests.status, status)
  }
}

/** Newest first. */
export function requestsPage(
  db: Db,
  userId: number,
  direction: Direction,
  query: RequestsQuery,
  now: number,
): Promise<Page<SeenRequest>> {
  const where = and(seenBy(userId, direction), query.status && hasStatus(query.status, now))
  return pageOfQuery(
    query,
    seenQuery(db, userId, direction).where(where).orderBy(desc(contactRequests.id)),
    db.select({ n: count() }).from(contactRequests).where(where),
  )
}

/** Undefined if the user is neither sender nor recipient, or if the request is hidden from the user. */
export async function findSeen(db: Db | Tx, userId: number, id: number): Promise<SeenRequest | undefined> {
  for (const direction of ['OUTGOING', 'INCOMING'] as const) {
    const [row] = await seenQuery(db, userId, direction).where(
      and(seenBy(userId, direction), eq(contactRequests.id, id)),
    )
    if (row !== undefined) return row
  }
  return undefined
}

const openCount = prepared((db) =>
  db
    .select({ n: count() })
    .from(contactRequests)
    .where(
      and(
        eq(contactRequests.toId, sql.placeholder('userId')),
        eq(contactRequests.hidden, false),
        eq(contactRequests.status, 'PENDING').inlineParams(),
        sql`${contactRequests.expiresAt} > ${sql.placeholder('now')}`,
      ),
    ),
)

/** Requests that wait for an answer of the user at `now`. */
export const countOpen = async (db: Db, userId: number, now: number): Promise<number> =>
  (await openCount(db, { userId, now }))[0]!.n

/** When the recipient last rejected a request of the sender after `since`; undefined if that did not happen. */
export async function rejectedAt(tx: Tx, fromId: number, toId: number, since: number): Promise<number | undefined> {
  const [row] = await tx
    .select({ handledAt: contactRequests.handledAt })
    .from(contactRequests)
    .where(
      and(
        eq(contactRequests.fromId, fromId),
        eq(contactRequests.toId, toId),
        eq(contactRequests.status, 'REJECTED'),
        gt(contactRequests.handledAt, since),
      ),
    )
    .orderBy(desc(contactRequests.id))
    .limit(1)
  return row?.handledAt ?? undefined
}

export type NewRequest = Pick<
  RequestRow,
  'fromId' | 'toId' | 'message' | 'remark' | 'source' | 'status' | 'hidden' | 'createdAt' | 'expiresAt' | 'handledAt'
>

/** Inserts a request in place of an expired one. The caller has checked that none is pending. */
export async function insertRequest(tx: Tx, request: NewRequest): Promise<RequestRow> {
  await tx
    .update(contactRequests)
    .set({ status: 'EXPIRED' })
    .where(
      and(
        eq(contactRequests.fromId, request.fromId),
        eq(contactRequests.toId, request.toId),
        eq(contactRequests.status, 'PENDING').inlineParams(),
      ),
    )
  const [row] = await tx.insert(contactRequests).values(request).returning()
  return row!
}

/** Answers a pending request of the recipient. Undefined if it is not pending at `now`, or if the user may not answer it. */
export async function closeRequest(
  tx: Tx,
  id: number,
  toId: number,
  status: 'ACCEPTED' | 'REJECTED',
  now: number,
): Promise<RequestRow | undefined> {
  const [row] = await tx
    .update(contactRequests)
    .set({ status, handledAt: now })
    .where(
      and(
        eq(contactRequests.id, id),
        eq(contactRequests.toId, toId),
        eq(contactRequests.hidden, false),
        eq(contactRequests.status, 'PENDING').inlineParams(),
        gt(contactRequests.expiresAt, now),
      ),
    )
    .returning()
  return row
}

/** Marks a pending request as accepted, because both have become contacts in another way. */
export async function acceptPending(
  tx: Tx,
  fromId: number,
  toId: number,
  now: number,
): Promise<RequestRow | undefined> {
  const [row] = await tx
    .update(contactRequests)
    .set({ status: 'ACCEPTED', handledAt: now })
    .where(
      and(
        eq(contactRequests.fromId, fromId),
        eq(contactRequests.toId, toId),
        eq(contactRequests.status, 'PENDING').inlineParams(),
        gt(contactRequests.expiresAt, now),
      ),
    )
    .returning()
  return row
}

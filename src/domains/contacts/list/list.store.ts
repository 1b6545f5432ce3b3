import { and, asc, count, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'

import { contains, hasElement } from '#db/contains.ts'
import { isOneOf, loweredText } from '#db/dialect.ts'
import { type Page, pageOfQuery, sortBy } from '#db/paging.ts'
import { users } from '#db/schema/accounts.ts'
import { contacts } from '#db/schema/contacts.ts'
import type { Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'

import type { ContactRow } from '../contacts.store.ts'
import type { ListQuery } from './list.model.ts'

export interface ContactWithPerson {
  readonly contact: ContactRow
  readonly nickname: string
  readonly avatar: string | null
  readonly signature: string | null
}

const columns = { contact: contacts, nickname: users.nickname, avatar: users.avatar, signature: users.signature }

/**
 * The nickname of a contact, without a join: PostgreSQL would join 10,000 contacts by reading the whole table of users, which takes longer
 * than looking them up by their ids.
 */
const nickname = sql`(select ${users.nickname} from ${users} where ${users.id} = ${contacts.otherId})`
/** The name in the user's list: the remark, otherwise the nickname. */
const shownName = loweredText(sql`coalesce(nullif(${contacts.remark}, ''), ${nickname})`)

const ownedBy = (userId: number, ...more: (SQL | undefined)[]) => and(eq(contacts.userId, userId), ...more)

/** Reads and sorts all contacts of the user for a page: `db` must fit their number. */
export async function contactsPage(db: Db, userId: number, query: ListQuery): Promise<Page<ContactWithPerson>> {
  const { keyword, tag, blocked, sort = 'name' } = query
  const where = ownedBy(
    userId,
    blocked === true ? eq(contacts.blocked, true) : eq(contacts.isContact, true),
    blocked === false ? eq(contacts.blocked, false) : undefined,
    tag ? hasElement(contacts.tags, tag) : undefined,
    keyword ? or(contains(contacts.remark, keyword), contains(nickname, keyword)) : undefined,
  )
  const byName = sort.startsWith('-') ? [desc(shownName), desc(contacts.id)] : [asc(shownName), asc(contacts.id)]
  const orderBy =
    sort === 'createdAt' || sort === '-createdAt'
      ? sortBy({ createdAt: contacts.createdAt, id: contacts.id }, sort)
      : byName
  const { items: ids, ...page } = await pageOfQuery(
    query,
    db
      .select({ id: contacts.id })
      .from(contacts)
      .where(where)
      .orderBy(...orderBy),
    db.select({ n: count() }).from(contacts).where(where),
  )
  if (ids.length === 0) return { items: [], ...page }
  const rows = await db
    .select(columns)
    .from(contacts)
    .innerJoin(users, eq(users.id, contacts.otherId))
    .where(
      ownedBy(
        userId,
        inArray(
          contacts.id,
          ids.map(({ id }) => id),
        ),
      ),
    )
  const byId = new Map(rows.map((row) => [row.contact.id, row]))
  return { items: ids.flatMap(({ id }) => byId.get(id) ?? []), ...page }
}

/** Undefined if the user has no such contact. */
export async function findContact(
  db: Db | Tx,
  userId: number,
  contactId: number,
): Promise<ContactWithPerson | undefined> {
  const [row] = await db
    .select(columns)
    .from(contacts)
    .innerJoin(users, eq(users.id, contacts.otherId))
    .where(ownedBy(userId, eq(contacts.id, contactId)))
  return row
}

/** Those of `otherIds` who have the user as a contact. */
export async function whoHave(db: Db | Tx, userId: number, otherIds: readonly number[]): Promise<Set<number>> {
  if (otherIds.length === 0) return new Set()
  const rows = await db
    .select({ id: contacts.userId })
    .from(contacts)
    .where(and(isOneOf(contacts.userId, otherIds), eq(contacts.otherId, userId), eq(contacts.isContact, true)))
  return new Set(rows.map((row) => row.id))
}

/** False if the user has no such contact. */
export async function updateContact(
  tx: Tx,
  userId: number,
  contactId: number,
  change: Partial<Pick<ContactRow, 'remark' | 'tags' | 'blocked'>>,
): Promise<boolean> {
  const rows = await tx
    .update(contacts)
    .set({ ...change, updatedAt: updatedAtFor(contacts, change, tx.stamp) })
    .where(ownedBy(userId, eq(contacts.id, contactId)))
    .returning({ id: contacts.id })
  return rows.length > 0
}

/** Deletes the row if the other user is not a contact. */
export async function deleteIfNoContact(tx: Tx, userId: number, contactId: number): Promise<void> {
  await tx.delete(contacts).where(ownedBy(userId, eq(contacts.id, contactId), eq(contacts.isContact, false)))
}

/** Returns the other user's id, or undefined if the user has no such contact. */
export async function deleteContact(tx: Tx, userId: number, contactId: number): Promise<number | undefined> {
  const [row] = await tx
    .delete(contacts)
    .where(ownedBy(userId, eq(contacts.id, contactId)))
    .returning({ otherId: contacts.otherId })
  return row?.otherId
}

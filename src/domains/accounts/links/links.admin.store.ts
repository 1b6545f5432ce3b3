import { and, eq, or } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'

import { contains } from '#db/contains.ts'
import { accountLinks, users } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import type { AdminLinksQuery } from './links.admin.model.ts'
import type { LinkRow } from './links.store.ts'

const owners = alias(users, 'owners')

export interface LinkWithBoth {
  readonly link: LinkRow
  readonly ownerName: string
  readonly nickname: string
  readonly avatar: string | null
}

/** The links of all users. */
export function allLinks(query: AdminLinksQuery): AdminList<LinkWithBoth> {
  const { userId, status, keyword, sort } = query
  const columns = [users.username, users.nickname, owners.username, owners.nickname]
  return {
    table: accountLinks,
    scope:
      userId === undefined
        ? undefined
        : or(eq(accountLinks.ownerUserId, userId), eq(accountLinks.linkedUserId, userId)),
    where: and(
      status === undefined ? undefined : eq(accountLinks.status, status),
      within(accountLinks.createdAt, query),
      keyword ? or(...columns.map((column) => contains(column, keyword))) : undefined,
    ),
    order: [accountLinks.id],
    isReversed: sort !== 'createdAt',
    select: (db) =>
      db
        .select({ link: accountLinks, ownerName: owners.nickname, nickname: users.nickname, avatar: users.avatar })
        .from(accountLinks)
        .innerJoin(users, eq(users.id, accountLinks.linkedUserId))
        .innerJoin(owners, eq(owners.id, accountLinks.ownerUserId))
        .$dynamic(),
  }
}

export async function deleteAnyLink(tx: Tx, id: number): Promise<LinkRow | undefined> {
  const rows = await tx.delete(accountLinks).where(eq(accountLinks.id, id)).returning()
  return rows[0]
}

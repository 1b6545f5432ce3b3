/** Reads the lists of the console: rows of all users and organizations, with their owners. */

import type { AppContext } from '#context'
import type { Page, PageInput } from '#db/paging.ts'
import { searchPage } from '#db/search.ts'
import type { Db } from '#db/store.ts'

import type { OwnerView } from './admin.model.ts'
import { type AdminList, organizationsByIds, plainPage, usersByIds } from './admin.store.ts'

/** A row that a user created, for the organization `orgId` (0 = for themselves). */
export interface OwnedRow {
  readonly userId: number
  readonly orgId: number
}

export interface Owned {
  readonly owner: OwnerView
  readonly orgId: number | null
  readonly orgName: string | null
}

/** The owners of the rows of a page, in two queries. */
export async function ownersOf(db: Db, rows: readonly OwnedRow[]): Promise<(row: OwnedRow) => Owned> {
  const people = new Map((await usersByIds(db, distinct(rows.map((row) => row.userId)))).map((user) => [user.id, user]))
  const orgIds = distinct(rows.map((row) => row.orgId)).filter((id) => id !== 0)
  const orgs = new Map((await organizationsByIds(db, orgIds)).map((org) => [org.id, org.name]))
  return ({ userId, orgId }) => ({
    owner: ownerView(userId, people.get(userId)),
    orgId: orgId === 0 ? null : orgId,
    orgName: orgs.get(orgId) ?? null,
  })
}

/** Whether the query selects by anything besides its page, its order and the fields in `others`. An empty keyword selects nothing. */
export const hasFilters = (query: object, others: readonly string[] = []): boolean =>
  Object.entries(query).some(
    ([name, value]) => value !== undefined && value !== '' && !['page', 'size', 'sort', ...others].includes(name),
  )

const distinct = (ids: readonly number[]): number[] => [...new Set(ids)]

const ownerView = (userId: number, user?: { username: string | null; nickname: string }): OwnerView => ({
  userId,
  username: user?.username ?? null,
  nickname: user?.nickname ?? '',
})

/**
 * A page of a list of the console, on the worker: the total alone counts all rows. With conditions that no index answers, the list is
 * searched: one search at a time for each administrator, in short statements and for a limited time (`Store.search`).
 * @throws SearchRefused
 */
export async function adminPage<Row>(
  ctx: AppContext,
  adminId: number,
  list: AdminList<Row>,
  { page, size }: PageInput,
): Promise<Page<Row>> {
  const { scope, where, elsewhere } = list
  if (where === undefined && elsewhere === undefined) return plainPage(ctx.db.readInWorker, list, { page, size })
  const { search } = await ctx.db.heavyReads()
  return search(adminId, (db) => searchPage(db, { ...list, scope, where }, { page, size }))
}

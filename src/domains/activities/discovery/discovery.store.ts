/**
 * Activities that everyone may find: PUBLIC, ACTIVE, of no DISABLED organization, and not over.
 *
 * No activity ends by itself, so most activities that are PUBLIC and ACTIVE have passed long ago. Discovery shows those whose column
 * `discoverUntil` is not null: changes of activities set it (register.rules.ts), and `removePassed` clears it after the end. The whole list
 * and those of a region can therefore be paged lists (db/lists.ts), which cost the same for any number of activities.
 */

import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { notByIndex } from '#db/dialect.ts'
import type { Select } from '#db/list-order.ts'
import type { PagedList } from '#db/lists.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { activities } from '#db/schema/activities.ts'
import { contentErasures } from '#db/schema/exports.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Builders, Db, SQLiteColumn, Tx } from '#db/store.ts'

import { activitiesWithOwners, type ActivityRow } from '../activities.store.ts'
import { listed } from '../register/register.store.ts'
import type { DiscoverQuery } from './discovery.model.ts'

const select = (db: Pick<Builders, 'select'>) => activitiesWithOwners(db).$dynamic() as unknown as Select<ActivityRow>

const orders = { startTime: ['startTime', 'createdAt', 'id'], createdAt: ['createdAt', 'id'] } as const
const lists = { whereNot: { discoverUntil: null }, orders, sort: 'startTime', select } as const

type Region = Pick<DiscoverQuery, 'province' | 'city' | 'district'>
type Sorted = PageInput & Pick<DiscoverQuery, 'sort'>

/** By the number of parts of a region that are given, from the largest on. */
const byParts = [
  listed.list({ owner: [], total: 'activities.discovered', ...lists }),
  listed.list({ owner: ['province'], ...lists }),
  listed.list({ owner: ['province', 'city'], ...lists }),
  listed.list({ owner: ['province', 'city', 'district'], ...lists }),
] as readonly PagedList<object, keyof typeof orders, ActivityRow>[]

/** The longest list that holds a region, and whether it holds nothing else: a district without its city is somewhere in the province. */
function listOf({ province, city, district }: Region) {
  const parts = [province, city, district]
  const leading = parts.includes(undefined) ? parts.indexOf(undefined) : parts.length
  return { list: byParts[leading]!, isWhole: parts.slice(leading).every((part) => part === undefined) }
}

/** A page of a region that is given from its largest part on, or of everywhere; otherwise undefined. */
export function regionPage(db: Db, region: Region, page: Sorted): Promise<Page<ActivityRow>> | undefined {
  const { list, isWhole } = listOf(region)
  return isWhole ? list.page(db, region, page) : undefined
}

const isDiscovered = isNotNull(activities.discoverUntil)

type Period = Pick<DiscoverQuery, 'from' | 'to'>

const isIn = ({ province, city, district }: Region): SQL | undefined =>
  and(
    province === undefined ? undefined : eq(activities.province, province),
    city === undefined ? undefined : eq(activities.city, city),
    district === undefined ? undefined : eq(activities.district, district),
  )
const isDuring = (
  { from, to }: Period,
  { until, start }: Record<'until' | 'start', SQL | SQLiteColumn>,
): SQL | undefined =>
  and(from === undefined ? undefined : sql`${until} >= ${from}`, to === undefined ? undefined : sql`${start} <= ${to}`)
const { discoverUntil, startTime } = activities

/** A page with any filters but a keyword. Compares every activity of the region, in an index that has all it compares. */
export async function filteredPage(
  db: Db,
  filters: Region & Period,
  { page, size, sort = lists.sort }: Sorted,
): Promise<Page<ActivityRow>> {
  const direction = sort.startsWith('-') ? desc : asc
  const order = sort.replace('-', '') as keyof typeof orders
  const orderBy = orders[order].map((name) => direction(activities[name]))
  const counted = and(isDiscovered, isIn(filters), isDuring(filters, { until: discoverUntil, start: startTime }))
  // Found by another index than that of the order, the rows would have to be sorted.
  const start = order === 'startTime' ? startTime : notByIndex(startTime)
  const shownFirst = and(isDiscovered, isIn(filters), isDuring(filters, { until: notByIndex(discoverUntil), start }))
  const { items: ids, ...rest } = await pageOfQuery(
    { page, size },
    db
      .select({ id: activities.id })
      .from(activities)
      .where(shownFirst)
      .orderBy(...orderBy),
    db.select({ n: count() }).from(activities).where(counted),
  )
  if (ids.length === 0) return { items: [], ...rest }
  const found = inArray(
    activities.id,
    ids.map(({ id }) => id),
  )
  return {
    items: await select(db)
      .where(found)
      .orderBy(...orderBy),
    ...rest,
  }
}

/** Without those of deleted users whose content is being erased. */
export async function withoutErased(db: Db, rows: ActivityRow[]): Promise<ActivityRow[]> {
  const userIds = [...new Set(rows.filter(({ owner }) => owner < 0).map(({ owner }) => -owner))]
  if (userIds.length === 0) return rows
  const erased = await db
    .select({ userId: contentErasures.userId })
    .from(contentErasures)
    .where(inArray(contentErasures.userId, userIds))
  return erased.length === 0 ? rows : rows.filter(({ owner }) => !erased.some(({ userId }) => userId === -owner))
}

/** A page of those that contain the keyword. `db` is that of `Store.search`. */
export const searchPublic = (
  db: Db,
  filters: Region & Period & { readonly keyword: string },
  page: Sorted,
): Promise<Page<ActivityRow>> =>
  listOf(filters).list.search(
    db,
    filters,
    page,
    and(
      isIn(filters),
      isDuring(filters, { until: discoverUntil, start: startTime }),
      or(
        ...[activities.name, activities.description, activities.location].map((column) =>
          contains(column, filters.keyword),
        ),
      ),
    ),
  )

const firstPassed = prepared((db) =>
  db
    .select({ id: activities.id })
    .from(activities)
    .where(lt(discoverUntil, sql.placeholder('now')))
    .limit(1),
)

/** Whether discovery still has activities whose end has passed. */
export const somePassed = async (db: Db, now: number): Promise<boolean> => (await firstPassed(db, { now })).length > 0

/** Takes activities whose end has passed out of discovery, at most `limit`, the earliest first. Changes neither `updatedAt` nor `version`. */
export async function removePassed(tx: Tx, now: number, limit: number): Promise<number> {
  const passed = await tx
    .select(listed.columns)
    .from(activities)
    .where(lt(discoverUntil, now))
    .orderBy(asc(discoverUntil))
    .limit(limit)
  await setUntil(tx, passed, sql`null`)
  return passed.length
}

/** The rule `discoverUntil` of register.rules.ts. */
const computedUntil = sql`case when ${activities.visibility} = 'PUBLIC' and ${activities.status} = 'ACTIVE'
  and not exists (select 1 from ${organizations} where ${organizations.id} = ${activities.owner} and ${organizations.status} = 'DISABLED')
  then ${activities.endTime} end`

/** To be called when the organization was disabled or enabled. */
export async function refreshDiscovery(tx: Tx, orgId: number): Promise<void> {
  const isLive = and(eq(activities.owner, orgId), isNull(activities.deletedAt))
  for (let after = 0; ;) {
    const rows = await tx
      .select(listed.columns)
      .from(activities)
      .where(and(isLive, gt(activities.id, after)))
      .orderBy(asc(activities.id))
      .limit(ROWS_AT_ONCE)
    await setUntil(tx, rows, computedUntil)
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)!.id
    await tx.pause()
  }
}

const ROWS_AT_ONCE = 500

type Listed = Pick<typeof activities.$inferSelect, keyof typeof listed.columns>

/** At most ROWS_AT_ONCE rows. */
async function setUntil(tx: Tx, before: readonly Listed[], until: SQL): Promise<void> {
  if (before.length === 0) return
  const rows = await tx
    .update(activities)
    .set({ discoverUntil: until })
    .where(
      inArray(
        activities.id,
        before.map(({ id }) => id),
      ),
    )
    .returning(listed.columns)
  const byId = new Map(before.map((row) => [row.id, row]))
  for (const row of rows) listed.updated(tx, byId.get(row.id)!, row)
}

/** Selects registrations by a filter, and lists them in orders that no index has. */

import { and, asc, eq, exists, gt, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { notByIndex } from '#db/dialect.ts'
import { keptTotals } from '#db/list-totals.ts'
import type { Page, PageInput } from '#db/paging.ts'
import { users } from '#db/schema/accounts.ts'
import {
  facetOf,
  REGISTRATION_SOURCES,
  REGISTRATION_STATUSES,
  registrations,
  type RegistrationSource,
  type RegistrationStatus,
} from '#db/schema/activities.ts'
import { passes, passListUses } from '#db/schema/passes.ts'
import { SliceSize } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { sortInSteps } from '#lib/sort-in-steps.ts'

import { participantName, shownEmail } from '../activities.store.ts'
import { type ListedRow, waitOrder, withNickname } from './registrations.store.ts'

/** All parts must hold. */
export interface Filter {
  /** Without it: all but PENDING. */
  readonly status?: readonly RegistrationStatus[] | undefined
  readonly pass?: boolean | undefined
  readonly checkedIn?: boolean | undefined
  /** A check-in list. Without it, `admitted` is about the entrance. */
  readonly listId?: number | undefined
  /** Without it, a filter with `listId` is about those who were admitted there. */
  readonly admitted?: boolean | undefined
  readonly guest?: boolean | undefined
  readonly source?: RegistrationSource | undefined
  readonly ids?: readonly number[] | undefined
  readonly keyword?: string | undefined
  /** Whether notes are searched too, which are for managers only. */
  readonly inNotes?: boolean | undefined
}

type Some = Pick<Builders, 'select'>

/** An entry that a gate has accepted with a pass of theirs: on the check-in list, or without it at the entrance. */
function wasAdmitted(db: Some, activityId: number, listId?: number): SQL {
  const onList = () =>
    db
      .select({ one: sql`1` })
      .from(passListUses)
      .where(
        and(
          eq(passListUses.activityId, activityId),
          eq(passListUses.passId, passes.id),
          eq(passListUses.listId, listId!),
          gt(passListUses.usedCount, 0),
        ),
      )
  const wasUsed = listId === undefined ? gt(passes.usedCount, 0) : exists(onList())
  const entryOf = (isTheirs: SQL | undefined) =>
    db
      .select({ one: sql`1` })
      .from(passes)
      .where(and(isTheirs, eq(passes.activityId, activityId), wasUsed))
  const ofUser = and(eq(passes.holderUserId, registrations.userId), isNotNull(passes.holderUserId).inlineParams())
  const ofGuest = and(
    eq(passes.registrationId, registrations.id),
    isNotNull(passes.registrationId).inlineParams(),
    sql`${registrations.userId} is null`,
  )
  return sql`(${exists(entryOf(ofUser))} or ${exists(entryOf(ofGuest))})`
}

/** Whether a registration of the activity meets the filter. Users are joined beside. No index answers it. */
export function meets(db: Some, activityId: number, filter: Filter): SQL | undefined {
  const { status, pass, checkedIn, listId, guest, source, ids, keyword, inNotes = true } = filter
  const { admitted = listId === undefined ? undefined : true } = filter
  const isAdmitted = admitted === undefined ? undefined : wasAdmitted(db, activityId, listId)
  const texts = [participantName, shownEmail, ...(inNotes ? [registrations.note] : [])]
  return and(
    status === undefined
      ? ne(notByIndex(registrations.status), 'PENDING')
      : inArray(notByIndex(registrations.status), [...status]),
    pass === undefined ? undefined : eq(registrations.hasPass, pass),
    checkedIn === undefined ? undefined : eq(registrations.cameIn, checkedIn),
    isAdmitted && (admitted ? isAdmitted : sql`not ${isAdmitted}`),
    guest === undefined
      ? undefined
      : guest
        ? isNull(notByIndex(registrations.userId))
        : isNotNull(notByIndex(registrations.userId)),
    source === undefined ? undefined : eq(registrations.source, source),
    ids === undefined ? undefined : inArray(notByIndex(registrations.id), [...ids]),
    keyword ? or(...texts.map((text) => sql`coalesce(${contains(text, keyword)}, false)`)) : undefined,
  )
}

const TOTAL = 'participants.'

/** The facets (`facetOf`) of all that meet the filter. Undefined if it is about more than they tell. */
function facetsOf(filter: Filter): string[] | undefined {
  const { status, source, guest, pass, checkedIn } = filter
  if ([filter.ids, filter.keyword, filter.listId, filter.admitted].some((value) => value !== undefined))
    return undefined
  const part = (word: string, given: boolean | undefined) => (given === undefined ? ['', word] : [given ? word : ''])
  const parts = [
    status ?? REGISTRATION_STATUSES.filter((one) => one !== 'PENDING'),
    source === undefined ? REGISTRATION_SOURCES.map((one) => `.${one}`) : [`.${source}`],
    part('.guest', guest),
    part('.pass', pass),
    part('.in', checkedIn),
  ]
  return parts.reduce<string[]>((all, words) => all.flatMap((one) => words.map((word) => one + word)), [''])
}

/**
 * A page in the order of time, with the total that triggers keep: reads the first rows of each facet, and none that are not shown or before the page.
 * Undefined if the filter is about more than facets tell.
 */
export async function facetsPage(
  db: Db,
  activityId: number,
  filter: Filter,
  isNewestFirst: boolean,
  { page, size }: PageInput,
): Promise<Page<ListedRow> | undefined> {
  const facets = facetsOf(filter)
  if (facets === undefined) return undefined
  const totals = await keptTotals(
    db,
    facets.map((one) => TOTAL + one),
    activityId,
  )
  const total = [...totals.values()].reduce((sum, n) => sum + n, 0)
  const from = (page - 1) * size
  if (from >= total) return { items: [], total, page, size }
  const order = isNewestFirst ? sql`created_at desc, id desc` : sql`created_at, id`
  const first = [...totals.keys()].map(
    (list, i) =>
      sql`select * from (select ${registrations.id}, ${registrations.createdAt} from ${registrations}
        where ${registrations.activityId} = ${activityId} and ${facetOf(registrations)} = ${list.slice(TOTAL.length)}
        order by ${order} limit ${from + size}) as ${sql.raw(`facet_${i}`)}`,
  )
  const rows = await db
    .select({ id: sql`id`.mapWith(Number) })
    .from(sql`(${sql.join(first, sql` union all `)}) as found`)
    .orderBy(order)
    .limit(size)
    .offset(from)
  const items = await rowsOf(
    db,
    activityId,
    rows.map(({ id }) => id),
  )
  return { items, total, page, size }
}

const keyColumns = {
  id: registrations.id,
  status: registrations.status,
  createdAt: registrations.createdAt,
  order: waitOrder.mapWith(Number),
  confirmedAt: registrations.confirmedAt,
  name: participantName,
}
export interface Key {
  readonly id: number
  readonly status: RegistrationStatus
  readonly createdAt: number
  readonly order: number
  readonly confirmedAt: number | null
  readonly name: string
}

type Sorted = 'createdAt' | 'name' | 'status' | 'position'
export type Sort = Sorted | `-${Sorted}`

/** Rows with the same name or status, and those that do not wait, are in the order of time. */
const byTime = (a: Key, b: Key): number => a.createdAt - b.createdAt || a.id - b.id
const compared = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
const place = (row: Key): number => (row.status === 'WAITING' ? row.order : Number.MAX_VALUE)
const COMPARE: Readonly<Record<Sorted, (a: Key, b: Key) => number>> = {
  createdAt: byTime,
  name: (a, b) => compared(a.name.toLowerCase(), b.name.toLowerCase()) || byTime(a, b),
  status: (a, b) => compared(a.status, b.status) || byTime(a, b),
  position: (a, b) => compared(place(a), place(b)) || (a.status === 'WAITING' ? a.id - b.id : byTime(a, b)),
}

function compareBy(sort: Sort): (a: Key, b: Key) => number {
  const isReversed = sort.startsWith('-')
  const compare = COMPARE[(isReversed ? sort.slice(1) : sort) as Sorted]
  return isReversed ? (a, b) => compare(b, a) : compare
}

/** Registrations that meet the filter, in pieces, by ascending id and after the id `from`. Each statement reads some thousand rows at most. */
export async function* keysOf(db: Db, activityId: number, filter: Filter, from = 0): AsyncGenerator<Key[]> {
  const slices = new SliceSize()
  // Ids are compared here: thousands of parameters in each statement would take longer.
  const { ids, ...rest } = filter
  const named = ids && new Set(ids)
  const isMatch = sql<boolean>`case when ${meets(db, activityId, rest)} then 1 else 0 end`.mapWith(Boolean)
  for (let after = from; ;) {
    const limit = slices.rows
    const rows = await db
      .select({ ...keyColumns, isMatch })
      .from(registrations)
      .leftJoin(users, eq(users.id, registrations.userId))
      .where(and(eq(registrations.activityId, activityId), gt(registrations.id, after)))
      .orderBy(asc(registrations.id))
      .limit(limit)
    yield rows.filter((row) => row.isMatch && (named === undefined || named.has(row.id)))
    if (rows.length < limit) return
    after = rows.at(-1)!.id
    slices.next()
  }
}

/** A page in any order. Reads all registrations of the activity: `db` is that of `Store.search`. */
export async function scannedPage(
  db: Db,
  activityId: number,
  filter: Filter,
  sort: Sort,
  { page, size }: PageInput,
): Promise<Page<ListedRow>> {
  const compare = compareBy(sort)
  const needed = page * size
  let total = 0
  let first: Key[] = []
  for await (const keys of keysOf(db, activityId, filter)) {
    total += keys.length
    first.push(...keys)
    // Those behind the page are not kept.
    if (first.length > 2 * needed + 10_000) first = (await sortInSteps(first, compare)).slice(0, needed)
  }
  const ids = (await sortInSteps(first, compare)).slice(needed - size, needed).map(({ id }) => id)
  return { items: await rowsOf(db, activityId, ids), total, page, size }
}

/** The ids in this order. Undefined if there are more than `limit`. `db` is that of `Store.search`. */
export async function sortedIds(
  db: Db,
  activityId: number,
  filter: Filter,
  sort: Sort,
  limit: number,
): Promise<number[] | undefined> {
  const all: Key[] = []
  for await (const keys of keysOf(db, activityId, filter)) {
    all.push(...keys)
    if (all.length > limit) return undefined
  }
  return (await sortInSteps(all, compareBy(sort))).map(({ id }) => id)
}

/** In the order of the ids. */
export async function rowsOf(db: Db | Tx, activityId: number, ids: readonly number[]): Promise<ListedRow[]> {
  if (ids.length === 0) return []
  const rows = await withNickname(db).where(
    and(inArray(registrations.id, [...ids]), eq(notByIndex(registrations.activityId), activityId)),
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

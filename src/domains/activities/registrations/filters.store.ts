/** Selects registrations by a filter, and lists them in orders that no index has. */

import {
  and,
  asc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  or,
  type SQL,
  sql,
  type SQLWrapper,
} from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { dialect, inByteOrder, isOneOf, notByIndex } from '#db/dialect.ts'
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
import { inSlices, isAmongFirst, type Sliced, SliceSize } from '#db/slices.ts'
import type { Builders, Db, Store, Tx } from '#db/store.ts'
import { sortInSteps } from '#lib/sort-in-steps.ts'

import { participantName, shownEmail } from '../activities.store.ts'
import { isWaiting, type ListedRow, waitOrder, withNickname } from './registrations.store.ts'

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

/** In lower case, as far as ASCII letters are concerned. On SQLite, users then need not be read. */
const keptName =
  dialect === 'sqlite'
    ? sql<string>`${registrations.sortName}`
    : sql<string>`coalesce(${registrations.sortName}, lower(${participantName}))`

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

/** Whether a registration of the activity meets the filter. On PostgreSQL, users are joined beside. No index answers it. */
export function meets(db: Some, activityId: number, filter: Filter): SQL | undefined {
  const { status, pass, checkedIn, listId, guest, source, ids, keyword, inNotes = true } = filter
  const { admitted = listId === undefined ? undefined : true } = filter
  const isAdmitted = admitted === undefined ? undefined : wasAdmitted(db, activityId, listId)
  const texts = [keptName, shownEmail, ...(inNotes ? [registrations.note] : [])]
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

/** Rows that follow each other in a list: those of these facets, in an order that an index has. */
interface Section {
  readonly facets: readonly string[]
  readonly total: number
  /** The number of rows that the index has: those of the filter and others. */
  readonly all: number
  readonly order: 'time' | 'name' | 'place'
}

const totalOf = (facets: readonly string[], totals: ReadonlyMap<string, number>): number =>
  facets.reduce((sum, one) => sum + totals.get(one)!, 0)

function sectionsOf(
  sort: Sort,
  facets: readonly string[],
  totals: ReadonlyMap<string, number>,
): { readonly sections: readonly Section[]; readonly isReversed: boolean } {
  const isReversed = sort.startsWith('-')
  const sorted = isReversed ? sort.slice(1) : sort
  const isOf = (status: string) => (one: string) => one.startsWith(`${status}.`)
  const of = (status: string) => facets.filter(isOf(status))
  const section = (order: Section['order'], some: readonly string[]): Section => {
    const listed = [...totals.keys()].filter(order === 'place' ? isOf('WAITING') : (one) => !isOf('PENDING')(one))
    return { facets: some, total: totalOf(some, totals), all: totalOf(listed, totals), order }
  }
  const sections =
    sorted === 'createdAt' || sorted === 'name'
      ? [section(sorted === 'name' ? 'name' : 'time', facets)]
      : sorted === 'status'
        ? REGISTRATION_STATUSES.toSorted().map((status) => section('time', of(status)))
        : [
            section('place', of('WAITING')),
            section(
              'time',
              facets.filter((one) => !isOf('WAITING')(one)),
            ),
          ]
  return { sections: isReversed ? sections.toReversed() : sections, isReversed }
}

/**
 * A page of a filter that facets answer, with the total that triggers keep: reads few rows that are not shown. Undefined if the filter is about more than
 * facets tell, or names are not there yet.
 */
export async function facetsPage(
  db: Db,
  activityId: number,
  filter: Filter,
  sort: Sort,
  { page, size }: PageInput,
): Promise<Page<ListedRow> | undefined> {
  const wanted = facetsOf(filter)
  if (wanted === undefined) return undefined
  const isByName = sort === 'name' || sort === '-name'
  if (isByName && (await hasUnnamed(db))) return undefined
  const read = new Set([...wanted, ...facetsOf({})!])
  const kept = await keptTotals(
    db,
    [...read].map((one) => TOTAL + one),
    activityId,
  )
  const totals = new Map([...kept].map(([list, n]) => [list.slice(TOTAL.length), n]))
  const facets = wanted.filter((one) => totals.has(one))
  const { sections, isReversed } = sectionsOf(sort, facets, totals)
  const total = totalOf(facets, totals)
  const ids: number[] = []
  let before = 0
  for (const section of sections) {
    const from = Math.max((page - 1) * size - before, 0)
    const missing = Math.min(page * size, before + section.total) - before - from
    before += section.total
    if (missing <= 0) continue
    // Read from the nearer end.
    const behind = section.total - from - missing
    const isFromEnd = behind < from
    const found = await idsOf(db, activityId, section, {
      isBackwards: isFromEnd !== isReversed,
      skip: isFromEnd ? behind : from,
      limit: missing,
    })
    ids.push(...(isFromEnd ? found.toReversed() : found))
  }
  return { items: await rowsOf(db, activityId, ids), total, page, size }
}

interface Part {
  readonly isBackwards: boolean
  readonly skip: number
  readonly limit: number
}

const sortName = inByteOrder(registrations.sortName)
const isShown = ne(registrations.status, 'PENDING').inlineParams()

/** Some ids of a section, in its order. */
async function idsOf(
  db: Db,
  activityId: number,
  { facets, total, all, order }: Section,
  { isBackwards, skip, limit }: Part,
): Promise<number[]> {
  const { id, createdAt } = registrations
  const direction = sql.raw(isBackwards ? 'desc' : 'asc')
  const by = (keys: readonly (SQL | SQLWrapper)[]) =>
    sql.join(
      keys.map((key) => sql`${key} ${direction}`),
      sql`, `,
    )
  const facet = facetOf(registrations)
  const some = inArray(facet, [...facets])
  const isOfFacets = total === all ? undefined : sql`case when ${some} then 1 else 0 end = 1`
  const ofActivity = eq(registrations.activityId, activityId)
  const read = (where: SQL | undefined, keys: readonly (SQL | SQLWrapper)[]) =>
    db.select({ id }).from(registrations).where(where).orderBy(by(keys)).limit(limit).offset(skip)
  if (order === 'place') {
    const rows = await read(and(ofActivity, isWaiting, isOfFacets), [waitOrder, id])
    return rows.map((row) => row.id)
  }
  if (order === 'name') {
    // The index of names is read until the page is full, or all rows of the facets, whichever are fewer on average.
    const isSorted = total * total < (skip + limit) * all || facets.some((one) => one.startsWith('PENDING.'))
    const rows = await read(and(ofActivity, isSorted ? some : and(isShown, isOfFacets)), [sortName, createdAt, id])
    return rows.map((row) => row.id)
  }
  const first = facets.map(
    (one, i) =>
      sql`select * from (select ${id}, ${createdAt} from ${registrations} where ${ofActivity} and ${facet} = ${one}
        order by created_at ${direction}, id ${direction} limit ${skip + limit}) as ${sql.raw(`facet_${i}`)}`,
  )
  const rows = await db
    .select({ id: sql`id`.mapWith(Number) })
    .from(sql`(${sql.join(first, sql` union all `)}) as found`)
    .orderBy(sql`created_at ${direction}, id ${direction}`)
    .limit(limit)
    .offset(skip)
  return rows.map((row) => row.id)
}

const isUnnamed = sql`${registrations.sortName} is null`

/** Whether `nameOld` has not filled all earlier rows. */
async function hasUnnamed(db: Db): Promise<boolean> {
  if (dialect === 'sqlite') return false
  return (await db.select({ id: registrations.id }).from(registrations).where(isUnnamed).limit(1)).length > 0
}

/** Fills the names of registrations that an earlier version has made. */
export async function nameOld(ctx: Sliced & { readonly db: Pick<Store, 'read'> }): Promise<void> {
  if (await hasUnnamed(ctx.db.read)) await inSlices(ctx, 'registrations.nameOld', nameSome)
}

async function nameSome(tx: Tx, limit: number): Promise<number> {
  const nickname = tx.select({ nickname: users.nickname }).from(users).where(eq(users.id, registrations.userId))
  const rows = await tx
    .update(registrations)
    .set({ sortName: sql`lower(coalesce(${nickname}, ${registrations.name}, '') collate "C")` })
    .where(isAmongFirst(tx, registrations, { where: isUnnamed, limit }))
    .returning({ id: registrations.id })
  return rows.length
}

const keyColumns = {
  id: registrations.id,
  status: registrations.status,
  createdAt: registrations.createdAt,
  order: waitOrder.mapWith(Number),
  confirmedAt: registrations.confirmedAt,
  name: keptName,
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
  name: (a, b) => compared(a.name, b.name) || byTime(a, b),
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
  const isMatch = sql`case when ${meets(db, activityId, rest)} then 1 else 0 end = 1`
  for (let after = from; ;) {
    const beyond = and(eq(registrations.activityId, activityId), gt(registrations.id, after))
    const [last] = await db
      .select({ id: registrations.id })
      .from(registrations)
      .where(beyond)
      .orderBy(asc(registrations.id))
      .limit(1)
      .offset(slices.rows - 1)
    const rows = await db
      .select(keyColumns)
      .from(registrations)
      .leftJoin(users, eq(users.id, registrations.userId))
      .where(and(beyond, last && lte(registrations.id, last.id), isMatch))
      .orderBy(asc(registrations.id))
    yield named === undefined ? rows : rows.filter((row) => named.has(row.id))
    if (last === undefined) return
    after = last.id
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
    and(isOneOf(registrations.id, ids), eq(notByIndex(registrations.activityId), activityId)),
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** The ids that do not belong to registrations of the activity. */
export async function foreignIds(db: Db | Tx, activityId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .select({ id: registrations.id })
    .from(registrations)
    .where(and(inArray(registrations.id, [...ids]), sql`${notByIndex(registrations.activityId)} = ${activityId}`))
  return new Set(ids).difference(new Set(rows.map(({ id }) => id)))
}

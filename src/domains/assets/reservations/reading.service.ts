/** Reservations as answers show them: lists, the calendar, and the assets that are free. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import { can } from '#domains/access/index.ts'
import { adminPage, ownersOf } from '#domains/admin/index.ts'
import { locationTree } from '#domains/orgs/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { addDays, dayAt } from '#lib/days.ts'
import { DAY } from '#platform/clock.ts'

import { assetCategoryTree } from '../categories/categories.store.ts'
import { zoneOfOwner } from '../days.service.ts'
import { assetsReader } from '../listing.service.ts'
import type { AssetView } from '../register/register.model.ts'
import { userNames } from '../register/register.store.ts'
import { toViews as toAssetViews } from '../register/register.view.ts'
import * as available from './available.store.ts'
import * as calendar from './calendar.store.ts'
import { bookableCategories } from './choosing.service.ts'
import {
  type AllReservationsQuery,
  type AnyReservationView,
  type AvailableQuery,
  type CalendarEntry,
  type CalendarQuery,
  MAX_CALENDAR_DAYS,
  MAX_ENTRIES,
  type ReservationCalendar,
  type ReservationsQuery,
  type ReservationView,
} from './reservations.model.ts'
import * as store from './reservations.store.ts'

/** Whose reservations a viewer sees in full: `true` for a keeper, otherwise those of the user with this id. */
type Sight = true | number

const sightOf = async (ctx: AppContext, { userId, orgId }: Owner): Promise<Sight> =>
  (await can(ctx, userId, 'ORG', orgId, 'asset:transfer')) || userId

export async function viewOf(ctx: AppContext, owner: Owner, row: store.ReservationRow): Promise<ReservationView> {
  return (await toViews(ctx, [row], await sightOf(ctx, owner)))[0]!
}

export async function getReservation(ctx: AppContext, owner: Owner, id: number): Promise<ReservationView> {
  const row = await store.findReservation(ctx.db.read, owner.orgId, id)
  if (row === undefined) throw notFound()
  return viewOf(ctx, owner, row)
}

/** In the order of the rows. */
async function toViews(
  ctx: AppContext,
  rows: readonly store.ReservationRow[],
  sight: Sight,
): Promise<ReservationView[]> {
  const db = ctx.db.read
  const now = ctx.clock.now()
  const items = await store.itemsOf(
    db,
    rows.map(({ id }) => id),
  )
  // Accounts that have ended have another name now.
  const nameless = rows.flatMap(({ userId, userName }) => (userName === null ? (userId ?? []) : []))
  const names = await userNames(db, 0, nameless)
  return rows.map((row): ReservationView => {
    const isSeen = sight === true || row.userId === sight
    const seen = <T>(value: T): T | null => (isSeen ? value : null)
    const isOver = row.expiresAt !== null && row.expiresAt <= now
    return {
      id: row.id,
      orgId: row.orgId,
      status: isOver && (row.status === 'REQUESTED' || row.status === 'APPROVED') ? 'EXPIRED' : row.status,
      items: (items.get(row.id) ?? []).map(({ assetId, supplyId, quantity, name, assetNo, state }) => ({
        assetId,
        supplyId,
        quantity,
        name,
        assetNo,
        state,
      })),
      from: row.startsAt,
      to: row.endsAt,
      userId: seen(row.userId),
      userName: seen(row.userName ?? names.get(row.userId ?? 0) ?? null),
      personName: seen(row.personName),
      purpose: seen(row.purpose),
      note: seen(row.note),
      reason: seen(row.reason),
      decidedBy: seen(row.decidedBy),
      version: row.version,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    }
  })
}

export async function listReservations(
  ctx: AppContext,
  owner: Owner,
  query: ReservationsQuery,
): Promise<Page<ReservationView>> {
  const { orgId, userId: viewer } = owner
  const { mine = false, categoryId, userId: asked, ...filters } = query
  if (query.from !== undefined && query.to !== undefined && query.to <= query.from) throw endsBefore()
  const sight = await sightOf(ctx, owner)
  const userId = mine ? viewer : asked
  const nobody = { items: [], total: 0, page: query.page, size: query.size }
  // Whose a reservation is remains hidden.
  if (sight !== true && userId !== undefined && userId !== viewer) return nobody
  if (mine && asked !== undefined && asked !== viewer) return nobody
  const db = ctx.db.readInWorker
  const categoryIds =
    categoryId === undefined ? undefined : await assetCategoryTree.branchIds(ctx.db.read, orgId, categoryId)
  const page = await store.reservationsPage(db, orgId, { ...filters, userId }, categoryIds, ctx.clock.now())
  return { ...page, items: await toViews(ctx, page.items, sight) }
}

/** Reservations of all organizations, for administrators. */
export async function listAllReservations(
  ctx: AppContext,
  adminId: number,
  query: AllReservationsQuery,
): Promise<Page<AnyReservationView>> {
  const page = await adminPage(ctx, adminId, store.allReservations(query), query)
  const views = await toViews(ctx, page.items, true)
  const owners = page.items.map(({ createdBy, orgId }) => ({ userId: createdBy, orgId }))
  const ownerOf = await ownersOf(ctx.db.read, owners)
  return {
    ...page,
    items: views.map((view, i) => ({ ...view, ...ownerOf(owners[i]!), orgId: view.orgId })),
  }
}

const endsBefore = () => invalid('query.to', 'must be after the beginning', '须晚于开始时间')

export async function getCalendar(ctx: AppContext, owner: Owner, query: CalendarQuery): Promise<ReservationCalendar> {
  const { orgId } = owner
  const { from, to, assetId, categoryId, locationId } = query
  if (to <= from) throw endsBefore()
  // An hour more, for a change of summer time.
  if (to - from > MAX_CALENDAR_DAYS * DAY + DAY / 24)
    throw invalid(
      'query.to',
      `must be at most ${MAX_CALENDAR_DAYS} days after the beginning`,
      `最多 ${MAX_CALENDAR_DAYS} 天`,
    )
  const { read, readInWorker: db } = ctx.db
  const filter = {
    from,
    to,
    now: ctx.clock.now(),
    assetId,
    categoryIds: categoryId === undefined ? undefined : await assetCategoryTree.branchIds(read, orgId, categoryId),
    locationIds: locationId === undefined ? undefined : await locationTree.branchIds(read, orgId, locationId),
  }
  const zone = await zoneOfOwner(read, orgId)
  const days = { from: dayAt(from, zone), to: dayAt(to - 1, zone) }
  const sight = await sightOf(ctx, owner)
  const limit = MAX_ENTRIES + 1
  const [reserved, lent, due] = await Promise.all([
    calendar.reservedEntries(db, orgId, filter, limit),
    calendar.lentEntries(db, orgId, filter, limit),
    calendar.maintenanceEntries(db, orgId, days, filter, limit),
  ])
  const nameFor = (userId: number | null, name: string | null) => (sight === true || userId === sight ? name : null)
  const entries: CalendarEntry[] = [
    ...reserved.map(({ userId, name, ...entry }) => ({
      ...entry,
      kind: 'RESERVATION' as const,
      name: nameFor(userId, name),
    })),
    ...lent.map(({ userId, name, ...entry }) => ({
      ...entry,
      ...noSupply,
      kind: 'LOAN' as const,
      name: nameFor(userId, name),
    })),
    ...due.map(({ day, assetId: id, name }) => ({
      assetId: id,
      ...noSupply,
      from: startOf(day, zone),
      to: startOf(addDays(day, 1), zone),
      kind: 'MAINTENANCE' as const,
      name,
    })),
  ]
  const items = entries.toSorted((a, b) => a.from - b.from).slice(0, MAX_ENTRIES)
  return { items, truncated: entries.length > MAX_ENTRIES }
}

const noSupply = { supplyId: null, quantity: 1, reservationId: null } as const

const startOf = (day: string, zone: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds

export async function listAvailable(ctx: AppContext, owner: Owner, query: AvailableQuery): Promise<Page<AssetView>> {
  const { orgId } = owner
  const { from, to, categoryId } = query
  if (to <= from) throw endsBefore()
  const { read } = ctx.db
  const categoryIds = categoryId === undefined ? undefined : await assetCategoryTree.branchIds(read, orgId, categoryId)
  const bookable = { orgId, bookableIds: await bookableCategories(read, orgId), categoryIds }
  const db = await assetsReader(ctx, orgId)
  const page = await available.availablePage(db, bookable, { from, to, now: ctx.clock.now() }, query)
  const views = await toAssetViews(ctx, read, page.items)
  const byId = new Map(views.map((view) => [view.id, view]))
  return mapPage(page, ({ id }) => byId.get(id)!)
}

/** Calendars of reservations, ends of warranties, and due dates of maintenance and loans, which calendar programs subscribe to by a secret link. */

import type { AppContext } from '#context'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import * as access from '#domains/access/index.ts'
import { requireEnabled } from '#domains/orgs/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { DAY } from '#platform/clock.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { todayOf } from '../days.service.ts'
import type { CalendarLink, CalendarState } from './calendars.model.ts'
import * as store from './calendars.store.ts'

export async function getCalendar(ctx: AppContext, owner: Owner): Promise<CalendarState> {
  const row = await store.findCalendar(ctx.db.read, owner.userId, ownerKey(owner))
  return { enabled: row !== undefined, createdAt: row?.createdAt ?? null }
}

/** Makes a link, and ends the one that the user had. Only its hash is stored. @throws AppError 403 in a DISABLED organization */
export async function createCalendar(ctx: AppContext, owner: Owner, locale: Locale): Promise<CalendarLink> {
  const given = secret()
  const row = { userId: owner.userId, owner: ownerKey(owner), secretHash: sha256(given), locale }
  const createdAt = await ctx.db.write('assets.createCalendar', async (tx) => {
    if (owner.orgId !== 0) await requireEnabled(tx, owner.orgId)
    await store.saveCalendar(tx, row)
    return tx.stamp
  })
  return { url: `${ctx.config.publicUrl}/public/calendars/${given}.ics`, createdAt }
}

/** @throws AppError 404 if there is no link, 403 in a DISABLED organization */
export async function deleteCalendar(ctx: AppContext, owner: Owner): Promise<void> {
  await ctx.db.write('assets.deleteCalendar', async (tx) => {
    if (owner.orgId !== 0) await requireEnabled(tx, owner.orgId)
    if (!(await store.deleteCalendar(tx, owner.userId, ownerKey(owner)))) throw notFound()
  })
}

const DAYS_BACK = 30
const DAYS_AHEAD = 400
/** Of each kind. Calendar programs become slow with more. */
const MAX_EVENTS = 500

const NAME: Localized = { en: 'Assets', zh: '资产' }
const WARRANTY: Localized = { en: 'Warranty ends', zh: '保修到期' }
const MAINTENANCE: Localized = { en: 'Maintenance due', zh: '维护到期' }
const RESERVATION: Localized = { en: 'Reservation', zh: '预约' }
const LOAN: Localized = { en: 'Loan due', zh: '借用到期' }

/**
 * The calendar as iCalendar (RFC 5545). `file`: the secret and `.ics`. The user must still be allowed to see the assets.
 * @throws AppError 404
 */
export async function readCalendar(ctx: AppContext, file: string): Promise<Response> {
  const calendar = await store.findBySecret(ctx.db.read, sha256(file.slice(0, -'.ics'.length)))
  if (calendar === undefined || !(await mayRead(ctx, calendar))) throw notFound()
  return new Response(await textOf(ctx, calendar), {
    headers: { 'content-type': 'text/calendar; charset=utf-8', 'cache-control': 'private, max-age=600' },
  })
}

function mayRead(ctx: AppContext, { userId, owner }: store.CalendarRow): boolean | Promise<boolean> {
  const orgId = orgOf(owner)
  return access.can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'asset:read')
}

async function textOf(ctx: AppContext, calendar: store.CalendarRow): Promise<string> {
  const { owner, locale } = calendar
  const { read } = ctx.db
  const today = Temporal.PlainDate.from(await todayOf(ctx, read, owner))
  const [from, to] = [today.subtract({ days: DAYS_BACK }), today.add({ days: DAYS_AHEAD })]
  const [reservations, warranties, maintenance, loans] = await Promise.all([
    reservationsFor(ctx, calendar),
    store.warranties(read, owner, from.toString(), to.toString(), MAX_EVENTS),
    store.maintenance(read, owner, from.toString(), to.toString(), MAX_EVENTS),
    store.dueLoans(read, owner, MAX_EVENTS),
  ])
  // Loaded with the first calendar, which the start of the server should not wait for.
  const { default: ical } = await import('ical-generator')
  const host = new URL(ctx.config.publicUrl).hostname
  const feed = ical({ name: NAME[locale], prodId: { company: 'Tessera', product: 'Assets' }, ttl: 3600 })
  for (const { id, startsAt, endsAt, name, things, updatedAt, ...person } of reservations)
    feed.createEvent({
      id: `reservation-${id}@${host}`,
      summary: `${RESERVATION[locale]}: ${name}${things > 1 ? ` +${things - 1}` : ''}, ${person.personName ?? person.userName ?? person.nickname ?? ''}`,
      start: new Date(startsAt),
      end: new Date(endsAt),
      stamp: new Date(updatedAt),
    })
  for (const { uuid, name, assetNo, warrantyExpiry, updatedAt } of warranties)
    feed.createEvent({
      id: `warranty-${uuid}@${host}`,
      summary: `${WARRANTY[locale]}: ${name} (${assetNo})`,
      start: new Date(`${warrantyExpiry}T00:00:00Z`),
      allDay: true,
      stamp: new Date(updatedAt),
    })
  for (const { planId, planName, uuid, name, assetNo, dueOn, updatedAt } of maintenance)
    feed.createEvent({
      id: `maintenance-${planId}-${uuid}@${host}`,
      summary: `${MAINTENANCE[locale]}: ${name} (${assetNo}), ${planName}`,
      start: new Date(`${dueOn}T00:00:00Z`),
      allDay: true,
      stamp: new Date(updatedAt),
    })
  for (const { id, name, assetNo, personName, nickname, dueAt, checkedOutAt } of loans)
    feed.createEvent({
      id: `loan-${id}@${host}`,
      summary: `${LOAN[locale]}: ${name} (${assetNo}), ${personName ?? nickname ?? ''}`,
      start: new Date(dueAt!),
      end: new Date(dueAt!),
      stamp: new Date(checkedOutAt),
    })
  return feed.toString()
}

/** The user's own ones, or all if they are a keeper. */
async function reservationsFor(ctx: AppContext, { userId, owner }: store.CalendarRow) {
  const orgId = orgOf(owner)
  if (orgId === 0) return []
  const isKeeper = await access.can(ctx, userId, 'ORG', orgId, 'asset:transfer')
  const now = ctx.clock.now()
  const times = { from: now - DAYS_BACK * DAY, to: now + DAYS_AHEAD * DAY, now }
  return store.openReservations(ctx.db.read, orgId, { ...times, ...(!isKeeper && { userId }) }, MAX_EVENTS)
}

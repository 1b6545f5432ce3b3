/** The list of participants, and one of them. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import { personOf } from '#db/schema/activities.ts'
import type { Db } from '#db/store.ts'
import { refusalIn } from '#domains/access/index.ts'
import { notFound } from '#http/errors.ts'
import type { DualPoint } from '#permission-points'

import type { ActivityRow } from '../activities.store.ts'
import { requireList } from '../check-in-lists/check-in-lists.service.ts'
import { statusOf } from '../passes/passes.rules.ts'
import { newsOf } from '../personal-mails.store.ts'
import { facetsPage, type Filter, rowsOf, scannedPage } from '../registrations/filters.store.ts'
import { positionsOf, viewOf } from '../registrations/registrations.service.ts'
import {
  type IndexedQuery,
  type ListedRow,
  type RegistrationRow,
  registrationsPage,
} from '../registrations/registrations.store.ts'
import { findById } from '../registrations/waiting.store.ts'
import { type Asking, findNamed, manageActivity, MANAGER_POINT, manages } from '../visibility/visibility.service.ts'
import type { ListedRegistration, ListQuery, ManagedRegistration, RegistrationDetails } from './participants.model.ts'
import * as store from './participants.store.ts'

type Given = Pick<
  ListQuery,
  'status' | 'pass' | 'checkedIn' | 'listId' | 'admitted' | 'guest' | 'source' | 'ids' | 'keyword'
>

/** The filter of a list. `inNotes`: the caller may read notes. */
export function filterOf({ status, ids, keyword, ...rest }: Given, inNotes: boolean): Filter {
  const { pass, checkedIn, listId, admitted, guest, source } = rest
  const statuses = status === undefined ? undefined : [...new Set(status.split(','))]
  return {
    status: statuses as Filter['status'],
    pass,
    checkedIn,
    listId,
    admitted,
    guest,
    source,
    ids: ids?.split(',').map(Number),
    keyword: keyword || undefined,
    inNotes,
  }
}

/** The query if an index has the rows in their order; undefined if all registrations of the activity must be read. */
export function indexedQuery(
  { status, pass, checkedIn, listId, admitted, guest, source, ids, keyword }: Filter,
  { sort, page, size }: Pick<ListQuery, 'sort' | 'page' | 'size'>,
): IndexedQuery | undefined {
  const others = [pass, checkedIn, listId, admitted, guest, source, ids, keyword]
  if (others.some((value) => value !== undefined) || (status?.length ?? 1) > 1) return undefined
  if (sort === 'name' || sort === '-name' || sort === 'position' || sort === '-position') return undefined
  return { status: status?.[0], sort, page, size }
}

/** For managers. */
export async function listRegistrations(
  ctx: AppContext,
  id: number,
  query: ListQuery,
  asking: Asking,
): Promise<Page<ListedRegistration>> {
  const activity = await manageActivity(ctx, id, 'checkin:read', asking)
  const { userId } = asking.viewer
  const isManager = await manages(ctx, userId, activity, MANAGER_POINT)
  const filter = filterOf(query, isManager)
  await requireList(ctx.db.read, id, filter.listId, 'query.listId')
  const indexed = indexedQuery(filter, query)
  const page = indexed
    ? await registrationsPage(ctx.db.read, id, indexed)
    : await ctx.db.search(userId, (db) => filteredPage(db, id, filter, query))
  return { ...page, items: await viewsOf(ctx, id, page.items, isManager) }
}

const filteredPage = async (db: Db, id: number, filter: Filter, { sort = '-createdAt', ...page }: ListQuery) =>
  (await facetsPage(db, id, filter, sort, page)) ?? (await scannedPage(db, id, filter, sort, page))

export interface Facts {
  /** Of each person the live pass, or else the newest one. */
  readonly passes: ReadonlyMap<number, Awaited<ReturnType<typeof store.passesOf>>[number]>
  readonly checkIns: ReadonlyMap<number, number>
  /** All passes of these people. */
  readonly held: Awaited<ReturnType<typeof store.passesOf>>
}

/** By `personOf`. */
export async function factsOf(db: Db, activityId: number, rows: readonly store.Person[]): Promise<Facts> {
  if (rows.length === 0) return { passes: new Map(), checkIns: new Map(), held: [] }
  const found = await store.passesOf(db, activityId, rows)
  const byAge = [...found, ...found.filter(({ liveHolderId }) => liveHolderId !== null)]
  return {
    passes: new Map(byAge.map((pass) => [pass.person, pass])),
    checkIns: await store.firstCheckIns(db, activityId, rows),
    held: found,
  }
}

async function viewsOf(
  ctx: AppContext,
  activityId: number,
  rows: readonly ListedRow[],
  showsNotes: boolean,
): Promise<ListedRegistration[]> {
  const positions = await positionsOf(ctx, rows)
  const { passes, checkIns } = await factsOf(ctx.db.read, activityId, rows)
  const now = ctx.clock.now()
  return rows.map((row) => {
    const pass = passes.get(personOf(row))
    return {
      ...viewOf(row, positions.get(row.id)),
      nickname: row.nickname,
      email: row.email,
      note: showsNotes ? row.note : null,
      confirmedAt: row.confirmedAt,
      pass: pass === undefined ? null : { id: pass.id, status: statusOf(pass, now) },
      checkedInAt: checkIns.get(personOf(row)) ?? null,
    }
  })
}

/** For somebody who has just changed them. In the order of the ids. */
export async function managedViews(
  ctx: AppContext,
  activityId: number,
  ids: readonly number[],
  showsNotes = true,
): Promise<ManagedRegistration[]> {
  const views: ManagedRegistration[] = []
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const rows = await rowsOf(ctx.db.read, activityId, ids.slice(at, at + ROWS_PER_READ))
    for (const view of await viewsOf(ctx, activityId, rows, showsNotes)) views.push({ ...view, activityId })
  }
  return views
}
const ROWS_PER_READ = 250

/**
 * A registration of an activity that the caller manages for this purpose.
 * @throws AppError 404, or 403 if the caller sees it: their own, or with `checkin:read`
 */
export async function managedRegistration(
  ctx: AppContext,
  id: number,
  point: DualPoint,
  { viewer }: Asking,
): Promise<{ readonly row: RegistrationRow; readonly activity: ActivityRow }> {
  const row = await findById(ctx.db.read, id)
  const activity = row && (await findNamed(ctx.db.read, row.activityId, viewer))
  if (row === undefined || activity === undefined) throw notFound()
  if (await manages(ctx, viewer.userId, activity, point)) return { row, activity }
  const isSeen = row.userId === viewer.userId || (await manages(ctx, viewer.userId, activity, 'checkin:read'))
  throw isSeen ? await refusalIn(ctx, viewer.userId, orgOf(activity.owner), point) : notFound()
}

const MAX_SENT = 200

export async function getRegistration(ctx: AppContext, id: number, asking: Asking): Promise<RegistrationDetails> {
  const { row, activity } = await managedRegistration(ctx, id, 'checkin:read', asking)
  const isManager = await manages(ctx, asking.viewer.userId, activity, MANAGER_POINT)
  const [view] = await managedViews(ctx, activity.id, [id], isManager)
  if (view === undefined) throw notFound()
  const person = personOf(row)
  const news = await newsOf(ctx.db.read, activity.id, person, MAX_SENT)
  const messages = await store.messagesOf(ctx.db.read, activity.id, person, MAX_SENT)
  const invitations = await store.invitationsOf(ctx.db.read, id)
  const sent = [
    ...invitations.map(
      (one) => ({ ...one, state: one.state!, kind: 'INVITATION', channel: 'EMAIL', messageId: null }) as const,
    ),
    ...news.map((one) => ({ ...one, kind: SHOWN[one.kind], messageId: null })),
    ...messages.map(({ at, ...one }) => ({ ...one, createdAt: at })),
  ]
  return {
    ...view,
    sent: sent
      .toSorted((a, b) => b.createdAt - a.createdAt)
      .slice(0, MAX_SENT)
      .map(({ kind, messageId, channel, state, sentAt, reason, createdAt }) => ({
        kind,
        messageId,
        channel,
        state,
        sentAt,
        reason,
        createdAt,
      })),
  }
}

const SHOWN = {
  CONFIRMED: 'CONFIRMED',
  ACCEPTED: 'CONFIRMED',
  WAITING: 'WAITING',
  REJECTED: 'REJECTED',
  REMOVED: 'CANCELLED',
  PASS: 'PASS',
  PASS_CHANGED: 'PASS',
  PASS_REVOKED: 'PASS',
  INVITATION: 'INVITATION',
} as const

/** Finds what landing pages show to visitors, most of whom are not signed in. */

import type { AppContext } from '#context'
import { addressOf } from '#http/caller.ts'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { timeZone } from '#lib/days.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import { zoneOf } from '../activities.rules.ts'
import { type ActivityRow, findActivity, findByCheckInUuid, findByUuid } from '../activities.store.ts'
import { calendarOf } from '../links/links.service.ts'
import { decodeToken } from '../pass-keys/pass-keys.rules.ts'
import { verifyToken } from '../pass-keys/pass-keys.service.ts'
import { findPassByUuid, type PassRow } from '../passes/passes.store.ts'
import { recordOpening } from '../visibility/personal-codes.service.ts'
import { see } from '../visibility/visibility.service.ts'

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

/** A request for a landing page. */
export interface Visit {
  /** From the path, unchecked. */
  readonly id: string
  /** 0 without a token. */
  readonly userId: number
  readonly caller: Caller
  readonly request: Request
}

const find = { activity: findByUuid, 'check-in': findByCheckInUuid } as const

/**
 * The activity of a page, as the visitor sees it.
 * @throws AppError 404 for unknown ones, and for DRAFTs and RESTRICTED ones that the visitor may not see, 403 without the invite code,
 * 429 after too many wrong ones
 */
export async function findVisited(
  ctx: AppContext,
  type: keyof typeof find,
  { id, userId, caller, request }: Visit,
): Promise<ActivityRow> {
  const row = UUID.test(id) ? await find[type](ctx.db.read, id) : undefined
  if (type === 'check-in' && row?.hasCheckIn === false) throw notFound()
  const code = codeOf(request)
  const { row: seen } = await see(ctx, row, { viewer: { userId, orgId: 0 }, caller, code })
  await recordOpening(ctx, seen.id, code)
  return seen
}

/**
 * A pass by its uuid or its signed token, which are secrets: the page of a pass does not ask who may see its activity. Undefined for
 * forged tokens, and for passes of activities that are deleted or a DRAFT.
 */
export async function findVisitedPass(
  ctx: AppContext,
  id: string,
): Promise<{ readonly pass: PassRow; readonly activity: ActivityRow } | undefined> {
  const token = decodeToken(id)
  if (token === undefined ? !UUID.test(id) : !(await verifyToken(ctx, token))) return undefined
  const pass = await findPassByUuid(ctx.db.read, token?.uuid ?? id)
  const activity = pass && (await findActivity(ctx.db.read, pass.activityId))
  if (pass === undefined || activity === undefined || activity.status === 'DRAFT') return undefined
  return { pass, activity }
}

const MAX_CODE = 100

/** The invite code that the address contains. */
export const codeOf = (request: Request): string | undefined =>
  addressOf(request).searchParams.get('code')?.slice(0, MAX_CODE) || undefined

/** The time zone that the address names (`?tz=`), otherwise that of the activity: a page without scripts does not learn the visitor's. */
export const zoneOfPage = (request: Request, activity: Pick<ActivityRow, 'timeZone'>): string =>
  timeZone(addressOf(request).searchParams.get('tz') ?? '') ?? zoneOf(activity)

/** The calendar file of the page of an activity. @throws AppError as `findVisited` */
export const visitedCalendar = async (ctx: AppContext, visit: Visit): Promise<Response> =>
  calendarOf(ctx, await findVisited(ctx, 'activity', visit), visit.caller.locale)

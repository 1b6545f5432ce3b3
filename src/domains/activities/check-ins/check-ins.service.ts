/** Checking in to activities, and the records and statistics of check-ins. */

import { type AppContext, perContext } from '#context'
import { GatheredWrites } from '#db/gathered-writes.ts'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import { ownAddresses } from '#http/addresses.ts'
import { guess } from '#http/budget.ts'
import { notFound } from '#http/errors.ts'
import { checkPosition, zoneOf } from '#http/validate.ts'
import { spansBetween } from '#lib/days.ts'
import { DAY } from '#platform/clock.ts'

import { type ActivityRow, findActivity, findCounters, IN_ORDER } from '../activities.store.ts'
import { checkInPolicy, inviteCodeIn } from '../register/register.rules.ts'
import { findRegistration } from '../registrations/registrations.store.ts'
import {
  type Asking,
  findNamed,
  manageActivity,
  manages,
  refuseIfDisabled,
  see,
} from '../visibility/visibility.service.ts'
import { checkInRefused, tooManyWrongShortCodes } from './check-ins.errors.ts'
import type { CheckInStats, CheckInView, CreateCheckIn, RecordsQuery, StatsQuery } from './check-ins.model.ts'
import {
  type Accepted,
  comparedShortCode,
  decide,
  QUARTER,
  type Refused,
  rotatingCodeIn,
  scannedCode,
  WRONG_SHORT_CODES,
} from './check-ins.rules.ts'
import * as store from './check-ins.store.ts'
import { isGoodAt } from './rotating.rules.ts'

const CHECK_IN = 'activities.checkIn'

/** Hundreds of people arrive at the same time. */
const arrivals = perContext(
  (ctx) =>
    new GatheredWrites(
      ctx.db,
      CHECK_IN,
      async (tx, list: readonly store.Arrival[]) => (await store.insertCheckIns(tx, list)).map((value) => ({ value })),
      IN_ORDER,
    ),
)

/** @throws AppError 404 and 403 if the caller may not see the activity, 400 with the reason why not, 429 after too many wrong codes */
export async function checkIn(
  ctx: AppContext,
  id: number,
  input: CreateCheckIn,
  { viewer, caller }: Asking,
): Promise<CheckInView> {
  checkPosition(input)
  const { userId } = viewer
  const named = await findNamed(ctx.db.read, id, viewer)
  const scanned = named && input.code ? inviteCodeIn(input.code, named, ownAddresses(ctx)) : undefined
  const { row } = await see(ctx, named, { viewer, caller, code: input.inviteCode || scanned })
  refuseIfDisabled(row)

  const decided = await decisionOn(ctx, row, userId, input)
  // A request that is repeated with its `Idempotency-Key` may be over the limit by its own check-in, which the write then returns.
  const isOver = 'reason' in decided && decided.reason === 'over the limit'
  const accepted = isOver ? undefined : await accept(ctx, caller, row, decided)
  const recorded =
    accepted === undefined
      ? await ctx.db.write<store.CheckInRow | undefined>(CHECK_IN, async () => undefined)
      : await arrivals(ctx).add({ activityId: id, userId, ...limitsOf(row), ...accepted })
  if (recorded !== undefined) return toView(recorded)
  // Something changed meanwhile: the decision on the activity as it is now names the reason.
  const current = await findActivity(ctx.db.read, id)
  if (current === undefined) throw notFound()
  const decision = await decisionOn(ctx, current, userId, input)
  throw checkInRefused(
    'reason' in decision ? decision : { reason: 'over the limit', distance: null },
    checkInPolicy(current),
  )
}

function limitsOf(row: ActivityRow): Pick<store.Arrival, 'max' | 'registeredOnly'> {
  const { maxPerUser, registeredOnly } = checkInPolicy(row)
  return { max: maxPerUser, registeredOnly }
}

async function decisionOn(
  ctx: AppContext,
  row: ActivityRow,
  userId: number,
  { latitude, longitude, accuracy, shortCode, code }: CreateCheckIn,
): Promise<Accepted | Refused> {
  const now = ctx.clock.now()
  const policy = checkInPolicy(row)
  const { registeredOnly, rotatingSeconds } = policy
  const rotating = code && rotatingSeconds !== null ? rotatingCodeIn(code, ownAddresses(ctx)) : undefined
  return decide({
    now,
    hasCheckIn: row.hasCheckIn,
    status: row.status,
    policy,
    scanned: code ? scannedCode(code, row, ownAddresses(ctx)) : null,
    position: latitude != null && longitude != null ? { latitude, longitude, accuracy: accuracy ?? 0 } : null,
    shortCode: shortCode || null,
    isRegistered: registeredOnly && (await findRegistration(ctx.db.read, row.id, userId))?.status === 'CONFIRMED',
    isCurrent: rotating !== undefined && isGoodAt(ctx.seal, row, rotating, now),
    earlier: await store.timesCheckedIn(ctx.db.read, row.id, userId),
  })
}

/** Returns the decision if it is not a refusal. Counts wrong short codes: after too many, right ones are refused too. */
async function accept(
  ctx: AppContext,
  { ip }: Asking['caller'],
  row: ActivityRow,
  decision: Accepted | Refused,
): Promise<Accepted> {
  const isRefused = 'reason' in decision
  if (comparedShortCode(decision))
    await guess(ctx, WRONG_SHORT_CODES, ip, tooManyWrongShortCodes, () => !isRefused || undefined)
  if (isRefused) throw checkInRefused(decision, checkInPolicy(row))
  return decision
}

/** The records that the caller may see: all of the activity's for its managers, their own for others. Undefined if that leaves none. */
export async function visibleRecords(
  ctx: AppContext,
  id: number,
  { userId }: Pick<RecordsQuery, 'userId'>,
  asking: Asking,
): Promise<store.Records | undefined> {
  const { viewer } = asking
  const named = await findNamed(ctx.db.read, id, viewer)
  if (named !== undefined && (await manages(ctx, viewer.userId, named, 'checkin:read')))
    return { activityId: id, userId: userId ?? null }
  await see(ctx, named, asking)
  return userId === undefined || userId === viewer.userId ? { activityId: id, userId: viewer.userId } : undefined
}

export async function listRecords(
  ctx: AppContext,
  id: number,
  query: RecordsQuery,
  asking: Asking,
): Promise<Page<CheckInView>> {
  const { page, size, method, from, to, keyword } = query
  const records = await visibleRecords(ctx, id, query, asking)
  if (records === undefined) return { items: [], total: 0, page, size }
  const isFiltered = method !== undefined || from !== undefined || to !== undefined || !!keyword
  return mapPage(
    isFiltered
      ? await ctx.db.search(asking.viewer.userId, (db) => store.searchRecords(db, records, query))
      : await store.recordsPage(ctx.db.read, records, { page, size }),
    toView,
  )
}

/** @throws AppError 403 unless the caller manages the check-ins of the activity */
export async function checkInStats(
  ctx: AppContext,
  id: number,
  query: StatsQuery,
  asking: Asking,
): Promise<CheckInStats> {
  const zone = zoneOf(query)
  const row = await manageActivity(ctx, id, 'checkin:read', asking)
  const { checkIns, checkedInUsers } = await findCounters(ctx.db.read, id)
  const byHour = Array.from({ length: 24 }, (_, hour) => ({ hour, count: 0 }))
  const byMethod: CheckInStats['byMethod'] = { GPS: 0, CODE: 0, QR: 0 }
  // The stamps of writes can be some seconds ahead of the clock.
  for (const span of spansBetween(row.createdAt - QUARTER, ctx.clock.now() + DAY, zone))
    for (const { hour, method, n } of await store.countByHour(readerFor(ctx.db, checkIns), id, span)) {
      byHour[hour]!.count += n
      byMethod[method] = (byMethod[method] ?? 0) + n
    }
  return { total: checkIns, users: checkedInUsers, repeated: checkIns - checkedInUsers, byHour, byMethod }
}

export const toView = (row: store.CheckInRow): CheckInView => ({
  id: row.id,
  activityId: row.activityId,
  userId: row.userId,
  registrationId: row.registrationId,
  nickname: row.nickname,
  method: row.method,
  distance: row.distance,
  sequence: row.sequence,
  checkedInAt: row.checkedInAt,
})

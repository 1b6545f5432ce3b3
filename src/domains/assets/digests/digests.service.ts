/**
 * Queues the digests: a mail a day to each user who has something to do with assets, at the hour and in the zone of the user. A run looks at
 * the things that are due, not at users, and only if the time of a user has come since the run before (docs/adr/0052-digests.md).
 */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Db } from '#db/store.ts'
import { usersHoldingPoint } from '#domains/access/index.ts'
import { sendComposed } from '#domains/delivery/index.ts'
import {
  assetMailTargets,
  type DigestTime,
  digestTimes,
  digestTimesOf,
  hasAssetMails,
  spendAssetMails,
} from '#domains/notifications/index.ts'
import { dayAt } from '#lib/days.ts'
import { HOUR, MINUTE, serverZone } from '#platform/clock.ts'

import { MAX_KEEPERS } from '../reminders.service.ts'
import {
  type DigestOwner,
  type DigestPart,
  type DigestPerson,
  type DigestThings,
  ORGANIZATIONS,
} from './digests.model.ts'
import * as store from './digests.store.ts'
import { PARTS } from './parts.service.ts'

/** Users whose preferences are read, and digests that are queued, at once. */
const AT_ONCE = 200
/** The clocks of all zones differ from UTC by whole quarters of an hour, so digests are due at no other times. */
const QUARTER_MS = 15 * MINUTE

/** Between two runs. */
export const DIGESTS_EVERY_MS = MINUTE

/** A digest that could not be sent when its time had come is sent so much later at most, or later on the same day. */
const LATE_MS = 12 * HOUR

/** When clocks in the zone show the full hour on that day. If they skip it, when they show the next one; if they show it twice, the first time. */
export const digestMoment = (day: Temporal.PlainDate, hour: number, zone: string): number =>
  day.toPlainDateTime({ hour }).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds

/** The day of the digest whose time came after `from`, at `now` or before. Undefined if there is none, or if it is too late for it. */
export function dueDigest(
  { hour, zone }: { readonly hour: number; readonly zone: string },
  from: number,
  now: number,
): string | undefined {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate()
  for (const day of [today, today.subtract({ days: 1 })]) {
    const moment = digestMoment(day, hour, zone)
    if (moment > now) continue
    const isInTime = day === today || now - moment < LATE_MS
    return moment > from && isInTime ? day.toString() : undefined
  }
  return undefined
}

/** Queues the digests whose time has come since the run before. After a kill, the next run does the rest. */
export async function queueDigests(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  // The first run of all serves those whose time came today.
  const from = (await store.queuedUpTo(ctx.db.read)) ?? 0
  // Nothing to do, or the clock was set back.
  if (Math.floor(now / QUARTER_MS) <= Math.floor(from / QUARTER_MS)) return
  const isTime = (time: DigestTime): boolean => dueDigest(time, from, now) !== undefined
  if ((await hasAssetMails(ctx)) && (await digestTimes(ctx.db.readInWorker)).some(isTime))
    await queueFor(ctx, from, now)
  // Also while the setting is off: digests from before it was turned on are not sent.
  await ctx.db.write('assets.saveDigestRun', (tx) => store.saveUpTo(tx, now))
}

/** The keepers of organizations, read once in a run: they get the things of an organization that are in the digest of no other user. */
type Keepers = (orgId: number) => Promise<readonly number[]>

function keepersIn(db: Db): Keepers {
  const known = new Map<number, Promise<readonly number[]>>()
  return (orgId) => {
    const found = known.get(orgId) ?? usersHoldingPoint(db, orgId, 'asset:transfer', MAX_KEEPERS)
    known.set(orgId, found)
    return found
  }
}

async function queueFor(ctx: AppContext, from: number, now: number): Promise<void> {
  const keepers = keepersIn(ctx.db.read)
  const partsOf = await candidates(ctx, keepers, now)
  const ids = [...partsOf.keys()].toSorted((a, b) => a - b)
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const days = await daysOf(ctx, ids.slice(at, at + AT_ONCE), from, now)
    if (days.size > 0) await queueSome(ctx, days, partsOf, { keepers, now })
    await Bun.sleep(0)
  }
}

/** The users who may have something in their digests, with the parts in which they may have it. */
async function candidates(
  ctx: AppContext,
  keepers: Keepers,
  now: number,
): Promise<ReadonlyMap<number, readonly DigestPart[]>> {
  const found = new Map<number, DigestPart[]>()
  const add = (userId: number, part: DigestPart): void => {
    const parts = found.get(userId)
    if (parts === undefined) found.set(userId, [part])
    else if (parts.at(-1) !== part) parts.push(part)
  }
  for (const part of PARTS) {
    const { userIds, owners } = await part.candidates(ctx.db.readInWorker, now)
    for (const id of userIds) add(id, part)
    for (const owner of owners)
      if (orgOf(owner) === 0) add(-owner, part)
      else for (const id of await keepers(orgOf(owner))) add(id, part)
  }
  return found
}

/** The days of those of some hundred users whose time has come, and who had no digest on that day yet. */
async function daysOf(
  ctx: AppContext,
  userIds: readonly number[],
  from: number,
  now: number,
): Promise<Map<number, string>> {
  const days = new Map<number, string>()
  for (const [id, time] of await digestTimesOf(ctx.db.read, userIds)) {
    const day = dueDigest(time, from, now)
    if (day !== undefined) days.set(id, day)
  }
  for (const id of await store.servedAmong(ctx.db.read, days)) days.delete(id)
  return days
}

/** Users whose things are looked for at once. */
const FOUND_AT_ONCE = 8

/** Queues the digests of those who have something. One write takes them and queues the mails. */
async function queueSome(
  ctx: AppContext,
  days: ReadonlyMap<number, string>,
  partsOf: ReadonlyMap<number, readonly DigestPart[]>,
  { keepers, now }: { readonly keepers: Keepers; readonly now: number },
): Promise<void> {
  const targets = await assetMailTargets(ctx, ctx.db.read, [...days.keys()], ['DAILY', 'AT_ONCE'])
  const asked = [...targets].map(([userId, { timeZone }]) => ({ userId, now, zone: timeZone }))
  const digests: { userId: number; day: string; parts: string[] }[] = []
  for (let at = 0; at < asked.length; at += FOUND_AT_ONCE) {
    const some = asked.slice(at, at + FOUND_AT_ONCE)
    const found = await Promise.all(some.map((one) => sectionsOf(ctx.db.read, one, partsOf.get(one.userId)!, keepers)))
    for (const [i, sections] of found.entries())
      if (sections.length > 0)
        digests.push({
          userId: some[i]!.userId,
          day: days.get(some[i]!.userId)!,
          parts: sections.map(({ part }) => part.key),
        })
    await Bun.sleep(0)
  }
  if (digests.length === 0) return
  await ctx.db.write('assets.queueDigests', async (tx) => {
    const taken = await store.takeDigests(tx, digests)
    const ours = digests.filter(({ userId }) => taken.has(userId))
    const allowed = await spendAssetMails(ctx, tx, ours.length)
    await sendComposed(
      ctx,
      tx,
      ours
        .slice(0, allowed)
        .map((data) => ({ to: targets.get(data.userId)!.address, kind: 'ASSET_DIGEST', data: { ...data } })),
    )
  })
}

/** Those of the parts in which the user has something. */
export async function sectionsOf(
  db: Db,
  asked: Pick<DigestPerson, 'userId' | 'now' | 'zone'>,
  parts: readonly DigestPart[],
  keepers: Keepers = keepersIn(db),
): Promise<{ readonly part: DigestPart; readonly things: DigestThings }[]> {
  const person = { ...asked, owners: await ownersOf(db, asked, keepers) }
  const sections: { part: DigestPart; things: DigestThings }[] = []
  for (const part of parts) {
    const things = await part.find(db, person)
    if (things.total > 0) sections.push({ part, things })
  }
  return sections
}

async function ownersOf(
  db: Db,
  { userId, now, zone }: Pick<DigestPerson, 'userId' | 'now' | 'zone'>,
  keepers: Keepers,
): Promise<DigestOwner[]> {
  const owners: DigestOwner[] = [{ owner: -userId, zone, today: dayAt(now, zone), isKeeper: true, isOrgOwner: false }]
  for (const { orgId, timeZone, ownerId } of await store.activeOrgsOf(db, userId, ORGANIZATIONS)) {
    const orgZone = timeZone ?? serverZone()
    owners.push({
      owner: orgId,
      zone: orgZone,
      today: dayAt(now, orgZone),
      isKeeper: (await keepers(orgId)).includes(userId),
      isOrgOwner: ownerId === userId,
    })
  }
  return owners
}

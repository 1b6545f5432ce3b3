/**
 * Queues the digests: a mail a day to each user who has something to do with assets, at the hour and in the zone of the user. A run looks at
 * the things that are due, not at users, and only if somebody's time has come since the run before (docs/adr/0052-digests.md).
 */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { Db } from '#db/store.ts'
import { organizationsWith, usersHoldingPoint } from '#domains/access/index.ts'
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
import { MINUTE, serverZone } from '#platform/clock.ts'

import { MAX_KEEPERS } from '../maintenance/notices.service.ts'
import {
  type DigestOwner,
  type DigestPart,
  type DigestPerson,
  type DigestThings,
  ORGANIZATIONS,
} from './digests.model.ts'
import { dueDigest } from './digests.rules.ts'
import * as store from './digests.store.ts'
import { PARTS } from './parts.service.ts'

/** Users whose preferences are read, and digests that are queued, at once. */
const AT_ONCE = 200
/** The clocks of all zones differ from UTC by whole quarters of an hour, so nobody's time comes in between. */
const QUARTER_MS = 15 * MINUTE

/** Between two runs. */
export const DIGESTS_EVERY_MS = MINUTE

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

async function queueFor(ctx: AppContext, from: number, now: number): Promise<void> {
  const ids = await candidates(ctx, now)
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    await queueSome(ctx, ids.slice(at, at + AT_ONCE), from, now)
    await Bun.sleep(0)
  }
}

/** Users who may have something in their digests, by id. */
async function candidates(ctx: AppContext, now: number): Promise<number[]> {
  const db = ctx.db.readInWorker
  const userIds = new Set<number>()
  const owners = new Set<OwnerKey>()
  for (const part of PARTS) {
    const found = await part.candidates(db, now)
    for (const id of found.userIds) userIds.add(id)
    for (const owner of found.owners) owners.add(owner)
  }
  for (const owner of owners)
    if (orgOf(owner) === 0) userIds.add(-owner)
    else for (const id of await keeperIds(db, orgOf(owner))) userIds.add(id)
  return [...userIds].toSorted((a, b) => a - b)
}

/** Those who are told about the things of an organization of which nobody else is told. */
const keeperIds = (db: Db, orgId: number): Promise<number[]> =>
  usersHoldingPoint(db, orgId, 'asset:transfer', MAX_KEEPERS)

/** Of some hundred users, those whose time has come and who have something. One write takes their digests and queues the mails. */
async function queueSome(ctx: AppContext, userIds: readonly number[], from: number, now: number): Promise<void> {
  const db = ctx.db.readInWorker
  const days = new Map<number, string>()
  for (const [id, time] of await digestTimesOf(db, userIds)) {
    const day = dueDigest(time, from, now)
    if (day !== undefined) days.set(id, day)
  }
  if (days.size === 0) return
  const served = await store.servedAmong(db, days)
  const waiting = [...days.keys()].filter((id) => !served.has(id))
  const targets = await assetMailTargets(ctx, db, waiting, ['DAILY', 'AT_ONCE'])
  const takes: { userId: number; day: string }[] = []
  for (const [userId, { timeZone }] of targets)
    if (await hasSomething(ctx, db, { userId, now, zone: timeZone })) takes.push({ userId, day: days.get(userId)! })
  if (takes.length === 0) return
  await ctx.db.write('assets.queueDigests', async (tx) => {
    const taken = await store.takeDigests(tx, takes)
    const ours = takes.filter(({ userId }) => taken.has(userId))
    const allowed = await spendAssetMails(ctx, tx, ours.length)
    await sendComposed(
      ctx,
      tx,
      ours.slice(0, allowed).map(({ userId, day }) => ({
        to: targets.get(userId)!.address,
        kind: 'ASSET_DIGEST',
        data: { userId, day },
      })),
    )
  })
}

type Asked = Pick<DigestPerson, 'userId' | 'now' | 'zone'>

async function hasSomething(ctx: AppContext, db: Db, asked: Asked): Promise<boolean> {
  const person = await personOf(ctx, db, asked)
  for (const part of PARTS) if ((await part.find(db, person)).total > 0) return true
  return false
}

/** The parts in which the user has something. */
export async function sectionsOf(
  ctx: AppContext,
  db: Db,
  asked: Asked,
): Promise<{ readonly part: DigestPart; readonly things: DigestThings }[]> {
  const person = await personOf(ctx, db, asked)
  const sections: { part: DigestPart; things: DigestThings }[] = []
  for (const part of PARTS) {
    const things = await part.find(db, person)
    if (things.total > 0) sections.push({ part, things })
  }
  return sections
}

async function personOf(ctx: AppContext, db: Db, asked: Asked): Promise<DigestPerson> {
  const { userId, now, zone } = asked
  const lending = new Set(await organizationsWith(ctx, userId, 'asset:transfer'))
  const owners: DigestOwner[] = [
    { owner: -userId, zone, today: dayAt(now, zone), isKeeper: true, mayLend: true, isOrgOwner: false },
  ]
  for (const { orgId, timeZone, ownerId } of await store.activeOrgsOf(db, userId, ORGANIZATIONS)) {
    const orgZone = timeZone ?? serverZone()
    const mayLend = lending.has(orgId)
    owners.push({
      owner: orgId,
      zone: orgZone,
      today: dayAt(now, orgZone),
      isKeeper: mayLend && (await keeperIds(db, orgId)).includes(userId),
      mayLend,
      isOrgOwner: ownerId === userId,
    })
  }
  return { ...asked, owners }
}

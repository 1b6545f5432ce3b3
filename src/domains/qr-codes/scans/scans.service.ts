import { type AppContext, perContext } from '#context'
import { isAroundWrites } from '#db/around-writes.ts'
import { spend, takeOnce } from '#db/counters.ts'
import { dialect } from '#db/dialect.ts'
import { GatheredWrites } from '#db/gathered-writes.ts'
import { isNotedAnywhere } from '#db/notes.ts'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import { finishInSlices, inSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { ResolveScanTarget, SyncRevival } from '#domains/contributions.ts'
import { contributions, type Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import { ownAddresses } from '#http/addresses.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { checkPosition, invalid, invalidAll } from '#http/validate.ts'
import { type ContentType, contentTypeOf } from '#lib/content-type.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { mayBind } from '../blanks/binding.service.ts'
import type { BlankRow } from '../blanks/blanks.store.ts'
import { toViews } from '../blanks/blanks.view.ts'
import { findShortLink, pageOfLabel } from '../blanks/short-links.service.ts'
import { contentTooLong, noSuchCode } from '../codes/codes.errors.ts'
import { MAX_CONTENT_BYTES } from '../codes/codes.model.ts'
import { bytesOf } from '../codes/codes.rules.ts'
import { addScans } from '../codes/codes.store.ts'
import { addScanCounts, deleteScanCounts, quarterOf } from '../scan-counts.store.ts'
import type { DaysQuery } from '../stats/stats.model.ts'
import { countDays, daysOf } from '../stats/stats.service.ts'
import { deleteVisits } from '../visits/visits.store.ts'
import { type Recording, recordScans } from './recording.store.ts'
import {
  type CreateScan,
  type Kind,
  type ListQuery,
  NEW_RECORDS,
  type Resolved,
  type ResolvedScanView,
  type ScanStats,
  type ScanView,
  type UpdateScan,
} from './scans.model.ts'
import { targetOf } from './scans.rules.ts'
import * as store from './scans.store.ts'

export async function listScans(ctx: AppContext, actor: Actor, query: ListQuery) {
  return mapPage(await scansPage(ctx, actor.userId, query), toView)
}

async function scansPage(ctx: AppContext, userId: number, query: ListQuery): Promise<Page<store.ScanRow>> {
  if (isUnfiltered(query)) return store.scansPage(ctx.db.read, userId, query)
  const { keyword } = query
  return keyword
    ? ctx.db.search(userId, (db) => store.searchScans(db, userId, { ...query, keyword }))
    : store.filteredPage(await scansReader(ctx, userId), userId, query)
}

const isUnfiltered = (query: ListQuery): boolean =>
  query.favorite === undefined &&
  query.contentType === undefined &&
  query.source === undefined &&
  query.from === undefined &&
  query.to === undefined &&
  !query.keyword

/** Where to run queries that look at all scan records of a user. */
async function scansReader(ctx: AppContext, userId: number): Promise<Db> {
  const { total } = await store.scansPage(ctx.db.read, userId, { page: 1, size: 1 })
  return readerFor(ctx.db, total)
}

/** Phones with a wrong clock or time zone still get their scans recorded. */
const MAX_AHEAD_MS = DAY

/** Records a scan, and returns what the content refers to if the caller may know of it. @throws AppError 429 */
export async function createScan(
  ctx: AppContext,
  actor: Actor,
  input: CreateScan,
  caller: Caller,
): Promise<ResolvedScanView> {
  const { insert, resolved, recording } = await prepareScan(ctx, actor, input, caller, 'body')
  const uses = await usesOf(ctx, NEW_RECORDS, { actor, caller })
  const row =
    (await recordTogether(ctx, { ...recording, use: uses[0] })) ??
    (await ctx.db.write('qrCodes.createScan', async (tx) => {
      const refusal = await spend(tx, uses, ctx.clock.now())
      if (refusal) throw budgetUsedUp(refusal)
      return insert(tx)
    }))
  return { ...toView(row), resolved }
}

/** A scan for which there was no room is tried once more: another process was perhaps recording one of its user. */
const TRIES = 2

/** Two queues: the statement of one runs while the other waits for the disk. Those of a user are in one, so that they never skip each other. */
const gathered = perContext((ctx) =>
  [0, 1].map(
    () =>
      new GatheredWrites(
        ctx.db,
        'qrCodes.createScans',
        async (tx, list: readonly (Recording & { tries: number })[]) =>
          (await recordScans(tx, list, { now: ctx.clock.now(), onceMs: ONCE_MS })).map((value, i) =>
            value === undefined && ++list[i]!.tries < TRIES ? 'later' : { value },
          ),
        { isOneStatement: true },
      ),
  ),
)

/** Records a scan by the same statement as those of other users. Undefined if it takes a write of its own, which may refuse it. */
async function recordTogether(ctx: AppContext, recording: Recording): Promise<store.ScanRow | undefined> {
  if (dialect === 'sqlite' || isAroundWrites()) return undefined
  // The one statement makes no notes for webhooks.
  if (recording.onceKey !== undefined && isNotedAnywhere(ctx.db.read, 'qr_code.scanned')) return undefined
  return gathered(ctx)[recording.userId % 2]!.add({ ...recording, tries: 0 })
}

/**
 * Checks a scan and resolves its content; `insert` runs in a write. `qrCodeId` is the code that a client without a network has found itself.
 * `where` is the first part of the paths of bad fields.
 */
export async function prepareScan(
  ctx: AppContext,
  actor: Actor,
  input: CreateScan & { readonly qrCodeId?: number | null },
  caller: Caller,
  where: string,
): Promise<{
  insert(tx: Tx, revived?: SyncRevival): Promise<store.ScanRow>
  resolved: Resolved
  recording: Omit<Recording, 'use'>
}> {
  const { content } = input
  const bytes = bytesOf(content)
  if (bytes > MAX_CONTENT_BYTES) throw invalidAll([contentTooLong(`${where}.content`, bytes, MAX_CONTENT_BYTES)])
  checkPosition(input, where)
  if (input.scannedAt != null && input.scannedAt > ctx.clock.now() + MAX_AHEAD_MS)
    throw invalid(`${where}.scannedAt`, 'must not be more than a day in the future', '不能晚于当前时间一天以上')
  const found = await findCode(ctx, actor.userId, content)
  const given = input.qrCodeId ?? found?.id
  const code = given === found?.id ? found : await findVisible(ctx, actor.userId, given!)
  if (given !== undefined && code === undefined) throw invalidAll([noSuchCode(`${where}.qrCodeId`)])
  const resolved = code
    ? { kind: 'QR_CODE' as const, id: code.id, title: code.name }
    : await resolveElsewhere(ctx, actor.userId, content, caller)
  const quota = await getSetting(ctx, 'quota.scanRecords')
  const values = (stamp: number): store.ScanValues => ({
    content,
    contentType: input.contentType ?? contentTypeOf(content),
    source: input.source ?? 'CAMERA',
    qrCodeId: code?.id ?? null,
    title: input.title || (resolved.title ?? null),
    favorite: input.favorite ?? false,
    latitude: input.latitude ?? null,
    longitude: input.longitude ?? null,
    address: input.address || null,
    scannedAt: input.scannedAt ?? stamp,
    createdAt: stamp,
    updatedAt: stamp,
  })
  const onceKey = code && onceKeyOf(code.id, actor)
  const insert = async (tx: Tx, revived?: SyncRevival) => {
    const row = await store.insertScan(tx, actor.userId, values(tx.stamp), { quota, revived })
    if (onceKey) await countOnce(ctx, tx, code.id, onceKey)
    return row
  }
  return { insert, resolved, recording: { userId: actor.userId, values, quota, onceKey } }
}

/** A phone sends a scan again if it got no answer: that is not a second scan. */
const ONCE_MS = MINUTE
const onceKeyOf = (id: number, { sessionId }: Actor): string => `scan:${id}:${sessionId}`

/** Counts a scan of a code in the write of its record, so that each confirmed scan is counted. */
async function countOnce(ctx: AppContext, tx: Tx, id: number, onceKey: string): Promise<void> {
  if (!(await takeOnce(tx, onceKey, ONCE_MS, ctx.clock.now()))) return
  if ((await addScans(tx, new Map([[id, 1]]))).has(id))
    await addScanCounts(tx, [{ qrCodeId: id, startsAt: quarterOf(tx.stamp), scans: 1 }])
}

/** Of a user in more organizations, only the codes of this many are searched, so that the query stays short. */
const MAX_ORGANIZATIONS = 200

/** The code whose public link or content was scanned, if the user may see it. */
async function findCode(ctx: AppContext, userId: number, content: string): Promise<store.FoundCode | undefined> {
  const target = targetOf(content, ownAddresses(ctx))
  const short = await findShortLink(ctx, ctx.db.read, content)
  const linked =
    target.kind === 'QR_CODE'
      ? await store.findByUuid(ctx.db.read, target.uuid)
      : short?.qrCodeId && (await store.findById(ctx.db.read, short.qrCodeId))
  if (linked && (await maySee(ctx, userId, linked))) return linked
  const own = await store.findPersonalByContent(ctx.db.read, userId, content)
  if (own) return own
  const orgIds = await access.organizationsWith(ctx, userId, 'qr_code:read')
  if (orgIds.length === 0) return undefined
  return store.findOrganizationsByContent(ctx.db.read, orgIds.slice(0, MAX_ORGANIZATIONS), content)
}

/**
 * The code with this id if it belongs to the user, or to an organization whose codes they may see. A public code of others is not found: those
 * who know its link may see it, not those who guess its id.
 */
async function findVisible(ctx: AppContext, userId: number, id: number): Promise<store.FoundCode | undefined> {
  const code = await store.findById(ctx.db.read, id)
  return code && (await maySee(ctx, userId, { ...code, isPublic: false })) ? code : undefined
}

function maySee(
  ctx: AppContext,
  userId: number,
  code: { userId: number; orgId: number; isPublic: boolean },
): MaybePromise<boolean> {
  if (code.isPublic) return true
  return code.orgId === 0 ? code.userId === userId : access.can(ctx, userId, 'ORG', code.orgId, 'qr_code:read')
}

/**
 * The target of a content that belongs to none of the user's codes, with its id and title if the user may know of it. The link of a
 * code that they may not see is treated like any other URL.
 */
async function resolveElsewhere(
  ctx: AppContext,
  userId: number,
  content: string,
  caller: Pick<Caller, 'ip'>,
): Promise<Resolved> {
  const blank = (await findShortLink(ctx, ctx.db.read, content))?.blank
  if (blank !== undefined) return resolveLabel(ctx, userId, blank, caller)
  const { kind } = targetOf(content, ownAddresses(ctx))
  if (kind === 'QR_CODE') return { kind: 'URL' }
  for (const targets of contributions(ctx, 'scanTargets')) {
    const resolveTarget = (targets as Partial<Record<Kind, ResolveScanTarget>>)[kind]
    if (resolveTarget) return { kind, ...(await resolveTarget(ctx, userId, content, caller)) }
  }
  return { kind }
}

/** Resolves a label like the link of its thing. */
async function resolveLabel(
  ctx: AppContext,
  userId: number,
  blank: BlankRow,
  caller: Pick<Caller, 'ip'>,
): Promise<Resolved> {
  const { slug, number, status, kind } = blank
  if (status === 'FREE' && (await mayBind(ctx, userId, blank))) return { kind: 'BLANK', title: number, slug, number }
  if (kind === null || kind === 'QR_CODE') return { kind: 'TEXT' }
  if (kind === 'LOCATION') {
    const [view] = await toViews(ctx, ctx.db.read, userId, [blank])
    return view!.title === null ? { kind } : { kind, id: view!.targetId!, title: view!.title }
  }
  const path = await pageOfLabel(ctx, blank)
  return path === undefined ? { kind: 'TEXT' } : resolveElsewhere(ctx, userId, ctx.config.publicUrl + path, caller)
}

export function updateScan(ctx: AppContext, actor: Actor, id: number, input: UpdateScan): Promise<ScanView> {
  return ctx.db.write('qrCodes.updateScan', async (tx) => toView(await changeScan(tx, actor.userId, id, input)))
}

export async function changeScan(tx: Tx, userId: number, id: number, input: UpdateScan): Promise<store.ScanRow> {
  const row = await store.updateScan(tx, userId, id, input)
  if (row === undefined) throw notFound()
  return row
}

export async function deleteScan(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  await ctx.db.write('qrCodes.deleteScan', (tx) => removeScan(tx, actor.userId, id))
}

/** Returns the version of the tombstone. */
export async function removeScan(tx: Tx, userId: number, id: number): Promise<number> {
  const version = await store.deleteScan(tx, userId, id)
  if (version === undefined) throw notFound()
  return version
}

/** Deletes the oldest records of users who have more than the quota, which has been lowered or is new. */
export async function deleteBeyondQuota(ctx: AppContext): Promise<void> {
  const quota = await getSetting(ctx, 'quota.scanRecords')
  if (quota === 0) return
  for (const userId of await store.usersWithMoreThan(ctx.db.readInWorker, quota))
    await inSlices(ctx, 'qrCodes.deleteScansBeyondQuota', (tx, limit) => store.deleteOldest(tx, userId, quota, limit))
}

export const quotaJob: Job = { name: 'qrCodes.scanQuota', every: 6 * HOUR, run: deleteBeyondQuota }

/** Records that lose their code, and counts that are deleted, in one write, which takes some milliseconds. */
const RECORDS_PER_WRITE = 200

/** Clears a code from at most `limit` scan records, counts of scans and what its scans tell. Returns their number. */
async function clearCode(tx: Tx, id: number, limit: number): Promise<number> {
  let cleared = await store.clearCode(tx, id, limit)
  if (cleared < limit) cleared += await deleteScanCounts(tx, id, limit - cleared)
  if (cleared < limit) cleared += await deleteVisits(tx, id, limit - cleared)
  return cleared
}

/**
 * Clears codes that are being deleted permanently from the scan records that refer to them, and deletes their counts. The records change,
 * so that clients that synchronize notice. A code can have a million records: those beyond the first are left to the job.
 */
export async function clearPurgedCodes(tx: Tx, ids: readonly number[]): Promise<void> {
  let left = RECORDS_PER_WRITE
  for (const id of await store.codesWithScans(tx, ids)) {
    left -= await clearCode(tx, id, left)
    if (left === 0) await store.insertPurgedCode(tx, id)
  }
}

/** Clears deleted codes from the records that were too many for the write that deleted the code. */
const clearRemaining = (ctx: AppContext): Promise<void> =>
  finishInSlices(ctx, 'qrCodes.clearPurgedCode', {
    first: store.firstPurgedCode,
    work: clearCode,
    end: store.deletePurgedCode,
  })

export const clearPurgedJob: Job = { name: 'qrCodes.clearPurgedCodes', every: MINUTE, run: clearRemaining }

export async function scanStats(ctx: AppContext, actor: Actor, query: DaysQuery): Promise<ScanStats> {
  const range = daysOf(query, ctx.clock.now())
  const db = await scansReader(ctx, actor.userId)
  const groups = await store.scanTotals(db, actor.userId)
  return {
    total: groups.reduce((sum, g) => sum + g.n, 0),
    favorites: groups.reduce((sum, g) => sum + (g.favorite ? g.n : 0), 0),
    byType: summed(groups, (g) => g.contentType).map(([contentType, count]) => ({
      contentType: contentType as ContentType,
      count,
    })),
    bySource: summed(groups, (g) => g.source).map(([source, count]) => ({ source, count })),
    byDay: await countDays(range, (part) => store.scansByDay(db, actor.userId, part)),
  }
}

/** Sums by key, largest first. */
function summed<G extends { n: number }, K>(groups: readonly G[], keyOf: (group: G) => K): [K, number][] {
  const sums = new Map<K, number>()
  for (const group of groups) sums.set(keyOf(group), (sums.get(keyOf(group)) ?? 0) + group.n)
  return [...sums].toSorted((a, b) => b[1] - a[1])
}

export const toView = (row: store.ScanRow): ScanView => ({
  id: row.id,
  content: row.content,
  contentType: row.contentType as ContentType,
  source: row.source,
  qrCodeId: row.qrCodeId,
  title: row.title,
  favorite: row.favorite,
  latitude: row.latitude,
  longitude: row.longitude,
  address: row.address,
  scannedAt: row.scannedAt,
  createdAt: row.createdAt,
})

import type { AppContext } from '#context'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import type { Db } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { ResolveScanTarget } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { checkPosition, invalid, invalidAll } from '#http/validate.ts'
import { type ContentType, contentTypeOf } from '#lib/content-type.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { contentTooLong } from '../codes/errors.ts'
import { MAX_CONTENT_BYTES } from '../codes/model.ts'
import { bytesOf } from '../codes/rules.ts'
import { countScan } from '../public/scan-counter.ts'
import type { DaysQuery } from '../stats/model.ts'
import { countDays, daysOf } from '../stats/service.ts'
import type {
  CreateScan,
  Kind,
  ListQuery,
  Resolved,
  ResolvedScanView,
  ScanStats,
  ScanView,
  UpdateScan,
} from './model.ts'
import { targetOf } from './rules.ts'
import * as store from './store.ts'

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

/** Records a scan, and returns what the content refers to if the caller may know of it. */
export async function createScan(
  ctx: AppContext,
  actor: Actor,
  input: CreateScan,
  caller: Caller,
): Promise<ResolvedScanView> {
  const { content } = input
  const bytes = bytesOf(content)
  if (bytes > MAX_CONTENT_BYTES) throw invalidAll([contentTooLong('body.content', bytes, MAX_CONTENT_BYTES)])
  checkPosition(input)
  if (input.scannedAt != null && input.scannedAt > ctx.clock.now() + MAX_AHEAD_MS)
    throw invalid('body.scannedAt', 'must not be more than a day in the future', '不能晚于当前时间一天以上')
  const code = await findCode(ctx, actor.userId, content)
  const resolved = code
    ? { kind: 'QR_CODE' as const, id: code.id, title: code.name }
    : await resolveElsewhere(ctx, actor.userId, content, caller)
  const row = await ctx.db.write('qrCodes.createScan', (tx) =>
    store.insertScan(tx, actor.userId, {
      content,
      contentType: input.contentType ?? contentTypeOf(content),
      source: input.source ?? 'CAMERA',
      qrCodeId: code?.id ?? null,
      title: input.title || (resolved.title ?? null),
      favorite: input.favorite ?? false,
      latitude: input.latitude ?? null,
      longitude: input.longitude ?? null,
      address: input.address || null,
      scannedAt: input.scannedAt ?? tx.stamp,
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    }),
  )
  // A phone sends a scan again if it got no answer. That is not a second scan.
  if (code && ctx.limiter.take(`scan ${code.id} ${actor.sessionId}`, 1, MINUTE) === 0) countScan(ctx, code.id)
  return { ...toView(row), resolved }
}

/** Of a user in more organizations, only the codes of this many are searched, so that the query stays short. */
const MAX_ORGANIZATIONS = 200

/** The code whose public link or content was scanned, if the user may see it. */
async function findCode(ctx: AppContext, userId: number, content: string): Promise<store.FoundCode | undefined> {
  const target = targetOf(content, ctx.config.publicUrl)
  const linked = target.kind === 'QR_CODE' ? await store.findByUuid(ctx.db.read, target.uuid) : undefined
  if (linked && (await maySee(ctx, userId, linked))) return linked
  const own = await store.findPersonalByContent(ctx.db.read, userId, content)
  if (own) return own
  const orgIds = await access.organizationsWith(ctx, userId, 'qr_code:read')
  if (orgIds.length === 0) return undefined
  return store.findOrganizationsByContent(ctx.db.read, orgIds.slice(0, MAX_ORGANIZATIONS), content)
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
async function resolveElsewhere(ctx: AppContext, userId: number, content: string, caller: Caller): Promise<Resolved> {
  const { kind } = targetOf(content, ctx.config.publicUrl)
  if (kind === 'QR_CODE') return { kind: 'URL' }
  for (const targets of contributions(ctx, 'scanTargets')) {
    const resolveTarget = (targets as Partial<Record<Kind, ResolveScanTarget>>)[kind]
    if (resolveTarget) return { kind, ...(await resolveTarget(ctx, userId, content, caller)) }
  }
  return { kind }
}

export function updateScan(ctx: AppContext, actor: Actor, id: number, input: UpdateScan): Promise<ScanView> {
  return ctx.db.write('qrCodes.updateScan', async (tx) => {
    const row = await store.updateScan(tx, actor.userId, id, input)
    if (row === undefined) throw notFound()
    return toView(row)
  })
}

export function deleteScan(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  return ctx.db.write('qrCodes.deleteScan', async (tx) => {
    if (!(await store.deleteScan(tx, actor.userId, id))) throw notFound()
  })
}

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

const toView = (row: store.ScanRow): ScanView => ({
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

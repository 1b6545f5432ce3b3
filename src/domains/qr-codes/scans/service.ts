import type { AppContext } from '#context'
import { mapPage } from '#db/paging.ts'
import type { Db } from '#db/store.ts'
import type { ResolveScanTarget } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { contentTypeOf } from '#lib/content-type.ts'
import { byDay } from '#lib/days.ts'

import { contentTooLong, refuse } from '../codes/errors.ts'
import { bytesOf, MAX_CONTENT_BYTES } from '../codes/rules.ts'
import { MANY } from '../list/reader.ts'
import { daysOf } from '../stats/days.ts'
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
import { toView } from './view.ts'

export async function listScans(ctx: AppContext, actor: Actor, query: ListQuery) {
  const { userId } = actor
  const page = isWhole(query)
    ? await store.wholePage(ctx.db.read, userId, query)
    : await store.filteredPage(await readerFor(ctx, userId), userId, query)
  return mapPage(page, toView)
}

/** The list that clients open with; its pages cost the same however long it is. */
const isWhole = (query: ListQuery): boolean =>
  query.favorite === undefined &&
  query.contentType === undefined &&
  query.source === undefined &&
  query.from === undefined &&
  query.to === undefined &&
  !query.keyword

/** Where to ask what has to look at all scans of a user. */
async function readerFor(ctx: AppContext, userId: number): Promise<Db> {
  const { total } = await store.wholePage(ctx.db.read, userId, { page: 1, size: 1 })
  return total > MANY ? ctx.db.readInWorker : ctx.db.read
}

/** Keeps what was scanned and says what it points to, as far as the caller may know. */
export async function createScan(ctx: AppContext, actor: Actor, input: CreateScan): Promise<ResolvedScanView> {
  const { content } = input
  if (bytesOf(content) > MAX_CONTENT_BYTES) throw refuse(contentTooLong('body.content', content, MAX_CONTENT_BYTES))
  if ((input.latitude == null) !== (input.longitude == null))
    throw invalid('body.longitude', 'latitude and longitude belong together', '经度与纬度须同时提供')
  const resolved = await resolve(ctx, actor, content)
  const row = await ctx.db.write('qrCodes.createScan', (tx) =>
    store.insertScan(tx, actor.userId, {
      content,
      contentType: input.contentType ?? contentTypeOf(content),
      source: input.source ?? 'CAMERA',
      qrCodeId: resolved.kind === 'QR_CODE' ? resolved.id : null,
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
  return { ...toView(row), resolved }
}

/** A code that the caller may not see is an address like any other. */
async function resolve(ctx: AppContext, actor: Actor, content: string): Promise<Resolved> {
  const target = targetOf(content, ctx.config.publicUrl)
  if (target.kind !== 'QR_CODE')
    return { kind: target.kind, ...(await resolveElsewhere(ctx, actor, target.kind, content)) }
  const code = await store.findVisibleCode(ctx.db.read, actor.userId, target.uuid)
  return code === undefined ? { kind: 'URL' } : { kind: 'QR_CODE', id: code.id, title: code.name }
}

/** The thing of another domain that the content refers to, if the user may know of it. */
async function resolveElsewhere(ctx: AppContext, actor: Actor, kind: Kind, content: string) {
  for (const targets of contributions(ctx, 'scanTargets')) {
    const resolveTarget = (targets as Partial<Record<Kind, ResolveScanTarget>>)[kind]
    if (resolveTarget) return resolveTarget(ctx, actor.userId, content)
  }
  return undefined
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

export async function scanStats(
  ctx: AppContext,
  actor: Actor,
  query: { days: number; tz: string },
): Promise<ScanStats> {
  const range = daysOf(query, ctx.clock.now())
  const db = await readerFor(ctx, actor.userId)
  const groups = await store.scanTotals(db, actor.userId)
  const days = new Map<number, number>()
  for (const span of range.spans)
    for (const { day, n } of await store.scansByDay(db, actor.userId, span)) days.set(day, (days.get(day) ?? 0) + n)
  return {
    total: groups.reduce((sum, g) => sum + g.n, 0),
    favorites: groups.reduce((sum, g) => sum + (g.favorite ? g.n : 0), 0),
    byType: summed(groups, (g) => g.contentType).map(([contentType, count]) => ({
      contentType: contentType as ScanStats['byType'][number]['contentType'],
      count,
    })),
    bySource: summed(groups, (g) => g.source).map(([source, count]) => ({ source, count })),
    byDay: byDay(range, days),
  }
}

/** Sums per key, the largest first. */
function summed<G extends { n: number }, K>(groups: readonly G[], keyOf: (group: G) => K): [K, number][] {
  const sums = new Map<K, number>()
  for (const group of groups) sums.set(keyOf(group), (sums.get(keyOf(group)) ?? 0) + group.n)
  return [...sums].toSorted((a, b) => b[1] - a[1])
}

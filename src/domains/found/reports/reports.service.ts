/** Reports of finders, for the owners of the things. */

import type { AppContext } from '#context'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { FoundStatus } from '#db/schema/found.ts'
import type { Db, Tx } from '#db/store.ts'
import { refusalIn } from '#domains/access/index.ts'
import type { EventRows } from '#domains/contributions.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { Model } from '#http/schema.ts'

import { conversationEnded, conversationFull } from '../found.errors.ts'
import { kindsFor, thingsOf } from '../things.service.ts'
import { FINDER_MESSAGES, FoundReportView, OWNER_MESSAGES, type ReportsQuery } from './reports.model.ts'
import * as store from './reports.store.ts'
import { toView } from './reports.view.ts'

/** Reports about the caller's things, or about those of an organization whose assets or codes the caller may read. */
export async function listReports(
  ctx: AppContext,
  { userId }: Actor,
  { orgId = 0, ...query }: ReportsQuery,
): Promise<Page<FoundReportView>> {
  const owner = { userId, orgId }
  const kinds = await kindsFor(ctx, owner, 'read')
  const [first] = kinds
  if (first === undefined) throw await refusalIn(ctx, userId, orgId, 'asset:read')
  const db = ctx.db.read
  const page = await store.reportsPage(db, ownerKey(owner), query, kinds.length === 1 ? first : undefined)
  const newest = await store.newestMessages(
    db,
    page.items.map(({ id }) => id),
  )
  const now = ctx.clock.now()
  return mapPage(page, (row) =>
    toView(
      row,
      newest.filter(({ reportId }) => reportId === row.id),
      now,
    ),
  )
}

/** @throws AppError 404 unless the caller may see the report, 403 unless they may change it */
async function findOrFail(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  action: 'read' | 'update',
): Promise<store.ReportRow> {
  const row = await store.findReport(ctx.db.read, id)
  if (row === undefined) throw notFound()
  const orgId = orgOf(row.owner)
  const owner = { userId, orgId }
  if (ownerKey(owner) !== row.owner || !(await kindsFor(ctx, owner, 'read')).includes(row.kind)) throw notFound()
  if (action === 'update' && !(await kindsFor(ctx, owner, 'update')).includes(row.kind))
    throw await refusalIn(ctx, userId, orgId, thingsOf(ctx, row.kind).update)
  return row
}

/** The same row in a write: it may have been deleted, or the thing given to another owner. */
async function findSame(tx: Tx, { id, owner }: store.ReportRow): Promise<store.ReportRow> {
  const row = await store.findReport(tx, id)
  if (row?.owner !== owner) throw notFound()
  return row
}

const detail = async (ctx: AppContext, db: Db | Tx, row: store.ReportRow): Promise<FoundReportView> =>
  toView(row, await store.messagesOf(db, row.id), ctx.clock.now())

export async function getReport(ctx: AppContext, actor: Actor, id: number): Promise<FoundReportView> {
  return detail(ctx, ctx.db.read, await findOrFail(ctx, actor, id, 'read'))
}

const { messages: _messages, contact: _contact, ...told } = FoundReportView.properties

/** Reports as webhooks tell of them: without what the finder has written. */
const foundReports: EventRows = {
  schema: Model('FoundReportEvent', told),
  name: 'title',
  async rows(ctx, tx, _owner, ids) {
    const views = []
    for (const id of ids) {
      const row = await store.findReport(tx, id)
      if (row === undefined) continue
      const { messages: _1, contact: _2, ...view } = toView(row, [], ctx.clock.now())
      views.push(view)
    }
    return views
  },
}
export const eventRows = { found_report: foundReports }

export async function answerFinder(
  ctx: AppContext,
  actor: Actor,
  id: number,
  message: string,
): Promise<FoundReportView> {
  const seen = await findOrFail(ctx, actor, id, 'update')
  return ctx.db.write('found.answer', async (tx) => {
    const before = await findSame(tx, seen)
    const row = await store.addMessage(tx, 'owner', before, message)
    if (row === undefined)
      throw before.ownerMessages >= OWNER_MESSAGES ? conversationFull(OWNER_MESSAGES) : conversationEnded()
    return detail(ctx, tx, row)
  })
}

/** RETURNED also ends that an asset is lost. */
export async function changeStatus(
  ctx: AppContext,
  actor: Actor,
  id: number,
  status: FoundStatus,
): Promise<FoundReportView> {
  const seen = await findOrFail(ctx, actor, id, 'update')
  return ctx.db.write('found.changeStatus', async (tx) => {
    const before = await findSame(tx, seen)
    if (before.status === status) return detail(ctx, tx, before)
    const row = await store.setStatus(tx, before, status)
    if (row === undefined) throw notFound()
    if (status === 'RETURNED') await thingsOf(ctx, row.kind).returned?.(tx, row.targetId)
    return detail(ctx, tx, row)
  })
}

export async function deleteReport(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  const seen = await findOrFail(ctx, actor, id, 'update')
  await ctx.db.write('found.deleteReport', async (tx) => {
    await store.deleteReports(tx, store.oneOf(await findSame(tx, seen)), FINDER_MESSAGES + OWNER_MESSAGES + 1)
  })
}

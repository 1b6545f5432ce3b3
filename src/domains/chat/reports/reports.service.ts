/** Removal of messages of others: by the owner and the administrators of a group, or after a report by administrators of the server. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { MessageReportStatus } from '#db/schema/chat.ts'
import { inSlices } from '#db/slices.ts'
import { requireSystemAdmin } from '#domains/access/index.ts'
import { usersByIds } from '#domains/admin/index.ts'
import type { Job } from '#domains/domain.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'
import { DAY } from '#platform/clock.ts'

import { notInConversation } from '../chat.errors.ts'
import { managersOnly } from '../groups/groups.errors.ts'
import { mayManage } from '../groups/groups.rules.ts'
import { findMembership } from '../groups/groups.store.ts'
import type { Message } from '../messages/messages.model.ts'
import { findMessage, findSeen } from '../messages/messages.store.ts'
import { toMessages } from '../messages/messages.view.ts'
import { IN_ORDER } from '../numbers.ts'
import { emptyMessage } from '../recall.service.ts'
import type { AdminReport, AdminReportsQuery, MessageReport, RemoveMessage, ReportMessage } from './reports.model.ts'
import * as store from './reports.store.ts'

const ofSystem = () => badRequest('Messages of the system cannot be removed', '系统消息不能移除')
const notReportable = () =>
  badRequest(
    'Your own messages, recalled ones and those of the system cannot be reported',
    '不能举报自己的消息、已撤回的消息和系统消息',
  )
const alreadyHandled = () => badRequest('The report was already handled in the other way', '该举报已按另一种方式处理')

/** Empties a message of a group for everyone. A message that is recalled or removed already stays as it is. */
export async function removeMessage(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  { reason }: RemoveMessage,
): Promise<Message> {
  const row = await ctx.db.write(
    'chat.removeMessage',
    async (tx) => {
      const message = (await findSeen(tx, id, userId))?.message
      if (message === undefined) throw notFound()
      const membership = await findMembership(tx, message.conversationId, userId)
      if (membership === undefined) throw managersOnly()
      if (membership.role === null) throw notInConversation()
      if (membership.orgStatus === 'DISABLED') throw organizationDisabled
      if (!mayManage(membership.role)) throw managersOnly()
      if (message.type === 'SYSTEM') throw ofSystem()
      if (message.recalledAt !== null) return message
      return emptyMessage(ctx, tx, message, { by: 'GROUP', userId, reason: reason ?? '' })
    },
    IN_ORDER,
  )
  return (await toMessages(ctx, ctx.db.read, [row]))[0]!
}

/** Keeps a copy of the message for system administrators. A user reports a message once; repeats change nothing. */
export async function reportMessage(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  { reason }: ReportMessage,
): Promise<MessageReport> {
  const row = await ctx.db.write('chat.reportMessage', async (tx) => {
    const message = (await findSeen(tx, id, userId))?.message
    if (message === undefined) throw notFound()
    const { conversationId, senderId, type, content, recalledAt, createdAt: sentAt } = message
    if (senderId === null || senderId === userId || recalledAt !== null) throw notReportable()
    return store.ensureReport(tx, {
      messageId: id,
      conversationId,
      senderId,
      reporterId: userId,
      reason,
      type,
      content,
      sentAt,
    })
  })
  return { id: row.id, messageId: id, reason: row.reason, status: row.status, createdAt: row.createdAt }
}

/** @throws AppError 403 unless the caller holds SYSTEM_ADMIN */
export async function listReports(ctx: AppContext, actor: Actor, query: AdminReportsQuery): Promise<Page<AdminReport>> {
  await requireSystemAdmin(ctx.db.read, actor)
  return views(ctx, await store.reportsPage(ctx.db.read, query))
}

async function views(ctx: AppContext, page: Page<store.ReportRow>): Promise<Page<AdminReport>> {
  const ids = page.items.flatMap(({ senderId, reporterId }) => [senderId, reporterId])
  const users = new Map((await usersByIds(ctx.db.read, ids)).map((row) => [row.id, row]))
  const person = (userId: number) => {
    const { nickname = '', username = null } = users.get(userId) ?? {}
    return { userId, nickname, username }
  }
  return mapPage(page, ({ senderId, reporterId, content, ...row }) => ({
    ...row,
    content: withoutInternals(content),
    sender: person(senderId),
    reporter: person(reporterId),
  }))
}

function withoutInternals(content: store.ReportRow['content']): store.ReportRow['content'] {
  const { mentionedBefore: _, toldAll: __, ...shown } = content
  return shown
}

/**
 * Removes the reported message, or leaves it, and notifies everyone who has reported it. The message goes first, in a write of its own: the numbers of
 * messages and the operation log have locks of their own. If the process ends in between, the report is still open.
 */
export async function endReport(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  status: Exclude<MessageReportStatus, 'OPEN'>,
): Promise<AdminReport> {
  await requireSystemAdmin(ctx.db.read, actor)
  const report = await store.findReport(ctx.db.read, id)
  if (report === undefined) throw notFound()
  if (report.status !== 'OPEN' && report.status !== status) throw alreadyHandled()
  if (status === 'REMOVED' && report.status === 'OPEN') await removeReported(ctx, report.messageId)
  await actor.write(`chat.report.${status}`, async (tx) => {
    await requireSystemAdmin(tx, actor)
    const ended = await store.endReports(tx, report.messageId, status, ctx.clock.now())
    if (ended.length === 0) return { result: undefined, logged: 'unchanged' as const }
    await notifyReporters(ctx, ended, status, tx)
    const logged = { targetId: id, targetName: null, before: { status: 'OPEN' }, after: { status } }
    return { result: undefined, logged }
  })
  const row = await store.findReport(ctx.db.read, id)
  if (row === undefined) throw notFound()
  return (await views(ctx, { items: [row], total: 1, page: 1, size: 1 })).items[0]!
}

const removeReported = (ctx: AppContext, messageId: number): Promise<void> =>
  ctx.db.write(
    'chat.removeReported',
    async (tx) => {
      const message = await findMessage(tx, messageId)
      if (message === undefined || message.recalledAt !== null) return
      await emptyMessage(ctx, tx, message, { by: 'ADMINISTRATOR', userId: null, reason: '' })
    },
    IN_ORDER,
  )

function notifyReporters(
  ctx: AppContext,
  reports: readonly store.ReportRow[],
  status: Exclude<MessageReportStatus, 'OPEN'>,
  tx: Parameters<typeof notify>[1],
): Promise<void> {
  const isRemoved = status === 'REMOVED'
  return notify(ctx, tx, {
    userIds: reports.map(({ reporterId }) => reporterId),
    type: 'SYSTEM',
    title: isRemoved
      ? { en: 'The message that you reported was removed', zh: '你举报的消息已被移除' }
      : { en: 'The message that you reported stays', zh: '你举报的消息未被移除' },
    body: isRemoved
      ? {
          en: 'An administrator looked at your report and removed the message.',
          zh: '管理员已处理你的举报并移除了该消息。',
        }
      : {
          en: 'An administrator looked at your report and left the message. You can block its sender or delete the message for yourself.',
          zh: '管理员已查看你的举报，决定保留该消息。你可以屏蔽发送者，或为自己删除该消息。',
        },
    data: { event: 'MESSAGE_REPORT' },
    subject: `MESSAGE_REPORT ${reports[0]!.messageId}`,
  })
}

/** Reports hold copies of private messages. */
const KEPT_MS = 365 * DAY

export const deleteOldReportsJob: Job = {
  name: 'chat.deleteOldReports',
  every: DAY,
  run: (ctx) =>
    inSlices(ctx, 'chat.deleteOldReports', (tx, limit) => store.deleteOldReports(tx, ctx.clock.now() - KEPT_MS, limit)),
}

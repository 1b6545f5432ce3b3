import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { type AppError, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { renderMarkdown } from '#lib/markdown/index.ts'

import { type Notice, toContent } from '../service.ts'
import { insertContent, insertNotifications } from '../store.ts'
import type { NewSend, SendView } from './model.ts'
import {
  existingUsers,
  findSend,
  highestUserId,
  insertSend,
  listMembersAsRecipients,
  type SendDetails,
  type SendRow,
} from './store.ts'
import { continueSends, organizationAudience } from './worker.ts'

/** `orgId` 0: all users. */
type Audience = { userIds: readonly number[] } | { orgId: number }

/** Named users have the notification when this returns. Organizations and all users receive it in the background. */
export async function send(ctx: AppContext, actor: LoggedActor, input: NewSend): Promise<SendView> {
  const audience = audienceOf(input)
  const { title, body } = input
  const { html: bodyHtml, plain: bodyPlain } = await renderMarkdown(body)
  return actor.write('notifications.send', async (tx) => {
    if ('orgId' in audience && audience.orgId !== 0 && !(await organizationAudience(ctx)?.exists(tx, audience.orgId)))
      throw notFound()
    const contentId = await insertContent(tx, { type: 'SYSTEM', title, body, bodyPlain, bodyHtml, data: {} })
    const row = await insertSendTo(ctx, tx, actor, audience, { contentId, title, bodyPlain })
    return {
      result: toSendView({ ...row, title }),
      logged: { targetId: row.id, targetName: title, after: audienceFields(audience) },
    }
  })
}

/** The audience as the operation log shows it. */
const audienceFields = (audience: Audience) =>
  'userIds' in audience
    ? { audience: 'USERS', userIds: audience.userIds }
    : audience.orgId === 0
      ? { audience: 'ALL' }
      : { audience: 'ORG', orgId: audience.orgId }

async function insertSendTo(
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  audience: Audience,
  { contentId, title, bodyPlain }: { contentId: number; title: string; bodyPlain: string },
): Promise<SendRow> {
  if ('orgId' in audience) {
    tx.afterCommit(() => continueSends(ctx))
    return insertRunningSend(tx, contentId, actor.userId, audience)
  }
  const existing = await existingUsers(tx, audience.userIds)
  const missing = audience.userIds.filter((id) => !existing.has(id))
  if (missing.length > 0) throw unknownUsers(missing)
  const recipients = await insertNotifications(tx, contentId, 'SYSTEM', audience.userIds)
  const texts = { title: { en: title, zh: title }, body: { en: bodyPlain, zh: bodyPlain } }
  const event = { recipients, type: 'SYSTEM', ...texts, data: {}, createdAt: tx.stamp } as const
  await emit(ctx, tx, 'notification.created', event)
  const last = Math.max(...audience.userIds)
  const done = { orgId: 0, status: 'DONE', lastUserId: last, cursor: last, sent: recipients.length } as const
  return insertSend(tx, { contentId, senderId: actor.userId, ...done })
}

async function insertRunningSend(
  tx: Tx,
  contentId: number,
  senderId: number,
  audience: { orgId: number; listed?: boolean },
): Promise<SendRow> {
  const lastUserId = await highestUserId(tx)
  return insertSend(tx, { contentId, senderId, ...audience, status: 'RUNNING', lastUserId, cursor: 0, sent: 0 })
}

/**
 * Notifies the present members of an organization except the sender, in the background, even if they stop being members in this
 * write.
 */
export async function notifyMembers(
  ctx: AppContext,
  tx: Tx,
  { orgId, senderId, ...notice }: Omit<Notice, 'userIds' | 'subject'> & { orgId: number; senderId: number },
): Promise<void> {
  const contentId = await insertContent(tx, toContent(notice))
  const send = await insertRunningSend(tx, contentId, senderId, { orgId: 0, listed: true })
  await listMembersAsRecipients(tx, send.id, orgId, senderId)
  tx.afterCommit(() => continueSends(ctx))
}

/** Throws a 400 unless the request names exactly one audience. */
function audienceOf({ userIds, orgId, all }: NewSend): Audience {
  const named = [userIds != null, orgId != null, all === true].filter(Boolean).length
  if (named !== 1)
    throw invalid('body', 'needs exactly one of userIds, orgId and all', '须且只能指定 userIds、orgId、all 之一')
  return userIds == null ? { orgId: orgId ?? 0 } : { userIds: [...new Set(userIds)] }
}

const unknownUsers = (ids: readonly number[]): AppError =>
  invalid('body.userIds', `refers to users that do not exist: ${ids.join(', ')}`, `用户不存在：${ids.join('、')}`)

export async function sendProgress(ctx: AppContext, id: number): Promise<SendView> {
  const row = await findSend(ctx.db.read, id)
  if (row === undefined) throw notFound()
  return toSendView(row)
}

/**
 * A send proceeds by ascending user id, so `progress` is the share of ids that it has passed. An exact percentage would require
 * counting the audience first, which is slow for a million users.
 */
const toSendView = (row: SendDetails): SendView => ({
  id: row.id,
  title: row.title,
  status: row.status,
  sent: row.sent,
  progress: row.status === 'DONE' ? 100 : Math.min(99, Math.floor((100 * row.cursor) / row.lastUserId)),
  createdAt: row.createdAt,
  finishedAt: row.finishedAt,
})

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import { adminPage, ownersOf } from '#domains/admin/index.ts'
import { emit } from '#domains/domain.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { type AppError, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { renderMarkdown } from '#lib/markdown/index.ts'

import { type Notice, takeBack, toContent } from '../notifications.service.ts'
import { insertContent, insertNotifications, insertWithdrawal } from '../notifications.store.ts'
import { continueSends, organizationAudience } from './sends-worker.ts'
import type { AnySendView, NewSend, SendsQuery, SendView } from './sends.model.ts'
import {
  beginMemberSend,
  countUsers,
  deleteSend,
  existingUsers,
  findManualSend,
  findSend,
  highestUserId,
  insertRecipients,
  insertSend,
  manualSends,
  type NewSendRow,
  readCounts,
  type SendDetails,
  type SendRow,
} from './sends.store.ts'

/** `orgId` 0: all users. */
type Audience = { userIds: readonly number[] } | { orgId: number }

/** Named users have the notification when this returns. Organizations and all users receive it in the background. */
export async function send(ctx: AppContext, actor: LoggedActor, input: NewSend): Promise<SendView> {
  const audience = audienceOf(input)
  const { title, body } = input
  const { html: bodyHtml, plain: bodyPlain } = await renderMarkdown(body)
  // Before the write, because counting a million users takes a while.
  const everybody = 'orgId' in audience && audience.orgId === 0 ? await countUsers(ctx.db.readInWorker) : 0
  return actor.write('notifications.send', async (tx) => {
    if ('orgId' in audience && audience.orgId !== 0 && !(await organizationAudience(ctx)?.exists(tx, audience.orgId)))
      throw notFound()
    const contentId = await insertContent(tx, { type: 'SYSTEM', title, body, bodyPlain, bodyHtml, data: {} })
    const row = await insertSendTo(ctx, tx, actor, audience, { contentId, title, bodyPlain, everybody })
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
  {
    contentId,
    title,
    bodyPlain,
    everybody,
  }: { contentId: number; title: string; bodyPlain: string; everybody: number },
): Promise<SendRow> {
  if ('orgId' in audience) {
    tx.afterCommit(() => continueSends(ctx))
    const { orgId } = audience
    const details =
      orgId === 0
        ? ({ orgId, audience: 'ALL', audienceCount: everybody } as const)
        : ({ orgId, audience: 'ORG', audienceCount: await organizationAudience(ctx)!.count(tx, orgId) } as const)
    return insertUnfinishedSend(tx, contentId, actor.userId, { ...details, status: 'RUNNING' })
  }
  const existing = await existingUsers(tx, audience.userIds)
  const missing = audience.userIds.filter((id) => !existing.has(id))
  if (missing.length > 0) throw unknownUsers(missing)
  const recipients = await insertNotifications(tx, contentId, 'SYSTEM', audience.userIds)
  const texts = { title: { en: title, zh: title }, body: { en: bodyPlain, zh: bodyPlain } }
  const event = { recipients, type: 'SYSTEM', ...texts, data: {}, createdAt: tx.stamp } as const
  await emit(ctx, tx, 'notification.created', event)
  const last = Math.max(...audience.userIds)
  const named = { audience: 'USERS', audienceCount: recipients.length } as const
  const done = { ...named, orgId: 0, status: 'DONE', lastUserId: last, cursor: last, sent: recipients.length } as const
  return insertSend(tx, { contentId, senderId: actor.userId, ...done })
}

async function insertUnfinishedSend(
  tx: Tx,
  contentId: number,
  senderId: number,
  audience: Pick<NewSendRow, 'orgId' | 'listed' | 'audience' | 'audienceCount' | 'status'>,
): Promise<SendRow> {
  const lastUserId = await highestUserId(tx)
  return insertSend(tx, { contentId, senderId, ...audience, lastUserId, cursor: 0, sent: 0 })
}

/**
 * Notifies the members of an organization that is dissolved, except the sender, in the background: the users of `addRecipients`, after
 * `startMemberSend`.
 */
export async function notifyMembers(
  tx: Tx,
  { orgId, senderId, ...notice }: Omit<Notice, 'userIds' | 'subject'> & { orgId: number; senderId: number },
): Promise<void> {
  const contentId = await insertContent(tx, toContent(notice))
  await insertUnfinishedSend(tx, contentId, senderId, { orgId, listed: true, status: 'LISTING' })
}

/** There is no send if nobody is to be notified. */
export const addRecipients = (tx: Tx, orgId: number, userIds: readonly number[]): Promise<void> =>
  insertRecipients(tx, orgId, userIds)

export async function startMemberSend(ctx: AppContext, tx: Tx, orgId: number): Promise<void> {
  if (await beginMemberSend(tx, orgId)) tx.afterCommit(() => continueSends(ctx))
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
  status: row.status === 'DONE' ? 'DONE' : 'RUNNING',
  sent: row.sent,
  progress: row.status === 'DONE' ? 100 : Math.min(99, Math.floor((100 * row.cursor) / row.lastUserId)),
  createdAt: row.createdAt,
  finishedAt: row.finishedAt,
})

/** Reads of a page's sends are counted on the worker: a send can have a million readers. */
export async function listSends(ctx: AppContext, actor: Actor, query: SendsQuery): Promise<Page<AnySendView>> {
  const page = await adminPage(ctx, actor.userId, manualSends(query), query)
  const reads = await readCounts(
    ctx.db.readInWorker,
    page.items.map((row) => row.contentId),
  )
  const senderOf = await ownersOf(
    ctx.db.read,
    page.items.map((row) => ({ userId: row.senderId, orgId: 0 })),
  )
  return mapPage(page, (row) => ({
    ...toSendView(row),
    body: row.body,
    bodyPlain: row.bodyPlain ?? row.body,
    audience: { kind: row.audience, orgId: row.orgId || null, count: row.audienceCount },
    sender: senderOf({ userId: row.senderId, orgId: 0 }).owner,
    readCount: reads.get(row.contentId) ?? 0,
  }))
}

/** Takes a notification back from everybody. Without its row, the worker sends it to nobody else. */
export async function withdraw(actor: LoggedActor, id: number): Promise<void> {
  await actor.write('notifications.withdraw', async (tx) => {
    const row = await findManualSend(tx, id)
    if (row === undefined || !(await deleteSend(tx, id))) throw notFound()
    if (await takeBack(tx, row.contentId)) await insertWithdrawal(tx, row.contentId)
    const before = { audience: row.audience, orgId: row.orgId || null, status: row.status, sent: row.sent }
    return { result: undefined, logged: { targetId: id, targetName: row.title, before } }
  })
}

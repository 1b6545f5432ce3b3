import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { renderMarkdown } from '#lib/markdown/index.ts'

import { oneAudience, unknownUsers } from '../errors.ts'
import type { NewSend, SendView } from '../model.ts'
import { insertContent, insertRecipients } from '../store.ts'
import { toSendView } from '../view.ts'
import { continueSends, organizationAudience } from './runner.ts'
import { existingUsers, findSend, highestUserId, insertSend, type SendRow } from './store.ts'

type Audience = { userIds: readonly number[] } | { orgId: number }

/** Named users have it when this returns; an organization and everybody get it in the background. */
export async function send(ctx: AppContext, actor: Actor, input: NewSend): Promise<SendView> {
  const audience = audienceOf(input)
  const { title, body } = input
  const { html: bodyHtml, plain: bodyPlain } = await renderMarkdown(body)
  const row = await ctx.db.write('notifications.send', async (tx) => {
    if ('orgId' in audience && audience.orgId !== 0 && !(await organizationAudience(ctx)?.exists(tx, audience.orgId)))
      throw notFound()
    const contentId = await insertContent(tx, { type: 'SYSTEM', title, body, bodyPlain, bodyHtml, data: {} })
    if ('orgId' in audience) {
      tx.afterCommit(() => continueSends(ctx))
      return begin(tx, contentId, actor, audience.orgId)
    }
    const there = await existingUsers(tx, audience.userIds)
    const missing = audience.userIds.filter((id) => !there.has(id))
    if (missing.length > 0) throw unknownUsers(missing)
    const rows = await insertRecipients(tx, contentId, 'SYSTEM', audience.userIds)
    const both = { title: { en: title, zh: title }, body: { en: bodyPlain, zh: bodyPlain } }
    const event = { type: 'SYSTEM', ...both, data: {}, createdAt: tx.stamp } as const
    await emit(ctx, tx, 'notification.created', { recipients: rows, ...event })
    const last = Math.max(...audience.userIds)
    const done = { orgId: 0, status: 'DONE', lastUserId: last, cursor: last, sent: rows.length } as const
    return insertSend(tx, { contentId, senderId: actor.userId, ...done })
  })
  return toSendView({ ...row, title })
}

async function begin(tx: Tx, contentId: number, actor: Actor, orgId: number): Promise<SendRow> {
  const lastUserId = await highestUserId(tx)
  const start = { orgId, status: 'RUNNING', lastUserId, cursor: 0, sent: 0 } as const
  return insertSend(tx, { contentId, senderId: actor.userId, ...start })
}

/** Organization 0 is everybody. Throws a 400 unless exactly one audience is named. */
function audienceOf({ userIds, orgId, all }: NewSend): Audience {
  const named = [userIds != null, orgId != null, all === true].filter(Boolean).length
  if (named !== 1) throw oneAudience()
  return userIds == null ? { orgId: orgId ?? 0 } : { userIds: [...new Set(userIds)] }
}

export async function sendProgress(ctx: AppContext, id: number): Promise<SendView> {
  const row = await findSend(ctx.db.read, id)
  if (row === undefined) throw notFound()
  return toSendView(row)
}

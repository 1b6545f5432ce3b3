/** Messages to the participants of an activity: writing, listing and ending them. */

import type { AppContext } from '#context'
import { leftOf, spend } from '#db/counters.ts'
import type { Page } from '#db/paging.ts'
import type { MessageChannel, ParticipantFilter } from '#db/schema/activity-messages.ts'
import type { Tx } from '#db/store.ts'
import { hasMailServer } from '#domains/delivery/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { badRequest, limited, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { renderMarkdown } from '#lib/markdown/index.ts'
import { DAY } from '#platform/clock.ts'
import { sha256 } from '#platform/ids.ts'
import type { Refusal, Use } from '#platform/limiter.ts'

import { problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { requireList } from '../check-in-lists/check-in-lists.service.ts'
import { mailUses } from '../personal-mails.service.ts'
import { requireRegistrations } from '../registrations/registrations.service.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import { continueMessages } from './messages-worker.ts'
import {
  type Forecast,
  MAX_AHEAD_MS,
  MAX_WAITING,
  MESSAGES_OF_ACTIVITY,
  MESSAGES_OF_USER,
  type MessagesQuery,
  type MessageView,
  type NewMessage,
  type RecipientsQuery,
  type RecipientView,
} from './messages.model.ts'
import * as store from './messages.store.ts'
import { toView, toViews } from './messages.view.ts'
import * as recipients from './recipients.store.ts'

/** For this long, a repeated request gets the first result. */
const REPEATED_MS = 7 * DAY

const tooFarAhead = problem('must be at most 90 days ahead', '最多可提前 90 天')
const needMail = problem(
  'need a mail server, which this server does not have, unless APP is among them',
  '除非包含 APP，否则需要邮件服务器，而此服务器未配置',
)
const otherBody = problem('was used for another message', '已用于另一条消息')
const begun = () => badRequest('This message is already being sent', '该消息已开始发送')
const tooManyWaiting = () =>
  limited(`${MAX_WAITING} messages of this activity wait already`, `该活动已有 ${MAX_WAITING} 条消息等待发送`, 3600)

interface Draft {
  readonly subject: string
  readonly body: string
  readonly filter: ParticipantFilter | null
  readonly channels: readonly MessageChannel[]
  readonly attachPass: boolean
  readonly sendAt: number | null
}

/** Sends a message, or with `dryRun` counts whom it would reach. @throws AppError 429 if a budget is used up; nothing is sent then */
export async function createMessage(
  ctx: AppContext,
  id: number,
  input: NewMessage,
  asking: Asking,
  locale: Locale,
): Promise<MessageView | Forecast> {
  const activity = await manageActivity(ctx, id, 'activity:update', asking)
  refuseIfDisabled(activity)
  const draft: Draft = {
    subject: input.subject,
    body: input.body,
    filter: input.filter ?? null,
    channels: input.channels ?? ['APP', 'EMAIL'],
    attachPass: input.attachPass ?? false,
    sendAt: input.sendAt ?? null,
  }
  await checkDraft(ctx, id, draft)
  const reach = await recipients.countParticipants(ctx.db.readInWorker, id, draft.filter)
  const people = reach.users + reach.guests
  const sendsMails = draft.channels.includes('EMAIL') && hasMailServer(ctx)
  const mails = sendsMails ? reach.usersWithAddress + reach.guestsWithAddress : 0
  const uses = await mailUses(ctx, activity.owner)
  if (input.dryRun === true) {
    const left = await leftOf(ctx.db.read, uses, ctx.clock.now())
    const app = draft.channels.includes('APP') ? reach.users : 0
    const usersReached = Math.max(app, sendsMails ? reach.usersWithAddress : 0)
    const guestsReached = sendsMails ? reach.guestsWithAddress : 0
    return {
      recipients: people,
      app,
      email: mails,
      withoutChannel: people - usersReached - guestsReached,
      mailBudgetLeft: left === Infinity ? null : left,
    }
  }
  const { html, plain } = await renderMarkdown(draft.body)
  const userId = asking.viewer.userId
  const requestId = input.requestId ?? null
  const { row, isNew } = await ctx.db.write('activities.createMessage', (tx) =>
    insert(ctx, tx, { activity, draft, rendered: { html, plain }, userId, requestId, people, mails, uses }),
  )
  if (isNew) return toView(row, locale)
  const [view] = await toViews(ctx.db.read, [row], locale)
  return view!
}

const notPending = problem(
  'must not contain PENDING: these people have not confirmed',
  '不能包含 PENDING：这些人尚未确认',
)

/** @throws AppError 400 */
async function checkDraft(ctx: AppContext, id: number, { sendAt, filter, channels }: Draft): Promise<void> {
  if (!channels.includes('APP') && !hasMailServer(ctx)) throw invalidAll([needMail('body.channels')])
  if (sendAt !== null && sendAt > ctx.clock.now() + MAX_AHEAD_MS) throw invalidAll([tooFarAhead('body.sendAt')])
  if (filter?.status?.includes('PENDING')) throw invalidAll([notPending('body.filter.status')])
  await requireList(ctx.db.read, id, filter?.listId, 'body.filter.listId')
  await requireRegistrations(ctx.db.read, id, filter?.ids, 'body.filter.ids')
}

interface Insertion {
  readonly activity: ActivityRow
  readonly draft: Draft
  readonly rendered: { readonly html: string; readonly plain: string }
  readonly userId: number
  readonly requestId: string | null
  readonly people: number
  /** To be counted in the budgets. */
  readonly mails: number
  readonly uses: readonly Use[]
}

async function insert(
  ctx: AppContext,
  tx: Tx,
  insertion: Insertion,
): Promise<{ row: store.MessageRow; isNew: boolean }> {
  const { activity, draft, rendered, userId, requestId, people, mails, uses } = insertion
  const { id } = activity
  const now = ctx.clock.now()
  const requestHash = requestId === null ? null : sha256(JSON.stringify(draft))
  const earlier = requestId === null ? undefined : await earlierOf(tx, id, userId, requestId, now)
  if (earlier !== undefined) {
    if (earlier.requestHash !== requestHash) throw invalidAll([otherBody('body.requestId')])
    return { row: earlier, isNew: false }
  }
  const current = await findActivity(tx, id)
  if (current === undefined) throw notFound()
  refuseIfDisabled(current)
  const isScheduled = draft.sendAt !== null && draft.sendAt > now
  if (isScheduled && (await store.countWaiting(tx, id)) >= MAX_WAITING) throw tooManyWaiting()
  const refusal = await spend(
    tx,
    [
      { key: `event-messages:${id}`, limit: MESSAGES_OF_ACTIVITY, windowMs: DAY },
      { key: `event-messages-of:${userId}`, limit: MESSAGES_OF_USER, windowMs: DAY },
      ...(mails === 0 ? [] : uses.map((use) => ({ ...use, cost: mails }))),
    ],
    now,
  )
  if (refusal !== undefined) throw await budgetRefusal(tx, refusal, mails, uses, now)
  tx.afterCommit(() => continueMessages(ctx))
  const row = await store.insertMessage(tx, {
    ...draft,
    activityId: id,
    kind: 'MESSAGE',
    bodyHtml: rendered.html,
    bodyPlain: rendered.plain,
    changes: [],
    state: isScheduled ? 'SCHEDULED' : 'RUNNING',
    sendAt: isScheduled ? draft.sendAt! : now,
    expected: people,
    mailsCounted: mails,
    createdBy: userId,
    requestId,
    requestHash,
  })
  return { row, isNew: true }
}

/** The message of the first request with this id. After a week the id is free again. */
async function earlierOf(tx: Tx, activityId: number, createdBy: number, requestId: string, now: number) {
  const earlier = await store.findByRequest(tx, { activityId, createdBy, requestId })
  if (earlier === undefined || earlier.createdAt > now - REPEATED_MS) return earlier
  await store.updateMessage(tx, earlier, { requestId: null })
  return undefined
}

async function budgetRefusal(tx: Tx, { use, refusedFor }: Refusal, mails: number, uses: readonly Use[], now: number) {
  const wait = Math.ceil(refusedFor / 1000)
  if (!use.key.startsWith('event-mails'))
    return limited(
      `You can send at most ${use.limit} messages a day ${use.key.startsWith('event-messages:') ? 'to this activity' : 'in all'}`,
      use.key.startsWith('event-messages:')
        ? `每个活动每天最多发送 ${use.limit} 条消息`
        : `你每天最多发送 ${use.limit} 条消息`,
      wait,
    )
  const left = await leftOf(tx, uses, now)
  return limited(
    `This message needs ${mails} mails, and ${left} are left today. Nothing was sent`,
    `此消息需要 ${mails} 封邮件，今天仅剩 ${left} 封，未发送任何内容`,
    wait,
  )
}

export async function listMessages(
  ctx: AppContext,
  id: number,
  query: MessagesQuery,
  asking: Asking,
  locale: Locale,
): Promise<Page<MessageView>> {
  await manageActivity(ctx, id, 'activity:update', asking)
  return messagesOf(ctx, id, query, locale)
}

async function messagesOf(
  ctx: AppContext,
  id: number,
  query: MessagesQuery,
  locale: Locale,
): Promise<Page<MessageView>> {
  const { items, ...page } = await store.messagesPage(ctx.db.read, id, query)
  return { ...page, items: await toViews(ctx.db.read, items, locale) }
}

interface Named {
  readonly id: number
  readonly messageId: number
}

async function find(ctx: AppContext, { id, messageId }: Named, asking: Asking): Promise<store.MessageRow> {
  await manageActivity(ctx, id, 'activity:update', asking)
  const row = await store.findMessage(ctx.db.read, id, messageId)
  if (row === undefined) throw notFound()
  return row
}

export async function showMessage(ctx: AppContext, named: Named, asking: Asking, locale: Locale): Promise<MessageView> {
  const [view] = await toViews(ctx.db.read, [await find(ctx, named, asking)], locale)
  return view!
}

export async function listRecipients(
  ctx: AppContext,
  named: Named,
  query: RecipientsQuery,
  asking: Asking,
): Promise<Page<RecipientView>> {
  const { id } = await find(ctx, named, asking)
  return recipients.recipientsPage(ctx.db.read, id, query)
}

/** Ends a message that waits for its time. One that was ended before stays as it is. @throws AppError 400 if it is being sent */
export async function deleteMessage(ctx: AppContext, { id, messageId }: Named, asking: Asking): Promise<void> {
  refuseIfDisabled(await manageActivity(ctx, id, 'activity:update', asking))
  await ctx.db.write('activities.deleteMessage', (tx) => end(tx, id, messageId))
}

/** Whether it was waiting. */
async function end(tx: Tx, id: number, messageId: number): Promise<boolean> {
  const row = await store.findMessage(tx, id, messageId)
  if (row === undefined) throw notFound()
  if (row.state === 'CANCELLED') return false
  if (row.state !== 'SCHEDULED') throw begun()
  return store.updateMessage(tx, row, { state: 'CANCELLED', finishedAt: tx.stamp })
}

/** Messages of any activity, for administrators. */
export async function listAnyMessages(
  ctx: AppContext,
  id: number,
  query: MessagesQuery,
  locale: Locale,
): Promise<Page<MessageView>> {
  if ((await findActivity(ctx.db.read, id)) === undefined) throw notFound()
  return messagesOf(ctx, id, query, locale)
}

/** The log has no text of the message. */
export async function deleteAnyMessage(actor: LoggedActor, { id, messageId }: Named): Promise<void> {
  await actor.write('activities.deleteAnyMessage', async (tx) => {
    const activity = await findActivity(tx, id)
    if (activity === undefined) throw notFound()
    if (!(await end(tx, id, messageId))) return { result: undefined, logged: 'unchanged' }
    const before = { activityId: id, state: 'SCHEDULED' }
    return { result: undefined, logged: { targetId: messageId, targetName: activity.name, before } }
  })
}

/** The mails of messages: composed when they are sent, so that they tell the activity as it is then. */

import { type AppContext, perContext } from '#context'
import type { NoticedChange, SkipReason } from '#db/schema/activity-messages.ts'
import type { Tx } from '#db/store.ts'
import type { ComposeMail, SettleMail } from '#domains/contributions.ts'
import { refusalsToMail } from '#domains/notifications/index.ts'
import { siteOf } from '#http/site.ts'

import type { ActivityRow } from '../activities.store.ts'
import { addresseeOf, mailAddressesOf } from '../event-mails/addressees.service.ts'
import type { Before, EventNews } from '../event-mails/event-mails.model.ts'
import { eventMails } from '../event-mails/event-mails.service.ts'
import { passUrl } from '../links/links.view.ts'
import { continueMessages } from './messages-worker.ts'
import { importanceOf } from './messages.rules.ts'
import * as store from './messages.store.ts'
import * as recipients from './recipients.store.ts'

/** The part of a mail that is in the outbox. */
const refOf = (data: Readonly<Record<string, unknown>>) => ({
  messageId: Number(data['messageId']),
  person: Number(data['person']),
})

/** Undefined if the message was ended, or if the person has another address or wants no such mail by now. */
export const composeMail: ComposeMail = async (ctx, to, data) => {
  const { messageId, person } = refOf(data)
  const row = await store.findAnyMessage(ctx.db.read, messageId)
  const activity = row && (await store.findActivityOfMessage(ctx.db.read, row.activityId))
  if (row === undefined || activity === undefined || row.state !== 'RUNNING') return undefined
  const target = (await mailAddressesOf(ctx, ctx.db.read, [person])).get(person)
  if (target?.address !== to) return undefined
  const people = [addresseeOf(person, to)]
  const [refusal] = await refusalsToMail(ctx, ctx.db.read, activity.owner, importanceOf(row.kind), people)
  if (refusal !== null) return undefined
  const pass = row.attachPass ? await recipients.findLivePass(ctx.db.read, activity.id, person) : undefined
  const mailTo = await preparedMails(ctx, row, activity)
  const { to: _, ...mail } = mailTo({
    address: to,
    locale: target.locale ?? activity.language,
    timeZone: target.timeZone,
    pageUrl: target.pageUrl,
    ...(pass && { passUrl: passUrl(ctx, pass) }),
  })
  return mail
}

/** The part of the latest mails that all recipients share: rendering it takes longer than the rest of a mail. */
const latest = perContext(() => ({ key: '', mails: undefined as ReturnType<typeof eventMails> | undefined }))

function preparedMails(ctx: AppContext, row: store.MessageRow, activity: ActivityRow): ReturnType<typeof eventMails> {
  const shared = latest(ctx)
  // Names of owners and the address of the server are no part of the version.
  const key = JSON.stringify([row.id, activity, siteOf(ctx), ctx.config.publicUrl])
  if (shared.mails === undefined || shared.key !== key) {
    shared.key = key
    shared.mails = eventMails(ctx, activity, newsOf(row))
    // A failure is not kept.
    shared.mails.catch(() => (shared.key = ''))
  }
  return shared.mails
}

function newsOf({ kind, subject, body, changes }: store.MessageRow): EventNews {
  return kind === 'MESSAGE' ? { kind, subject, body } : { kind, noticeText: body, before: beforeOf(changes) }
}

/** The earlier values. The parts of a region are one text. */
const beforeOf = (changes: readonly NoticedChange[]): Before =>
  Object.assign(
    {},
    ...changes.map(({ field, before }): Before => {
      if (field === 'startTime' || field === 'endTime') return { [field]: Number(before) }
      if (field === 'location') return { location: String(before ?? '') }
      return field === 'region' ? { province: String(before ?? ''), city: '', district: '' } : {}
    }),
  ) as Before

/** Records the result in the write that takes the mail out of the outbox. */
export const settleMail: SettleMail = async (ctx, tx, data, result) => {
  const ref = refOf(data)
  if (result === 'DROPPED')
    await recipients.settle(tx, ref, { state: 'SKIPPED', reason: await reasonOf(ctx, tx, ref), sentAt: null })
  else await recipients.settle(tx, ref, { state: result, reason: null, sentAt: result === 'SENT' ? tx.stamp : null })
  tx.afterCommit(() => continueMessages(ctx))
}

/** Why a mail was not sent that should have been when it was queued. Null if its message was ended. */
async function reasonOf(
  ctx: AppContext,
  tx: Tx,
  { messageId, person }: ReturnType<typeof refOf>,
): Promise<SkipReason | null> {
  const row = await store.findAnyMessage(tx, messageId)
  const activity = row && (await store.findActivityOfMessage(tx, row.activityId))
  if (row?.state !== 'RUNNING' || activity === undefined) return null
  const address = (await mailAddressesOf(ctx, tx, [person])).get(person)?.address
  if (address == null) return 'NO_ADDRESS'
  const people = [addresseeOf(person, address)]
  const [refusal] = await refusalsToMail(ctx, tx, activity.owner, importanceOf(row.kind), people)
  // The address is another one than when the mail was queued.
  return refusal ?? 'NO_ADDRESS'
}

/** Mails that invite strangers: whether they are allowed, their budgets, and their contents. */

import type { AppContext } from '#context'
import { leftOf, spend, spendEach } from '#db/counters.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { InvitationSkipReason } from '#db/schema/activity-invitations.ts'
import type { Tx } from '#db/store.ts'
import { provedEmailsOf } from '#domains/accounts/index.ts'
import type { ComposeMail, SettleMail } from '#domains/contributions.ts'
import { addressHash, type Content, hasMailServer, letter, sendComposed, senderOf } from '#domains/delivery/index.ts'
import { noInvitationsUrl, refusalsToInvite } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { type AppError, badRequest, limited } from '#http/errors.ts'
import { rawHtml } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'
import { momentText, periodText, zoneText } from '#lib/moments.ts'
import { onOneLine, plainName, textToHtml, withoutLinks } from '#lib/text.ts'
import { DAY } from '#platform/clock.ts'
import type { Use } from '#platform/limiter.ts'

import { type ActivityRow, findActivity } from '../activities.store.ts'
import { WORDS as EVENT_WORDS } from '../event-mails/event-mails.rules.ts'
import { zoneOf } from '../register/register.rules.ts'
import { addressText, ownerNameOf } from '../register/register.view.ts'
import { stateOf } from '../visibility/personal-codes.rules.ts'
import type { InvitationRow } from '../visibility/personal-codes.store.ts'
import { MAILS_OF_USER, MAILS_TO_ADDRESS } from './invitations.model.ts'
import { WORDS } from './invitations.rules.ts'
import * as store from './invitations.store.ts'
import { invitationUrl } from './invitations.view.ts'

const noMailServer = () =>
  badRequest(
    'This server sends no mails: invite without mails, and pass on the links',
    '服务器未配置邮件，请不发送邮件，改为自行分发链接',
  )
const notAllowed = () =>
  badRequest(
    'This server mails no invitations for this activity: invite without mails, and pass on the links',
    '服务器不为该活动发送邀请邮件，请不发送邮件，改为自行分发链接',
  )
const provedNeeded = () =>
  badRequest(
    'Prove an e-mail address of yours before you invite others by mail',
    '通过邮件邀请他人前，请先验证你的邮箱',
  )
const notActive = () =>
  badRequest(
    'Only invitations to an ACTIVE activity are mailed: publish it first',
    '仅可为进行中的活动发送邀请邮件，请先发布',
  )

/** The limits of the mails of one request. */
export interface MailAllowance {
  /** The budgets of the owner of the activity; none if they are unlimited. */
  readonly uses: readonly Use[]
}

/** Whether invitations to the activity may be mailed. To be read before the write that sends them. @throws AppError 400 */
export async function allowanceOf(ctx: AppContext, { owner, userId, status }: ActivityRow): Promise<MailAllowance> {
  if (!hasMailServer(ctx)) throw noMailServer()
  const mode = await getSetting(ctx, 'mail.invitations')
  const isPersonal = orgOf(owner) === 0
  if (mode === 'OFF' || (mode === 'ORGANIZATIONS' && isPersonal)) throw notAllowed()
  if (isPersonal && (await provedEmailsOf(ctx.db.read, userId)).length === 0) throw provedNeeded()
  if (status !== 'ACTIVE') throw notActive()
  const setting = await getSetting(ctx, 'budget.invitationMailsPerOwner')
  const limit = isPersonal ? Math.min(MAILS_OF_USER, setting || MAILS_OF_USER) : setting
  return { uses: limit === 0 ? [] : [{ key: `invitation-mails:${owner}`, limit, windowMs: DAY }] }
}

/** An invitation with an address. */
type Addressed = InvitationRow & { readonly email: string }
export const hasAddress = (row: InvitationRow): row is Addressed => row.email !== null

/**
 * Queues the mails of invitations. Returns why some get none. @throws AppError 429 with the numbers if the budget does not allow all; nothing
 * is sent then
 */
export async function queueMails(
  ctx: AppContext,
  tx: Tx,
  { owner }: ActivityRow,
  rows: readonly Addressed[],
  { uses }: MailAllowance,
): Promise<ReadonlyMap<number, InvitationSkipReason>> {
  const now = ctx.clock.now()
  const addresses = rows.map(({ email }) => email)
  const refused = await refusedAddresses(ctx, tx, owner, addresses)
  const skipped = new Map(rows.flatMap(({ id, email }) => (refused.has(email) ? [[id, refused.get(email)!]] : [])))
  const mailed = rows.filter(({ id }) => !skipped.has(id))
  if (mailed.length === 0) return skipped
  const refusal = await spend(
    tx,
    uses.map((use) => ({ ...use, cost: mailed.length })),
    now,
  )
  if (refusal !== undefined) throw usedUp(mailed.length, await leftOf(tx, uses, now), refusal.refusedFor)
  for (let at = 0; at < mailed.length; at += CHUNK)
    await sendComposed(
      ctx,
      tx,
      mailed.slice(at, at + CHUNK).map(({ id, email }) => ({ to: email, kind: 'INVITATION', data: { id } })),
    )
  return skipped
}
/** Which of the addresses, all of them different, get no invitation, and why. The others are counted: an address gets a few a day. */
export async function refusedAddresses(
  ctx: AppContext,
  tx: Tx,
  owner: OwnerKey,
  addresses: readonly string[],
): Promise<Map<string, InvitationSkipReason>> {
  const refused = new Map<string, InvitationSkipReason>()
  for (const [i, refusal] of (await refusals(ctx, tx, owner, addresses)).entries())
    if (refusal !== null) refused.set(addresses[i]!, refusal)
  const counted = addresses.flatMap((address) =>
    refused.has(address)
      ? []
      : [
          {
            address,
            use: {
              key: `invitation-mails-to:${addressHash(ctx, address)}`,
              limit: MAILS_TO_ADDRESS,
              windowMs: DAY,
            },
          },
        ],
  )
  const over = await spendEach(
    tx,
    counted.map(({ use }) => use),
    ctx.clock.now(),
  )
  for (const { address, use } of counted) if (over.has(use)) refused.set(address, 'TOO_MANY')
  return refused
}

/** Addresses that one statement looks up. */
const CHUNK = 200

async function refusals(ctx: AppContext, tx: Tx, owner: number, addresses: readonly string[]) {
  const all: Awaited<ReturnType<typeof refusalsToInvite>> = []
  for (let at = 0; at < addresses.length; at += CHUNK)
    all.push(...(await refusalsToInvite(ctx, tx, owner, addresses.slice(at, at + CHUNK))))
  return all
}

const usedUp = (wanted: number, left: number, refusedFor: number): AppError =>
  limited(
    `These invitations need ${wanted} mails, and ${left} are left today. Nothing was sent`,
    `这些邀请需要 ${wanted} 封邮件，今天仅剩 ${left} 封，未发送任何内容`,
    Math.max(1, Math.ceil(refusedFor / 1000)),
  )

/** None if the invitation has ended, or if the owner of the address wants none by now: the mail may have waited for a day. */
export const composeInvitation: ComposeMail = async (ctx, to, data) => {
  const { read } = ctx.db
  const row = await store.findAnyInvitation(read, Number(data['id']))
  const activity = row && (await findActivity(read, row.activityId))
  if (row?.email !== to || activity?.status !== 'ACTIVE' || activity.orgStatus === 'DISABLED') return undefined
  if (stateOf(row, ctx.clock.now()) !== 'OPEN' || (await getSetting(ctx, 'mail.invitations')) === 'OFF')
    return undefined
  const [refusal] = await refusalsToInvite(ctx, read, activity.owner, [to])
  return refusal === null ? mailOf(ctx, activity, { ...row, email: to }) : undefined
}

function mailOf(ctx: AppContext, activity: ActivityRow, row: Addressed) {
  const locale = row.language ?? activity.language
  const words = WORDS[locale]
  const text = withoutLinks(row.text)
  const until = row.expiresAt === null ? [] : [words.until(momentText(row.expiresAt, zoneOf(activity), locale))]
  return strangersMail(ctx, activity, row.email, locale, (organizer, name) => ({
    subject: words.subject,
    lead: words.lead(organizer, name),
    ...(text !== '' && { body: { html: rawHtml(textToHtml(text)), text } }),
    advice: [[words.alone, ...until].join(locale === 'zh' ? '' : ' ')],
    links: [[words.open, invitationUrl(ctx, activity, row.code)]],
  }))
}

/** A mail to an address that nobody has proved. Names are without anything that mail programs would turn into a link. */
export function strangersMail(
  ctx: AppContext,
  activity: ActivityRow,
  email: string,
  locale: Locale,
  contentOf: (organizer: string, activity: string) => Pick<Content, 'subject' | 'lead' | 'body' | 'advice' | 'links'>,
) {
  const organizer = plainName(ownerNameOf(activity, true) ?? senderOf(ctx).name)
  const name = plainName(activity.name)
  const stop = noInvitationsUrl(ctx, email)
  const { subject, ...content } = contentOf(organizer, name)
  return {
    ...letter(
      {
        ...content,
        subject: onOneLine(`[${name}] ${subject}`),
        facts: factsOf(activity, locale),
        foot: [WORDS[locale].stop, `${stop}?lang=${locale}`],
      },
      locale,
      senderOf(ctx),
    ),
    fromName: organizer,
    replyTo: activity.contactEmail,
    unsubscribeUrl: stop,
  }
}

function factsOf(activity: ActivityRow, locale: Locale): [string, string][] {
  const { startTime, endTime } = activity
  const words = EVENT_WORDS[locale]
  const zone = zoneOf(activity)
  const when = words.inZone(periodText(startTime, endTime, zone, locale), zoneText(startTime, zone, locale))
  const where = withoutLinks(onOneLine(addressText(activity, locale)))
  return [[words.when, when], ...(where === '' ? [] : [[words.where, where] as [string, string]])]
}

/** Records the result in the write that takes the mail out of the outbox. */
export const settleInvitation: SettleMail = async (ctx, tx, data, result) => {
  const row = await store.findAnyInvitation(tx, Number(data['id']))
  if (row === undefined) return
  if (result !== 'DROPPED') {
    const sent = result === 'SENT' ? { sentAt: tx.stamp } : {}
    await store.updateInvitation(tx, row.id, { mailState: result, mailReason: null, ...sent })
    return
  }
  const activity = await findActivity(tx, row.activityId)
  const isAsked = activity !== undefined && stateOf(row, ctx.clock.now()) === 'OPEN'
  const [refusal] = isAsked && hasAddress(row) ? await refusalsToInvite(ctx, tx, activity.owner, [row.email]) : []
  await store.updateInvitation(tx, row.id, { mailState: 'SKIPPED', mailReason: refusal ?? 'ENDED' })
}

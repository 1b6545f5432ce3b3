/**
 * Mails to people without an account whom a manager has entered. Nobody has proved their addresses, so the rules of invitations hold. The mail has
 * the link of their page, on which they confirm the address.
 */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { ComposeMail } from '#domains/contributions.ts'
import { sendComposed } from '#domains/delivery/index.ts'
import { refusalsToInvite } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { AppError } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'

import { type ActivityRow, findActivity } from '../activities.store.ts'
import { guestUrl } from '../event-mails/addressees.service.ts'
import { WORDS as EVENT_WORDS } from '../event-mails/event-mails.rules.ts'
import { allowanceOf, type MailAllowance, refusedAddresses, strangersMail } from '../invitations/mails.service.ts'
import { spendMails } from '../personal-mails.service.ts'
import { insertNews } from '../personal-mails.store.ts'
import { findAnyRegistration } from '../registrations/guests.store.ts'
import type { RegistrationRow } from '../registrations/registrations.store.ts'

interface Words {
  /** The first line: who writes, and how that ends. */
  readonly lead: (organizer: string, activity: string) => string
  readonly advice: string
}
const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    lead: (organizer, activity) =>
      `${organizer} has registered you for ${activity}. If you want no such mails, choose “Never write to me again” below: one click ends those of all organizers.`,
    advice:
      'Confirm on the page of your registration that the address is yours. Then you get news and your pass by mail.',
  },
  zh: {
    lead: (organizer, activity) =>
      `${organizer} 为你报名了“${activity}”。如不想收到此类邮件，请点击下方“不再给我发邮件”，一键停止所有主办方的此类邮件。`,
    advice: '请在报名页面确认此邮箱属于你，之后即可通过邮件收到活动通知和通行证。',
  },
}

/** An address that a manager has entered, and whose owner has not confirmed it. */
type Claim = RegistrationRow & { readonly email: string }
export const isClaim = (row: RegistrationRow): row is Claim =>
  row.userId === null && row.email !== null && row.emailConfirmedAt === null

/** To be read before the write that adds the people. Undefined if the server mails no invitations to this activity. */
export const entryAllowance = (ctx: AppContext, activity: ActivityRow): Promise<MailAllowance | undefined> =>
  allowanceOf(ctx, activity).catch((error: unknown) => {
    if (error instanceof AppError && error.status === 400) return undefined
    throw error
  })

/** At most some hundred people. Mails beyond the budgets are skipped: the people are registered in any case. */
export async function mailEntries(
  ctx: AppContext,
  tx: Tx,
  { id: activityId, owner }: ActivityRow,
  rows: readonly Claim[],
  { uses }: MailAllowance,
): Promise<void> {
  if (rows.length === 0) return
  const addresses = rows.map(({ email }) => email)
  const refused = await refusedAddresses(ctx, tx, owner, addresses)
  const wanted = rows.filter(({ email }) => !refused.has(email))
  const now = ctx.clock.now()
  const queued = new Set(wanted.slice(0, await spendMails(tx, uses, { wanted: wanted.length, overdraw: false, now })))
  const reasonOf = (row: Claim) => {
    const refusal = refused.get(row.email)
    if (refusal === 'OPTED_OUT' || refusal === 'SUPPRESSED') return refusal
    return queued.has(row) ? null : 'BUDGET'
  }
  const newsIds = await insertNews(
    tx,
    rows.map((row) => ({
      activityId,
      person: -row.id,
      kind: 'INVITATION',
      channel: 'EMAIL',
      state: queued.has(row) ? 'QUEUED' : 'SKIPPED',
      reason: reasonOf(row),
      sentAt: null,
    })),
  )
  const mails = rows.flatMap((row, i) =>
    queued.has(row)
      ? [{ to: row.email, kind: 'ACTIVITY_ENTRY', data: { registrationId: row.id, newsId: newsIds[i]! } } as const]
      : [],
  )
  await sendComposed(ctx, tx, mails)
}

/** None if the registration has ended or is confirmed, or if the owner of the address wants none by now. */
export const composeEntryMail: ComposeMail = async (ctx, to, data) => {
  const { read } = ctx.db
  const row = await findAnyRegistration(read, Number(data['registrationId']))
  const activity = row && (await findActivity(read, row.activityId))
  const pageUrl = row && guestUrl(ctx, row)
  if (row === undefined || !isClaim(row) || row.email !== to || pageUrl === undefined) return undefined
  if (row.status !== 'CONFIRMED' && row.status !== 'WAITING') return undefined
  if (activity?.status !== 'ACTIVE' || activity.orgStatus === 'DISABLED') return undefined
  if ((await getSetting(ctx, 'mail.invitations')) === 'OFF') return undefined
  const [refusal] = await refusalsToInvite(ctx, read, activity.owner, [to])
  if (refusal !== null) return undefined
  const locale = row.language ?? activity.language
  return strangersMail(ctx, activity, to, locale, (organizer, name) => ({
    subject: EVENT_WORDS[locale].subjects.LINK,
    lead: WORDS[locale].lead(organizer, name),
    advice: [WORDS[locale].advice],
    links: [[EVENT_WORDS[locale].open, pageUrl]],
  }))
}

/** Mails with start codes to the addresses of new users, which nobody has proved. */

import type { AppContext } from '#context'
import { leftOf, spend, spendEach } from '#db/counters.ts'
import type { Tx } from '#db/store.ts'
import type { ComposeMail } from '#domains/contributions.ts'
import { addressHash, letter, sendComposed, senderOf } from '#domains/delivery/index.ts'
import { noInvitationsUrl, refusalsToInvite } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Locale } from '#lib/localized.ts'
import { plainName } from '#lib/text.ts'
import { DAY } from '#platform/clock.ts'

import { type Slip, startUrl } from './slips.service.ts'

/** Addresses of one statement. */
const CHUNK = 200
/** Invitations by mail to one address a day, with those of organizations and activities. */
const MAILS_TO_ADDRESS = 2
/** In place of the owner of an activity or the organization: none. */
const NOBODY = 0

/**
 * Queues a mail for each slip with an address. Returns the slips that are not mailed, because the address wants no invitations or had enough of them,
 * or because the mails of the day are used up: their codes have to be handed out.
 */
export async function mailStartCodes(
  ctx: AppContext,
  tx: Tx,
  slips: readonly Slip[],
  locale: Locale,
): Promise<readonly Slip[]> {
  const now = ctx.clock.now()
  const willing: (Slip & { readonly email: string })[] = []
  for (let at = 0; at < slips.length; at += CHUNK) {
    const some = slips
      .slice(at, at + CHUNK)
      .flatMap((slip) => (slip.email === undefined ? [] : [{ ...slip, email: slip.email }]))
    const refusals = await refusalsToInvite(
      ctx,
      tx,
      NOBODY,
      some.map(({ email }) => email),
    )
    willing.push(...some.filter((_slip, i) => refusals[i] === null))
    await tx.pause()
  }
  const uses = ctx.config.rateLimit
    ? willing.map(({ email }) => ({
        key: `invitation-mails-to:${addressHash(ctx, email)}`,
        limit: MAILS_TO_ADDRESS,
        windowMs: DAY,
      }))
    : []
  const over = await spendEach(tx, uses, now)
  const wanted = willing.filter((_slip, i) => uses[i] === undefined || !over.has(uses[i]))
  const limit = await getSetting(ctx, 'budget.invitationMailsPerDay')
  const ofServer = limit === 0 || !ctx.config.rateLimit ? [] : [{ key: 'org-invitation-mails', limit, windowMs: DAY }]
  const mailed = wanted.slice(0, await leftOf(tx, ofServer, now))
  if (mailed.length > 0)
    await spend(
      tx,
      ofServer.map((use) => ({ ...use, cost: mailed.length })),
      now,
    )
  for (let at = 0; at < mailed.length; at += CHUNK) {
    const mails = mailed.slice(at, at + CHUNK).map(({ email, name, username, code, language }) => ({
      to: email,
      kind: 'START_CODE' as const,
      data: { name, username, code, locale: language ?? locale },
    }))
    await sendComposed(ctx, tx, mails)
    await tx.pause()
  }
  const done = new Set(mailed.map(({ username }) => username))
  return slips.filter(({ username }) => !done.has(username))
}

const WORDS = {
  en: {
    subject: (server: string) => `Your account on ${server}`,
    lead: (server: string, name: string) => `An account on ${server} was made for ${name}. Choose a password to start.`,
    advice: 'The link works once, within 30 days. If you do not know of this account, ignore this mail.',
    username: 'Username',
    code: 'Start code',
    open: 'Choose a password',
    stop: 'Never invite this address again',
  },
  zh: {
    subject: (server: string) => `你在 ${server} 的账号`,
    lead: (server: string, name: string) => `已在 ${server} 为 ${name} 创建账号，请设置密码后开始使用。`,
    advice: '此链接仅可使用一次，30 天内有效。如果你不了解此账号，请忽略本邮件。',
    username: '用户名',
    code: '初始码',
    open: '设置密码',
    stop: '不再邀请此邮箱',
  },
} as const

/** None if the owner of the address wants no invitations by now. The outbox seals the code. */
export const composeStartCode: ComposeMail = async (ctx, to, data) => {
  const [refusal] = await refusalsToInvite(ctx, ctx.db.read, NOBODY, [to])
  if (refusal !== null) return undefined
  const { name, username, code, locale } = data as { name: string; username: string; code: string; locale: Locale }
  const words = WORDS[locale]
  const sender = senderOf(ctx)
  const server = plainName(sender.name)
  const stop = noInvitationsUrl(ctx, to)
  const content = {
    subject: words.subject(server),
    lead: words.lead(server, plainName(name)),
    facts: [
      [words.username, username],
      [words.code, code],
    ] as const,
    advice: [words.advice],
    links: [[words.open, startUrl(ctx, { username, code })]] as const,
    foot: [words.stop, `${stop}?lang=${locale}`] as const,
  }
  return { ...letter(content, locale, sender), unsubscribeUrl: stop }
}

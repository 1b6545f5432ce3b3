/** Mails with start codes to the addresses of new users, which nobody has proved. */

import type { AppContext } from '#context'
import { leftOf, refusedAmong, spend, spendEach } from '#db/counters.ts'
import type { Db, Tx } from '#db/store.ts'
import type { ComposeMail } from '#domains/contributions.ts'
import { addressHash, letter, sendComposed, senderOf } from '#domains/delivery/index.ts'
import { noInvitationsUrl, refusalsToInvite } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { plainName } from '#lib/text.ts'
import { DAY } from '#platform/clock.ts'

import { type Slip, startUrl } from './slips.service.ts'

/** Addresses of one statement. */
const CHUNK = 200
/** Invitations by mail to one address a day, with those of organizations and activities. */
const MAILS_TO_ADDRESS = 2
/** In place of the owner of an activity or the organization: none. */
const NOBODY = 0

/** A user who gets a start code by mail. `locale`: of the mail. */
export interface StartMail extends Pick<Slip, 'name' | 'username' | 'code'> {
  readonly email: string
  readonly locale: Locale
}

/**
 * The usernames of those whose codes can be mailed now. The addresses of the others want no invitations or had enough of them, or the mails of the day
 * are used up: their codes have to be handed out.
 */
export async function usersToMail(
  ctx: AppContext,
  db: Db | Tx,
  slips: readonly Pick<Slip, 'username' | 'email'>[],
): Promise<ReadonlySet<string>> {
  const now = ctx.clock.now()
  const willing: string[] = []
  for (let at = 0; at < slips.length; at += CHUNK) {
    const some = slips
      .slice(at, at + CHUNK)
      .flatMap(({ username, email }) => (email === undefined ? [] : [{ username, email }]))
    const refusals = await refusalsToInvite(
      ctx,
      db,
      NOBODY,
      some.map(({ email }) => email),
    )
    const uses = usesOf(ctx, some)
    const over = await refusedAmong(db, uses, now)
    willing.push(...some.flatMap(({ username }, i) => (refusals[i] === null && !over.has(uses[i]!) ? [username] : [])))
    await pause()
  }
  return new Set(willing.slice(0, await leftOf(db, await useOfServer(ctx), now)))
}

/** Counts so many mails of the day, before they are queued. False, without counting any, if there are not so many. */
export async function reserveMails(ctx: AppContext, tx: Tx, count: number): Promise<boolean> {
  if (count === 0) return true
  const uses = (await useOfServer(ctx)).map((use) => ({ ...use, cost: count }))
  return (await spend(tx, uses, ctx.clock.now())) === undefined
}

/** Queues the mails, which `usersToMail` has chosen and `reserveMails` has counted, and counts those to each address. */
export async function queueStartMails(ctx: AppContext, tx: Tx, mails: readonly StartMail[]): Promise<void> {
  for (let at = 0; at < mails.length; at += CHUNK) {
    const some = mails.slice(at, at + CHUNK)
    // An address that got another invitation since they were chosen gets this one too: the code is on no slip.
    await spendEach(tx, usesOf(ctx, some), ctx.clock.now())
    await sendComposed(
      ctx,
      tx,
      some.map(({ email, name, username, code, locale }) => ({
        to: email,
        kind: 'START_CODE' as const,
        data: { name, username, code, locale },
      })),
    )
    if (mails.length > CHUNK) await tx.pause()
  }
}

const usesOf = (ctx: AppContext, list: readonly { readonly email: string }[]) =>
  ctx.config.rateLimit
    ? list.map(({ email }) => ({
        key: `invitation-mails-to:${addressHash(ctx, email)}`,
        limit: MAILS_TO_ADDRESS,
        windowMs: DAY,
      }))
    : []

async function useOfServer(ctx: AppContext) {
  const limit = await getSetting(ctx, 'budget.invitationMailsPerDay')
  return limit === 0 || !ctx.config.rateLimit ? [] : [{ key: 'org-invitation-mails', limit, windowMs: DAY }]
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

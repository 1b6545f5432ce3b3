/** Invitations to organizations by mail, to any address: who may send them, their budgets, and their contents. */

import type { AppContext } from '#context'
import { leftOf, spend, spendEach } from '#db/counters.ts'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { normalizeEmail, provedEmailsOf } from '#domains/accounts/index.ts'
import type { ComposeMail, SettleMail } from '#domains/contributions.ts'
import { addressHash, hasMailServer, letter, sendComposed, senderOf } from '#domains/delivery/index.ts'
import type { Job } from '#domains/domain.ts'
import { noInvitationsUrl, refusalsToInvite } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'
import { invalid } from '#http/validate.ts'
import { rawHtml } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'
import { momentText } from '#lib/moments.ts'
import { onOneLine, plainName, textToHtml, withoutLinks } from '#lib/text.ts'
import { DAY, MINUTE, serverZone } from '#platform/clock.ts'
import { secret, sha256 } from '#platform/ids.ts'
import type { Use } from '#platform/limiter.ts'

import { nicknameOf } from '../members/members.store.ts'
import { noMailServer, provedNeeded, roleNotFound } from '../orgs.errors.ts'
import { findOrg, type OrgRow } from '../orgs.store.ts'
import {
  DEFAULT_DAYS,
  type InviteByMail,
  KEEPS_ADDRESS_MS,
  MAILS_TO_ADDRESS,
  type MailsInvited,
  MAX_WAIT_MS,
} from './invite-mails.model.ts'
import * as store from './invite-mails.store.ts'

type Status = MailsInvited['items'][number]['status']

/** @throws AppError 400, 403, 404 */
export async function inviteByMail(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  input: InviteByMail,
  locale: Locale,
): Promise<MailsInvited> {
  const emails = input.emails.map((given, i) => {
    const email = normalizeEmail(given)
    if (email === undefined) throw invalid(`body.emails.${i}`, 'is not an e-mail address', '不是有效的邮箱地址')
    return email
  })
  if (!hasMailServer(ctx)) throw noMailServer()
  const isTrusted = await access.holdsAnyPlatformRole(ctx, actor.userId)
  if (!isTrusted && (await provedEmailsOf(ctx.db.read, actor.userId)).length === 0) throw provedNeeded()
  const uses = await serverUses(ctx)
  const made = await ctx.db.write('orgs.inviteByMail', async (tx) => {
    const org = await findOrg(tx, orgId)
    if (org === undefined) throw notFound()
    if (org.status !== 'ACTIVE') throw organizationDisabled
    const role = await access.findOrgRole(tx, orgId, { code: input.roleCode ?? access.MEMBER })
    if (role === undefined) throw roleNotFound()
    const made = await inviteAll(ctx, tx, org, [...new Set(emails)], uses, {
      inviterId: actor.userId,
      roleId: role.code === access.MEMBER ? null : role.id,
      message: input.message ?? '',
      language: input.language ?? locale,
      expiresAt: ctx.clock.now() + (input.expiresInDays ?? DEFAULT_DAYS) * DAY,
    })
    // Stored as JSON for repeats of the request.
    return Object.fromEntries(made)
  })
  const items = input.emails.map((target, i) => {
    const isRepeated = emails.indexOf(emails[i]!) < i
    return { target, status: isRepeated ? ('ALREADY_INVITED' as const) : made[emails[i]!]! }
  })
  return { items }
}

/** Of the server, in a day. */
async function serverUses(ctx: AppContext): Promise<Use[]> {
  const limit = await getSetting(ctx, 'budget.invitationMailsPerDay')
  return limit === 0 || !ctx.config.rateLimit ? [] : [{ key: 'org-invitation-mails', limit, windowMs: DAY }]
}

type Invitation = Pick<store.NewInvitation, 'inviterId' | 'roleId' | 'message' | 'language' | 'expiresAt'>

async function inviteAll(
  ctx: AppContext,
  tx: Tx,
  { id: orgId }: OrgRow,
  emails: readonly string[],
  uses: readonly Use[],
  invitation: Invitation,
): Promise<Map<string, Status>> {
  const result = new Map<string, Status>()
  const now = ctx.clock.now()
  for (const email of await unwilling(ctx, tx, orgId, emails)) result.set(email, 'REFUSED')
  const tokens = new Map(emails.map((email) => [email, secret()]))
  const rows = emails
    .filter((email) => !result.has(email))
    .map((email) => ({
      ...invitation,
      orgId,
      email,
      tokenHash: sha256(tokens.get(email)!),
      token: ctx.seal.seal(tokens.get(email)!),
    }))
  const ids = await store.insertInvitations(tx, rows, now)
  for (const { email } of rows) if (!ids.has(email)) result.set(email, 'ALREADY_INVITED')
  const over = await overLimit(ctx, tx, [...ids.keys()])
  await store.deleteInvitations(
    tx,
    orgId,
    over.map((email) => ids.get(email)!),
  )
  for (const email of over) result.set(email, 'REFUSED')
  const open = [...ids].filter(([email]) => !result.has(email))
  const sent = open.slice(0, await spendMails(tx, uses, open.length, now))
  await queue(
    ctx,
    tx,
    sent.map(([email, id]) => ({ id, email, token: tokens.get(email)! })),
  )
  for (const [email] of open) result.set(email, 'QUEUED')
  for (const [email] of sent) result.set(email, 'SENT')
  return result
}

/** Addresses of one statement. */
const CHUNK = 200

/** Addresses that want no invitations, or whose mail servers refuse mails. */
async function unwilling(ctx: AppContext, tx: Tx, orgId: number, emails: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (let at = 0; at < emails.length; at += CHUNK) {
    const some = emails.slice(at, at + CHUNK)
    const refusals = await refusalsToInvite(ctx, tx, orgId, some)
    found.push(...some.filter((_email, i) => refusals[i] !== null))
  }
  return found
}

/** Those of the addresses that have had their mails of the day. The others are counted, with invitations to activities. */
async function overLimit(ctx: AppContext, tx: Tx, emails: readonly string[]): Promise<string[]> {
  if (!ctx.config.rateLimit) return []
  const uses = emails.map((email) => ({
    key: `invitation-mails-to:${addressHash(ctx, email)}`,
    limit: MAILS_TO_ADDRESS,
    windowMs: DAY,
  }))
  const over = await spendEach(tx, uses, ctx.clock.now())
  return emails.filter((_email, i) => over.has(uses[i]!))
}

/** Counts up to `wanted` mails. Returns how many the budget of the server allows. */
async function spendMails(tx: Tx, uses: readonly Use[], wanted: number, now: number): Promise<number> {
  const allowed = Math.min(wanted, await leftOf(tx, uses, now))
  if (allowed === 0) return 0
  await spend(
    tx,
    uses.map((use) => ({ ...use, cost: allowed })),
    now,
  )
  return allowed
}

interface Addressed {
  readonly id: number
  readonly email: string
  readonly token: string
}

/** The outbox seals its mails, so the token is stored nowhere in clear. */
async function queue(ctx: AppContext, tx: Tx, invitations: readonly Addressed[]): Promise<void> {
  for (let at = 0; at < invitations.length; at += CHUNK)
    await sendComposed(
      ctx,
      tx,
      invitations
        .slice(at, at + CHUNK)
        .map(({ id, email, token }) => ({ to: email, kind: 'ORG_INVITATION', data: { id, token } })),
    )
  await store.markQueued(
    tx,
    invitations.map(({ id }) => id),
  )
}

/** Sends the mails that waited for the budget of a new day, the oldest first, and gives up those that waited too long. */
async function sendWaiting(ctx: AppContext): Promise<void> {
  await inSlices(ctx, 'orgs.giveUpInvitations', (tx, limit) =>
    store.giveUpWaiting(tx, ctx.clock.now() - MAX_WAIT_MS, limit),
  )
  if (!hasMailServer(ctx) || (await store.waitingInvitations(ctx.db.read, 1)).length === 0) return
  const uses = await serverUses(ctx)
  for (let sent = CHUNK; sent === CHUNK;)
    sent = await ctx.db.write('orgs.sendInvitations', async (tx) => {
      const waiting = await store.waitingInvitations(tx, CHUNK)
      const rows = waiting.slice(0, await spendMails(tx, uses, waiting.length, ctx.clock.now()))
      await queue(
        ctx,
        tx,
        // Without its token, after a restore with another key, a mail would be of no use: it is dropped when it is composed.
        rows.map(({ id, email, token }) => ({ id, email: email!, token: ctx.seal.open(token ?? '') ?? '' })),
      )
      return rows.length
    })
}

/** An address belongs to somebody who may never have asked for the invitation, so it does not stay. */
async function forgetOld(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - KEEPS_ADDRESS_MS
  await inSlices(ctx, 'orgs.deleteInvitations', (tx, limit) => store.deleteUnaccepted(tx, before, limit))
  await inSlices(ctx, 'orgs.forgetInvitations', (tx, limit) => store.forgetOldAddresses(tx, before, limit))
}

export const inviteMailsJob: Job = {
  name: 'orgs.sendInvitations',
  every: 10 * MINUTE,
  async run(ctx) {
    await forgetOld(ctx)
    await sendWaiting(ctx)
  },
}

interface Words {
  readonly subject: (org: string) => string
  readonly lead: (inviter: string, org: string) => string
  readonly advice: (until: string) => string
  readonly open: string
  readonly stop: string
}

const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    subject: (org) => `Invitation to ${org}`,
    lead: (inviter, org) =>
      `${inviter} invites you to ${org}. To get no more invitations from anyone, choose “Never invite this address again” below.`,
    advice: (until) => `The link works once, until ${until}. Do not pass it on: anyone who has it can use it.`,
    open: 'Open the invitation',
    stop: 'Never invite this address again',
  },
  zh: {
    subject: (org) => `邀请你加入 ${org}`,
    lead: (inviter, org) => `${inviter} 邀请你加入 ${org}。如不想再收到任何人的邀请，请点击下方的“不再邀请此邮箱”。`,
    advice: (until) => `此链接仅可使用一次，有效期至${until}。请勿转发：任何拿到链接的人都可使用。`,
    open: '打开邀请',
    stop: '不再邀请此邮箱',
  },
}

/** Path of the page that the link opens. The token is in the fragment, which browsers send to no server. */
const INVITED_PATH = '/console/invited'

/** None if the invitation has ended, or if the owner of the address wants none by now: the mail may have waited for days. */
export const composeInvitation: ComposeMail = async (ctx, to, data) => {
  const { read } = ctx.db
  const token = String(data['token'])
  const row = await store.findById(read, Number(data['id']))
  if (row?.email !== to || row.tokenHash !== sha256(token)) return undefined
  const org = await findOrg(read, row.orgId)
  if (row.status !== 'PENDING' || row.expiresAt <= ctx.clock.now() || org?.status !== 'ACTIVE') return undefined
  const [refusal] = await refusalsToInvite(ctx, read, row.orgId, [to])
  if (refusal !== null) return undefined
  const locale = row.language ?? 'en'
  const words = WORDS[locale]
  const name = plainName(org.name)
  const text = withoutLinks(row.message)
  const stop = noInvitationsUrl(ctx, to)
  const content = {
    subject: onOneLine(words.subject(name)),
    lead: words.lead(plainName(await nicknameOf(read, row.inviterId)), name),
    ...(text !== '' && { body: { html: rawHtml(textToHtml(text)), text } }),
    advice: [words.advice(momentText(row.expiresAt, org.timeZone ?? serverZone(), locale))],
    links: [[words.open, `${ctx.config.publicUrl}${INVITED_PATH}#${token}`]] as const,
    foot: [words.stop, `${stop}?lang=${locale}`] as const,
  }
  return { ...letter(content, locale, senderOf(ctx)), fromName: name, unsubscribeUrl: stop }
}

/** Records the result in the write that takes the mail out of the outbox. */
export const settleInvitation: SettleMail = (_ctx, tx, data, result) =>
  store.setMailState(tx, Number(data['id']), result === 'DROPPED' ? 'SKIPPED' : result)

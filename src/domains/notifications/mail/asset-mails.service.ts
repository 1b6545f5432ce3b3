/** Mails about assets: to whom they go, and those that follow a notification at once. Digests are made by the domain of assets. */

import type { AppContext } from '#context'
import { leftOf, spend, spendEach } from '#db/counters.ts'
import type { AssetMails } from '#db/schema/notifications.ts'
import type { Db, Tx } from '#db/store.ts'
import type { ComposeMail, MailContact } from '#domains/contributions.ts'
import {
  addressHash,
  type Content,
  hasMailServer,
  letter,
  sendComposed,
  senderOf,
  suppressedAmong,
} from '#domains/delivery/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { siteOf } from '#http/site.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { onOneLine } from '#lib/text.ts'
import { DAY, HOUR, serverZone } from '#platform/clock.ts'
import type { Mail } from '#platform/mail/index.ts'

import { contactsOf, noAssetMailsUrl } from './mail.service.ts'
import * as store from './mail.store.ts'

/** Whether users get mails about assets at all. */
export const hasAssetMails = async (ctx: AppContext): Promise<boolean> =>
  hasMailServer(ctx) && (await getSetting(ctx, 'mail.assetReminders'))

/** A user who gets mails about assets. */
export interface AssetMailTarget {
  readonly address: string
  readonly locale: Locale
  readonly timeZone: string
}

/** When a user wants the digest. */
export interface DigestTime {
  readonly hour: number
  readonly zone: string
}

const timeOf = ({ digestHour, timeZone }: Pick<store.Preferences, 'digestHour' | 'timeZone'>): DigestTime => ({
  hour: digestHour,
  zone: timeZone ?? serverZone(),
})

/** All times at which somebody wants a digest, without repetitions. */
export async function digestTimes(db: Db): Promise<DigestTime[]> {
  const times = [store.DEFAULTS, ...(await store.digestTimes(db))].map(timeOf)
  return [...new Map(times.map((time) => [`${time.hour} ${time.zone}`, time])).values()]
}

/** When some hundred users want the digest. Users who want no mails about assets are left out. */
export async function digestTimesOf(db: Db, userIds: readonly number[]): Promise<ReadonlyMap<number, DigestTime>> {
  const preferences = await store.preferencesOfUsers(db, userIds)
  const of = (id: number): store.Preferences => preferences.get(id) ?? store.DEFAULTS
  return new Map(userIds.filter((id) => of(id).emailAssets !== 'NONE').map((id) => [id, timeOf(of(id))]))
}

/**
 * Those of some hundred users who get such mails: whose account is active and has a proved address that mail servers do not refuse. `wanted`: the
 * preferences that ask for the mail.
 */
export async function assetMailTargets(
  ctx: AppContext,
  db: Db | Tx,
  userIds: readonly number[],
  wanted: readonly AssetMails[],
): Promise<ReadonlyMap<number, AssetMailTarget>> {
  const preferences = await store.preferencesOfUsers(db, userIds)
  const of = (id: number): store.Preferences => preferences.get(id) ?? store.DEFAULTS
  const willing = userIds.filter((id) => wanted.includes(of(id).emailAssets))
  if (willing.length === 0) return new Map()
  const active = await store.activeAmong(db, willing)
  const contacts = [...(await contactsOf(ctx, db, [...active]))].filter(hasAddress)
  const hashOf = new Map(contacts.map(([id, { address }]) => [id, addressHash(ctx, address)]))
  const suppressed = await suppressedAmong(ctx, db, [...hashOf.values()])
  return new Map(
    contacts
      .filter(([id]) => !suppressed.has(hashOf.get(id)!))
      .map(([id, { address, locale }]) => [
        id,
        { address, locale: locale ?? siteOf(ctx).locale, timeZone: timeOf(of(id)).zone },
      ]),
  )
}

const hasAddress = (entry: [number, MailContact]): entry is [number, MailContact & { address: string }] =>
  entry[1].address !== null

const REFUSED = {
  name: 'tessera_asset_mails_refused_total',
  help: 'Writes whose mails about assets were not all sent because the budget of the day was used up.',
}

/** Counts up to `wanted` mails in the budget of the server. Returns how many it allows. */
export async function spendAssetMails(ctx: AppContext, tx: Tx, wanted: number): Promise<number> {
  const limit = await getSetting(ctx, 'budget.assetMailsPerDay')
  if (limit === 0 || wanted === 0) return wanted
  const now = ctx.clock.now()
  const use = { key: 'asset-mails', limit, windowMs: DAY }
  const allowed = Math.min(wanted, await leftOf(tx, [use], now))
  if (allowed > 0) await spend(tx, [{ ...use, cost: allowed }], now)
  if (allowed < wanted) {
    ctx.metrics.count(REFUSED, { reason: 'budget' })
    if (ctx.limiter.take('budget of asset mails logged', 1, HOUR) === 0)
      ctx.log.warn('the budget of mails about assets a day is used up, some are not sent', { limit })
  }
  return allowed
}

/** Mails at once to one user a day. Later notifications of the day are in the app only; the digest lists everything that is due. */
export const MAILS_AT_ONCE_A_DAY = 50

/** The part of a mail at once that the outbox keeps. */
interface AtOnce {
  readonly userId: number
  readonly title: Localized
  readonly body: Localized
  readonly orgId: number | null
  readonly assetId: number | null
}

/** Mails a notification to those of its recipients who want that, in the write that inserts it. */
export async function mailAtOnce(
  ctx: AppContext,
  tx: Tx,
  userIds: readonly number[],
  { title, body, data }: { title: Localized; body: Localized; data: Readonly<Record<string, unknown>> },
): Promise<void> {
  if (!(await hasAssetMails(ctx))) return
  const targets = await assetMailTargets(ctx, tx, userIds, ['AT_ONCE'])
  if (targets.size === 0) return
  const [orgId, assetId] = [idIn(data, 'orgId'), idIn(data, 'assetId')]
  if (orgId !== null && !(await store.isOrgActive(tx, orgId))) return
  const uses = new Map(
    [...targets.keys()].map((id) => [id, { key: `asset-mails-to:${id}`, limit: MAILS_AT_ONCE_A_DAY, windowMs: DAY }]),
  )
  const refused = await spendEach(tx, [...uses.values()], ctx.clock.now())
  const wanted = [...targets].filter(([id]) => !refused.has(uses.get(id)!))
  const allowed = await spendAssetMails(ctx, tx, wanted.length)
  await sendComposed(
    ctx,
    tx,
    wanted.slice(0, allowed).map(([userId, { address }]) => {
      const kept: AtOnce = { userId, title, body, orgId, assetId }
      return { to: address, kind: 'ASSET_NOTICE', data: { ...kept } }
    }),
  )
}

const idIn = (data: Readonly<Record<string, unknown>>, name: string): number | null =>
  typeof data[name] === 'number' ? data[name] : null

const WORDS = {
  en: { assets: 'Assets', open: 'Open the asset', all: 'Open my notifications', stop: 'Choose which mails you get' },
  zh: { assets: '资产', open: '查看资产', all: '查看我的通知', stop: '选择接收哪些邮件' },
} as const satisfies Record<Locale, object>

/** None if the user wants no such mails any longer or has left the address, or if the organization is disabled. */
export const composeAtOnce: ComposeMail = async (ctx, to, data) => {
  const { userId, title, body, orgId, assetId } = data as unknown as AtOnce
  const { read } = ctx.db
  const target = await assetMailTargetAt(ctx, read, userId, to, ['AT_ONCE'])
  if (target === undefined || (orgId !== null && !(await store.isOrgActive(read, orgId)))) return undefined
  const { locale } = target
  const words = WORDS[locale]
  const page = `${ctx.config.publicUrl}/console/`
  return assetMail(ctx, userId, target, {
    subject: `[${words.assets}] ${title[locale]}`,
    lead: body[locale],
    advice: [],
    links: [assetId === null ? [words.all, `${page}notifications`] : [words.open, `${page}assets/${assetId}`]],
  })
}

/** The user if they still want the mail at this address. */
export async function assetMailTargetAt(
  ctx: AppContext,
  db: Db,
  userId: number,
  address: string,
  wanted: readonly AssetMails[],
): Promise<AssetMailTarget | undefined> {
  if (!(await hasAssetMails(ctx))) return undefined
  const target = (await assetMailTargets(ctx, db, [userId], wanted)).get(userId)
  return target?.address === address ? target : undefined
}

/** A mail about assets with the link that stops such mails. */
export function assetMail(
  ctx: AppContext,
  userId: number,
  { address, locale }: AssetMailTarget,
  content: Content,
): Omit<Mail, 'id' | 'to'> {
  const stop = noAssetMailsUrl(ctx, userId, address)
  const { stop: foot } = WORDS[locale]
  const whole = { ...content, subject: onOneLine(content.subject), foot: [foot, `${stop}?lang=${locale}`] as const }
  return { ...letter(whole, locale, senderOf(ctx)), unsubscribeUrl: stop }
}

/** Whether a person gets mails about activities: by the choices in the account and on the page of a mail, unless the address refuses mails. */

import type { AppContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
import type { ActivityMails, AssetMails } from '#db/schema/notifications.ts'
import type { Db, Tx } from '#db/store.ts'
import type { MailContact } from '#domains/contributions.ts'
import { addressHash, suppressedAmong } from '#domains/delivery/index.ts'
import { contributions } from '#domains/domain.ts'
import { findBySecret } from '#http/admission.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { isZoneName } from '#lib/days.ts'
import { shortenAddress } from '#lib/text.ts'
import { serverZone } from '#platform/clock.ts'

import {
  type Importance,
  MAIL_PATH,
  type MailChoice,
  type MailRefusal,
  type PreferencesView,
  type UpdatePreferences,
} from './mail.model.ts'
import * as store from './mail.store.ts'

/** In place of the owner of an activity: all of them. */
const EVERYBODY: OwnerKey = 0

const STRICTNESS: readonly ActivityMails[] = ['ALL', 'IMPORTANT', 'NONE']
const stricter = (a: ActivityMails, b: ActivityMails): ActivityMails =>
  STRICTNESS.indexOf(a) > STRICTNESS.indexOf(b) ? a : b

/** The choices that count for the user, also those made on the page of a mail. */
export async function showPreferences(ctx: AppContext, { userId }: Actor): Promise<PreferencesView> {
  const { emailActivities, emailAssets, digestHour, timeZone } = await store.preferencesOf(ctx.db.read, userId)
  const choices = await store.choicesOf(ctx.db.read, await hashesOf(ctx, ctx.db.read, userId), EVERYBODY)
  return {
    emailActivities: choices.reduce<ActivityMails>((all, { choice }) => stricter(all, choice), emailActivities),
    emailAssets,
    digestHour,
    timeZone: timeZone ?? serverZone(),
  }
}

/** The zone that the user has chosen, or that of the server. */
export const zoneOfUser = async (db: Db | Tx, userId: number): Promise<string> =>
  (await store.preferencesOf(db, userId)).timeZone ?? serverZone()

/** `emailActivities` replaces a choice about all organizers that was made on the page of a mail. @throws AppError 400 */
export async function changePreferences(
  ctx: AppContext,
  actor: Actor,
  { emailActivities, emailAssets, digestHour, timeZone }: UpdatePreferences,
): Promise<PreferencesView> {
  if (timeZone != null && !isZoneName(timeZone))
    throw invalid(
      'body.timeZone',
      'is not an IANA time zone such as Europe/Berlin',
      '不是 Europe/Berlin 这样的 IANA 时区名',
    )
  await ctx.db.write('notifications.changePreferences', async (tx) => {
    await store.savePreferences(tx, actor.userId, {
      ...(emailActivities !== undefined && { emailActivities }),
      ...(emailAssets !== undefined && { emailAssets }),
      ...(digestHour !== undefined && { digestHour }),
      ...(timeZone !== undefined && { timeZone }),
    })
    if (emailActivities !== undefined) await store.deleteChoices(tx, await hashesOf(ctx, tx, actor.userId), [EVERYBODY])
  })
  return showPreferences(ctx, actor)
}

async function hashesOf(ctx: AppContext, db: Db | Tx, userId: number): Promise<string[]> {
  const address = (await contactsOf(ctx, db, [userId])).get(userId)?.address
  return address == null ? [] : [addressHash(ctx, address)]
}

export interface MailTarget extends MailContact {
  /** The zone that the user has chosen; null if none. */
  readonly timeZone: string | null
}

/** Where and how some hundred users are mailed. */
export async function mailTargetsOf(
  ctx: AppContext,
  db: Db | Tx,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, MailTarget>> {
  if (userIds.length === 0) return new Map()
  const contacts = await contactsOf(ctx, db, userIds)
  const preferences = await store.preferencesOfUsers(db, userIds)
  return new Map(
    [...contacts].map(([id, contact]) => [id, { ...contact, timeZone: preferences.get(id)?.timeZone ?? null }]),
  )
}

export async function contactsOf(
  ctx: AppContext,
  db: Db | Tx,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, MailContact>> {
  const [find] = contributions(ctx, 'mailContacts')
  return find?.(db, userIds) ?? new Map()
}

/** Someone who may be mailed. `userId`: null for a guest. */
export interface Addressee {
  readonly userId: number | null
  readonly address: string
}

/** Why some hundred people get no mail about an activity of `owner`, in their order; null for those who get it. */
export async function refusalsToMail(
  ctx: AppContext,
  db: Db | Tx,
  owner: OwnerKey,
  importance: Importance,
  people: readonly Addressee[],
): Promise<(MailRefusal | null)[]> {
  const hashes = people.map(({ address }) => addressHash(ctx, address))
  const preferences = await store.preferencesOfUsers(
    db,
    people.flatMap(({ userId }) => userId ?? []),
  )
  const choices = new Map<string, ActivityMails>()
  for (const { address, choice } of await store.choicesOf(db, hashes, owner))
    choices.set(address, stricter(choices.get(address) ?? 'ALL', choice))
  const suppressed = await suppressedAmong(ctx, db, hashes)
  return people.map(({ userId }, i) => {
    const own = (userId !== null && preferences.get(userId)?.emailActivities) || 'ALL'
    const wanted = stricter(own, choices.get(hashes[i]!) ?? 'ALL')
    if (wanted === 'NONE' || (wanted === 'IMPORTANT' && importance === 'MESSAGE')) return 'OPTED_OUT'
    return suppressed.has(hashes[i]!) ? 'SUPPRESSED' : null
  })
}

/**
 * Why an invitation is not mailed to some hundred addresses that nobody has proved, in their order; null for those that get it. The choices of
 * their owners about `owner` and all organizers count too.
 */
export async function refusalsToInvite(
  ctx: AppContext,
  db: Db | Tx,
  owner: OwnerKey,
  addresses: readonly string[],
): Promise<(MailRefusal | null)[]> {
  const hashes = addresses.map((address) => addressHash(ctx, address))
  const refusing = await store.refusingInvitations(db, hashes)
  const people = addresses.map((address) => ({ userId: null, address }))
  const others = await refusalsToMail(ctx, db, owner, 'MESSAGE', people)
  return hashes.map((hash, i) => (refusing.has(hash) ? 'OPTED_OUT' : others[i]!))
}

/** Begin the contents of tokens. */
const PURPOSE = 'mail choices'
const INVITATIONS = 'invitations'
const ASSETS = 'mails about assets'

const linkTo = (ctx: AppContext, contents: readonly unknown[]): string =>
  `${ctx.config.publicUrl}${MAIL_PATH}/${ctx.seal.seal(JSON.stringify(contents))}`

/** The page on which the owner of an address stops mails about activities of `owner`. It needs no row, and does not end. */
export const unsubscribeUrl = (ctx: AppContext, owner: OwnerKey, address: string): string =>
  linkTo(ctx, [PURPOSE, owner, address])

/** The page on which the owner of an address ends all invitations by mail, to activities and to organizations. */
export const noInvitationsUrl = (ctx: AppContext, address: string): string => linkTo(ctx, [INVITATIONS, address])

/** The page on which a user stops mails about assets. It ends when the address leaves the account. */
export const noAssetMailsUrl = (ctx: AppContext, userId: number, address: string): string =>
  linkTo(ctx, [ASSETS, userId, address])

type Subject =
  | { readonly about: 'ACTIVITIES'; readonly owner: OwnerKey; readonly address: string }
  | { readonly about: 'INVITATIONS'; readonly address: string }
  | { readonly about: 'ASSETS'; readonly userId: number; readonly address: string }

function subjectOf(ctx: AppContext, token: string): Subject | undefined {
  const text = ctx.seal.open(token)
  const begins = (purpose: string): boolean => text?.startsWith(`["${purpose}",`) === true
  // The key seals other texts too.
  if (!begins(PURPOSE) && !begins(INVITATIONS) && !begins(ASSETS)) return undefined
  const [purpose, ...rest] = JSON.parse(text!) as [string, ...unknown[]]
  if (purpose === INVITATIONS) return { about: 'INVITATIONS', address: rest[0] as string }
  const [id, address] = rest as [number, string]
  return purpose === ASSETS ? { about: 'ASSETS', userId: id, address } : { about: 'ACTIVITIES', owner: id, address }
}

/** Contents of the page. */
export interface MailPage {
  /** Shortened: the mail may have been forwarded. */
  readonly address: string
  /** Of the organizer; undefined if it no longer exists. */
  readonly organizer: string | undefined
  /** About all organizers, and about this one. */
  readonly everybody: ActivityMails
  readonly ofOrganizer: ActivityMails
}

/** Contents of the page about invitations. */
export interface InvitationsPage {
  readonly address: string
  readonly isRefused: boolean
}

/** Contents of the page about assets. */
export interface AssetMailsPage {
  readonly address: string
  readonly emailAssets: AssetMails
}

export type AnyMailPage = MailPage | InvitationsPage | AssetMailsPage

/** @throws AppError 404 for a wrong token, 429 after too many */
export async function showMailPage(ctx: AppContext, token: string, caller: Caller): Promise<AnyMailPage> {
  return pageOf(ctx, await findSubject(ctx, token, caller))
}

/**
 * On the page about invitations, ALL allows them again and all others end them; on that about assets, NONE is what one click chooses. The same
 * choice again changes nothing. @throws AppError as `showMailPage`, 400 for a choice that is not on the page
 */
export async function chooseMails(
  ctx: AppContext,
  token: string,
  choice: MailChoice,
  caller: Caller,
): Promise<AnyMailPage> {
  const subject = await findSubject(ctx, token, caller)
  const hash = addressHash(ctx, subject.address)
  await ctx.db.write('notifications.chooseMails', async (tx) => {
    if (subject.about === 'ASSETS')
      return store.savePreferences(tx, subject.userId, { emailAssets: ASSET_CHOICES[choice] ?? 'NONE' })
    if (subject.about === 'INVITATIONS')
      return choice === 'ALL' ? store.allowInvitations(tx, hash) : store.refuseInvitations(tx, hash)
    const { owner } = subject
    if (choice === 'ORGANIZER') return store.saveChoice(tx, hash, owner, 'IMPORTANT')
    if (choice === 'ALL') return store.deleteChoices(tx, [hash], [EVERYBODY, owner])
    if (choice === 'DAILY' || choice === 'AT_ONCE')
      throw invalid(
        'body.choice',
        'is about assets, and the link about activities',
        '是资产邮件的选项，而此链接针对活动',
      )
    return store.saveChoice(tx, hash, EVERYBODY, choice)
  })
  return pageOf(ctx, subject)
}

const ASSET_CHOICES: Readonly<Partial<Record<MailChoice, AssetMails>>> = {
  ALL: 'DAILY',
  DAILY: 'DAILY',
  AT_ONCE: 'AT_ONCE',
}

async function findSubject(ctx: AppContext, token: string, caller: Caller): Promise<Subject> {
  const subject = await findBySecret(ctx, caller, async () => subjectOf(ctx, token))
  if (subject === undefined) throw notFound()
  if (subject.about !== 'ASSETS') return subject
  // An account is not changed by the owner of an address that it no longer has.
  const contact = (await contactsOf(ctx, ctx.db.read, [subject.userId])).get(subject.userId)
  if (contact?.address !== subject.address) throw notFound()
  return subject
}

async function pageOf(ctx: AppContext, subject: Subject): Promise<AnyMailPage> {
  const { address } = subject
  const hash = addressHash(ctx, address)
  if (subject.about === 'ASSETS') {
    const { emailAssets } = await store.preferencesOf(ctx.db.read, subject.userId)
    return { address: shortenAddress(address), emailAssets }
  }
  if (subject.about === 'INVITATIONS') {
    const refusing = await store.refusingInvitations(ctx.db.read, [hash])
    return { address: shortenAddress(address), isRefused: refusing.has(hash) }
  }
  const { owner } = subject
  const choices = await store.choicesOf(ctx.db.read, [hash], owner)
  const choiceAbout = (whom: OwnerKey): ActivityMails => choices.find((one) => one.owner === whom)?.choice ?? 'ALL'
  return {
    address: shortenAddress(address),
    organizer: await store.nameOfOwner(ctx.db.read, owner),
    everybody: choiceAbout(EVERYBODY),
    ofOrganizer: choiceAbout(owner),
  }
}

/** Deletes choices about an owner that was deleted. */
export const removeChoices = (_ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> =>
  store.deleteChoicesAbout(tx, owner, limit)

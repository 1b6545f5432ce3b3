import { and, eq, inArray, ne, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import {
  type ActivityMails,
  type AssetMails,
  DIGEST_HOUR,
  invitationRefusals,
  mailChoices,
  notificationPreferences as preferences,
} from '#db/schema/notifications.ts'
import { organizations } from '#db/schema/orgs.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export interface Preferences {
  readonly emailActivities: ActivityMails
  readonly emailAssets: AssetMails
  readonly digestHour: number
  /** Null for that of the server. */
  readonly timeZone: string | null
}

export const DEFAULTS: Preferences = {
  emailActivities: 'ALL',
  emailAssets: 'DAILY',
  digestHour: DIGEST_HOUR,
  timeZone: null,
}

const { emailActivities, emailAssets, digestHour, timeZone } = preferences
const columns = { emailActivities, emailAssets, digestHour, timeZone }

export async function preferencesOf(db: Db | Tx, userId: number): Promise<Preferences> {
  return (await db.select(columns).from(preferences).where(eq(preferences.userId, userId)))[0] ?? DEFAULTS
}

/** Those that differ from the defaults, by user. */
export async function preferencesOfUsers(
  db: Db | Tx,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Preferences>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .select({ userId: preferences.userId, ...columns })
    .from(preferences)
    .where(inArray(preferences.userId, [...userIds]))
  return new Map(rows.map(({ userId, ...row }) => [userId, row]))
}

/** Pairs of hour and zone that users with mails about assets have chosen. Some hundred: there are 24 hours, and few zones. */
export const digestTimes = (db: Db): Promise<Pick<Preferences, 'digestHour' | 'timeZone'>[]> =>
  db.selectDistinct({ digestHour, timeZone }).from(preferences).where(ne(emailAssets, 'NONE'))

/** Those of the users whose accounts are neither disabled nor ended. */
export async function activeAmong(db: Db | Tx, userIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(isOneOf(users.id, userIds), eq(users.status, 'ACTIVE')))
  return new Set(rows.map(({ id }) => id))
}

export async function savePreferences(tx: Tx, userId: number, change: Partial<Preferences>): Promise<void> {
  if (Object.keys(change).length === 0) return
  await tx
    .insert(preferences)
    .values({ userId, ...DEFAULTS, ...change })
    .onConflictDoUpdate({ target: preferences.userId, set: change })
}

export async function deletePreferences(tx: Tx, userId: number): Promise<void> {
  await tx.delete(preferences).where(eq(preferences.userId, userId))
}

/** Choices of the addresses (their hashes) about all organizers, whose `owner` is 0, and about this one. */
export async function choicesOf(
  db: Db | Tx,
  addresses: readonly string[],
  owner: OwnerKey,
): Promise<{ readonly address: string; readonly owner: OwnerKey; readonly choice: 'IMPORTANT' | 'NONE' }[]> {
  if (addresses.length === 0) return []
  return db
    .select({ address: mailChoices.address, owner: mailChoices.owner, choice: mailChoices.choice })
    .from(mailChoices)
    .where(and(inArray(mailChoices.address, [...addresses]), inArray(mailChoices.owner, [0, owner])))
}

export async function saveChoice(
  tx: Tx,
  address: string,
  owner: OwnerKey,
  choice: 'IMPORTANT' | 'NONE',
): Promise<void> {
  await tx
    .insert(mailChoices)
    .values({ address, owner, choice, createdAt: tx.stamp })
    .onConflictDoUpdate({ target: [mailChoices.address, mailChoices.owner], set: { choice } })
}

/** Those about the owners; 0 is all organizers. */
export async function deleteChoices(tx: Tx, addresses: readonly string[], owners: readonly OwnerKey[]): Promise<void> {
  if (addresses.length === 0) return
  await tx
    .delete(mailChoices)
    .where(and(inArray(mailChoices.address, [...addresses]), inArray(mailChoices.owner, [...owners])))
}

/** Choices about an owner that was deleted, at most `limit`. Returns how many it deleted. */
export const deleteChoicesAbout = (tx: Tx, owner: OwnerKey, limit: number): Promise<number> =>
  deleteSome(tx, mailChoices, eq(mailChoices.owner, owner), limit)

/** The hashes among `addresses` whose owners want no invitations. */
export async function refusingInvitations(db: Db | Tx, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set()
  const rows = await db
    .select({ address: invitationRefusals.address })
    .from(invitationRefusals)
    .where(inArray(invitationRefusals.address, [...addresses]))
  return new Set(rows.map((row) => row.address))
}

export const refuseInvitations = async (tx: Tx, address: string): Promise<void> =>
  void (await tx.insert(invitationRefusals).values({ address, createdAt: tx.stamp }).onConflictDoNothing())

export const allowInvitations = async (tx: Tx, address: string): Promise<void> =>
  void (await tx.delete(invitationRefusals).where(eq(invitationRefusals.address, address)))

const organization = prepared((db) =>
  db
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, sql.placeholder('id'))),
)
const user = prepared((db) =>
  db
    .select({ name: users.nickname })
    .from(users)
    .where(eq(users.id, sql.placeholder('id'))),
)

/** False for an organization that is DISABLED or was dissolved. */
export async function isOrgActive(db: Db | Tx, orgId: number): Promise<boolean> {
  const rows = await db.select({ status: organizations.status }).from(organizations).where(eq(organizations.id, orgId))
  return rows[0]?.status === 'ACTIVE'
}

/** The name of a user or organization; undefined if it no longer exists. */
export const nameOfOwner = async (db: Db, owner: OwnerKey): Promise<string | undefined> =>
  (await (owner < 0 ? user : organization)(db, { id: Math.abs(owner) }))[0]?.name

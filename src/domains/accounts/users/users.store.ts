import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  sql,
} from 'drizzle-orm'

import type { Watched } from '#db/column-watch.ts'
import { isOneOf } from '#db/dialect.ts'
import { note } from '#db/notes.ts'
import { orgExists } from '#db/org-exists.ts'
import { prepared } from '#db/prepared.ts'
import { roles, userRoles } from '#db/schema/access.ts'
import {
  accountLinks,
  type ContactProvider,
  identities,
  type Provider,
  sessions,
  totpSecrets,
  users,
} from '#db/schema/accounts.ts'
import { oidcProviders } from '#db/schema/oidc.ts'
import { requiredPasskeys } from '#db/schema/passkeys.ts'
import type { Builders, Db, SQL, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'
import type { MailContact } from '#domains/contributions.ts'

import { type Account, usernameKey } from '../accounts.rules.ts'
import { isHeld } from './held-names.store.ts'
import { isMereClaim } from './users.rules.ts'

export type UserRow = typeof users.$inferSelect
export type IdentityRow = typeof identities.$inferSelect
/** `providerName`: of an OIDC identity; null if no provider with its issuer is enabled, so that it opens nothing. */
export type OwnIdentity = IdentityRow & { readonly providerName: string | null }

const { id, currentOrgId } = users
/** The current organization is null if it was dissolved, even while the row of the user still names it. */
export const userColumns = {
  ...getTableColumns(users),
  currentOrgId: sql<number | null>`case when ${orgExists(currentOrgId)} then ${currentOrgId} end`
    .mapWith(id)
    .as('shown_org_id'),
}

const byId = prepared((db) =>
  db
    .select(userColumns)
    .from(users)
    .where(eq(users.id, sql.placeholder('id'))),
)
const byUsernameKey = prepared((db) =>
  db
    .select(userColumns)
    .from(users)
    .where(eq(users.usernameKey, sql.placeholder('key'))),
)
const byCredential = prepared((db) =>
  db
    .select({ user: userColumns, identity: identities })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(
      and(
        eq(identities.provider, sql.placeholder('provider')),
        eq(identities.credential, sql.placeholder('credential')),
      ),
    ),
)
/**
 * The columns of `OwnIdentity`. The provider is the first enabled one with the issuer of the identity. Drizzle leaves out the names of tables
 * where it reads from one alone, and `issuer` would then be that of the provider itself.
 */
export const ownIdentity = {
  ...getTableColumns(identities),
  providerName: sql<string | null>`(
    select ${oidcProviders.name} from ${oidcProviders}
    where ${oidcProviders.issuer} = ${identities}.${sql.identifier(identities.issuer.name)} and ${oidcProviders.enabled}
    order by ${oidcProviders.id} limit 1)`.as('provider_name'),
}
const identitiesByUser = prepared((db) =>
  db
    .select(ownIdentity)
    .from(identities)
    .where(eq(identities.userId, sql.placeholder('userId')))
    .orderBy(identities.id),
)

export const userById = async (db: Db | Tx, id: number): Promise<UserRow | undefined> => (await byId(db, { id }))[0]

export const userByUsername = async (db: Db | Tx, username: string): Promise<UserRow | undefined> =>
  (await byUsernameKey(db, { key: usernameKey(username) }))[0]

/** An identity with its user. */
export interface Holder {
  readonly user: UserRow
  readonly identity: IdentityRow
}

/** `credential`: normalized as it is stored, here and below. */
const findHolder = async (db: Db | Tx, provider: Provider, credential: string): Promise<Holder | undefined> =>
  (await byCredential(db, { provider, credential }))[0]

/** The user who proved this credential. A claim is answered like an unknown credential. */
export async function userByProvedCredential(
  db: Db | Tx,
  provider: Provider,
  credential: string,
): Promise<UserRow | undefined> {
  const holder = await findHolder(db, provider, credential)
  return holder?.identity.verified ? holder.user : undefined
}

/**
 * The ids of the active users who proved these contacts. All look-ups of users by contact call it: people must not be found by
 * an e-mail address that they only claim, because it may be another person's. Contacts without such a user are left out.
 */
export async function userIdsByProvedContact(
  db: Db | Tx,
  provider: ContactProvider,
  credentials: readonly string[],
): Promise<Map<string, number>> {
  if (credentials.length === 0) return new Map()
  const rows = await db
    .select({ credential: identities.credential, id: users.id })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(
      and(
        eq(identities.provider, provider),
        inArray(identities.credential, [...credentials]),
        eq(identities.verified, true),
        eq(users.status, 'ACTIVE'),
      ),
    )
  return new Map(rows.map((row) => [row.credential, row.id]))
}

/** See `mailContacts` of contributions.ts. */
export async function mailContacts(db: Db | Tx, userIds: readonly number[]): Promise<ReadonlyMap<number, MailContact>> {
  const addresses = await db
    .select({ userId: identities.userId, address: identities.credential })
    .from(identities)
    .where(and(isOneOf(identities.userId, userIds), eq(identities.provider, 'EMAIL'), eq(identities.verified, true)))
  const locales = await db
    .select({ userId: sessions.userId, locale: sessions.locale })
    .from(sessions)
    .where(and(isOneOf(sessions.userId, userIds), isNotNull(sessions.locale)))
    .orderBy(asc(sessions.lastActiveAt))
  const addressOf = new Map(addresses.map(({ userId, address }) => [userId, address]))
  const localeOf = new Map(locales.map(({ userId, locale }) => [userId, locale]))
  return new Map(userIds.map((id) => [id, { address: addressOf.get(id) ?? null, locale: localeOf.get(id) ?? null }]))
}

/**
 * A condition of queries: the user has proved an address or a number, was created by an administrator, or is one. `userId`: the expression for
 * their id.
 */
export function isProvedUser(db: Pick<Builders, 'select'>, userId: SQL): SQL {
  const one = () => db.select({ one: sql`1` })
  const contact = one()
    .from(identities)
    .where(
      and(
        eq(identities.userId, userId),
        eq(identities.verified, true),
        ne(identities.provider, 'DEVICE').inlineParams(),
      ),
    )
  const role = one()
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(and(eq(userRoles.userId, userId), eq(roles.domain, 'PLATFORM')))
  const created = one()
    .from(users)
    .where(and(eq(users.id, userId), eq(users.createdByAdmin, true)))
  return or(exists(contact), exists(created), exists(role))!
}

/** Whether the user has a proved e-mail address, to which mails of others may go. */
export const hasProvedEmail = (db: Pick<Builders, 'select'>, userId: SQL): SQL =>
  exists(
    db
      .select({ one: sql`1` })
      .from(identities)
      .where(
        and(
          eq(identities.userId, userId),
          eq(identities.provider, 'EMAIL').inlineParams(),
          eq(identities.verified, true),
        ),
      ),
  )

/** The columns and new rows that change the results of `isProvedUser`. */
export const proofs: Watched = {
  columns: [identities.userId, identities.verified, users.createdByAdmin, userRoles.roleId],
  inserts: [identities, userRoles],
}

/**
 * The user who signs in with this e-mail or phone and a password. It may be a mere claim, so only the check of that user's own
 * password may use it; `test/architecture` refuses other callers.
 */
export const userForPasswordSignIn = async (
  db: Db | Tx,
  provider: ContactProvider,
  credential: string,
): Promise<UserRow | undefined> => (await findHolder(db, provider, credential))?.user

/** The user of the field "account", under the same condition: their own password, or a code that was given to them, must prove who they are. */
export const findByAccount = (db: Db | Tx, { kind, key }: Account): Promise<UserRow | undefined> =>
  kind === 'username' ? userByUsername(db, key) : userForPasswordSignIn(db, kind === 'email' ? 'EMAIL' : 'PHONE', key)

export const identitiesOf = (db: Db | Tx, userId: number): Promise<OwnIdentity[]> => identitiesByUser(db, { userId })

/**
 * The user and identity that a proof of the credential opens, for example a code for signing in or for a new password. The identity may be unverified: then the code
 * proves it. Undefined if nobody has the credential, or if it is a mere claim. An account with a second factor belongs to the person who
 * enabled it, so codes to its unverified address open nothing either. Nor do they open an account with a PLATFORM role: another administrator
 * may have typed an address of their own when they created the account.
 */
export async function holderForCodeSignIn(
  db: Db | Tx,
  provider: Provider,
  credential: string,
): Promise<Holder | undefined> {
  const holder = await findHolder(db, provider, credential)
  if (holder === undefined) return undefined
  const { identity, user } = holder
  if (identity.verified) return holder
  if (isMereClaim(identity, await identitiesOf(db, user.id))) return undefined
  return (await hasSecondFactor(db, user.id)) || (await holdsPlatformRole(db, user.id)) ? undefined : holder
}

/** Whether the user has a second factor: codes of an authenticator app, or required passkeys. */
export const hasSecondFactor = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await withSecondFactor(db, [userId])).size > 0

/** Those of the users who have a second factor. */
export async function withSecondFactor(db: Db | Tx, userIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (userIds.length === 0) return new Set()
  const byApp = db
    .select({ userId: totpSecrets.userId })
    .from(totpSecrets)
    .where(and(isOneOf(totpSecrets.userId, userIds), isNotNull(totpSecrets.confirmedAt)))
  const byPasskey = db
    .select({ userId: requiredPasskeys.userId })
    .from(requiredPasskeys)
    .where(inArray(requiredPasskeys.userId, [...userIds]))
  return new Set((await byApp.unionAll(byPasskey)).map((row) => row.userId))
}

/** Read from the database, not from the cache of permissions. */
export async function holdsPlatformRole(db: Db | Tx, userId: number): Promise<boolean> {
  const rows = await db
    .select({ id: userRoles.userId })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(and(eq(userRoles.userId, userId), eq(roles.domain, 'PLATFORM')))
    .limit(1)
  return rows.length > 0
}

/** In the order of their ids. */
export const usersById = (db: Db, ids: readonly number[]) =>
  db
    .select({
      id: users.id,
      username: users.username,
      nickname: users.nickname,
      status: users.status,
      createdAt: users.createdAt,
    })
    .from(users)
    .where(inArray(users.id, [...ids]))
    .orderBy(users.id)

/**
 * Active users among the ids greater than `after` and up to `upTo` whom only a device can sign in, who never set anything, were created
 * before `before` (epoch milliseconds), and whose sessions and account links have ended at `now`.
 */
export async function findUnusedDeviceUsers(
  db: Db | Tx,
  { after, upTo, before, now }: { after: number; upTo: number; before: number; now: number },
): Promise<number[]> {
  const otherIdentity = db
    .select({ id: identities.id })
    .from(identities)
    .where(and(eq(identities.userId, users.id), ne(identities.provider, 'DEVICE')))
  const session = db
    .select({ id: sessions.id })
    .from(sessions)
    // `+`, so that no statistics make SQLite look for all active sessions of the server in the index of their ends.
    .where(and(eq(sessions.userId, users.id), eq(sessions.status, 'ACTIVE'), sql`+${sessions.expiredAt} > ${now}`))
  const link = db
    .select({ id: accountLinks.id })
    .from(accountLinks)
    .where(or(eq(accountLinks.ownerUserId, users.id), eq(accountLinks.linkedUserId, users.id)))
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        gt(users.id, after),
        lte(users.id, upTo),
        eq(users.status, 'ACTIVE'),
        lt(users.createdAt, before),
        isNull(users.usernameKey),
        isNull(users.passwordHash),
        isNull(users.signature),
        isNull(users.avatar),
        notExists(otherIdentity),
        notExists(session),
        notExists(link),
      ),
    )
    .orderBy(users.id)
  return rows.map((row) => row.id)
}

export async function largestUserId(db: Db): Promise<number> {
  const [row] = await db.select({ id: users.id }).from(users).orderBy(desc(users.id)).limit(1)
  return row?.id ?? 0
}

/** A password as it is stored. */
export interface StoredPassword {
  readonly hash: string
  /** Known only while the password is at hand. */
  readonly isStrong: boolean
  /** An administrator without SYSTEM_ADMIN chose it and would have the permissions of the user. */
  readonly isForeign?: boolean
  /** Its user has not chosen it. */
  readonly isInitial?: boolean
}

/** The columns of a user that hold the password. */
export const passwordColumns = (password: StoredPassword | null) => ({
  passwordHash: password?.hash ?? null,
  passwordIsStrong: password?.isStrong ?? false,
  passwordIsForeign: password?.isForeign ?? false,
  passwordIsInitial: password?.isInitial ?? false,
})

export interface NewUser {
  username: string | null
  nickname: string
  password: StoredPassword | null
  createdByAdmin?: boolean
}

/** Undefined if the username is taken. */
export async function insertUser(tx: Tx, user: NewUser): Promise<UserRow | undefined> {
  if (user.username !== null && (await isHeld(tx, 'USERNAME', usernameKey(user.username)))) return undefined
  const rows = await tx
    .insert(users)
    .values({
      username: user.username,
      nickname: user.nickname,
      ...passwordColumns(user.password),
      createdByAdmin: user.createdByAdmin ?? false,
      usernameKey: user.username === null ? null : usernameKey(user.username),
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    })
    .onConflictDoNothing()
    .returning()
  for (const { id, username, nickname } of rows)
    note(tx, { type: 'user.created', id, data: { id, name: username ?? nickname } })
  return rows[0]
}

export interface NewIdentity {
  userId: number
  provider: Provider
  credential: string
  verified: boolean
  /** Key of the device on which a signed-in user binds it. */
  boundOn?: string
  /** Now by default; earlier for an address that is bound again. */
  createdAt?: number
  /** Of an OIDC identity. */
  issuer?: string
}

/** False if an account already has the credential, proved or as a claim. */
export async function insertIdentity(tx: Tx, identity: NewIdentity): Promise<boolean> {
  if (await isHeld(tx, identity.provider, identity.credential)) return false
  const rows = await tx
    .insert(identities)
    .values({ createdAt: tx.stamp, ...identity })
    .onConflictDoNothing({ target: [identities.provider, identities.credential] })
    .returning({ id: identities.id })
  return rows.length > 0
}

/** Deletes the identity if it is a claim, and returns it. */
export async function deleteClaim(tx: Tx, provider: Provider, credential: string): Promise<IdentityRow | undefined> {
  const rows = await tx
    .delete(identities)
    .where(
      and(eq(identities.provider, provider), eq(identities.credential, credential), eq(identities.verified, false)),
    )
    .returning()
  return rows[0]
}

export async function deleteIdentity(tx: Tx, userId: number, id: number): Promise<void> {
  await tx.delete(identities).where(and(eq(identities.userId, userId), eq(identities.id, id)))
}

export async function verifyIdentity(tx: Tx, userId: number, id: number): Promise<void> {
  await tx
    .update(identities)
    .set({ verified: true })
    .where(and(eq(identities.userId, userId), eq(identities.id, id)))
}

/** Removes all personal data and every way to sign in. The row is kept, because records and QR codes refer to it. */
export async function anonymizeUser(tx: Tx, userId: number, nickname: string): Promise<void> {
  await tx.delete(identities).where(eq(identities.userId, userId))
  await tx
    .update(users)
    .set({
      username: null,
      usernameKey: null,
      passwordHash: null,
      passwordIsInitial: false,
      nickname,
      signature: null,
      avatar: null,
      currentOrgId: null,
      status: 'DELETED',
      tokenVersion: sql`${users.tokenVersion} + 1`,
      updatedAt: tx.stamp,
    })
    .where(eq(users.id, userId))
}

export interface ProfileChange {
  nickname?: string
  signature?: string | null
  avatar?: string | null
}

export async function updateProfile(tx: Tx, userId: number, change: ProfileChange): Promise<UserRow | undefined> {
  const rows = await tx
    .update(users)
    .set({ ...change, updatedAt: updatedAtFor(users, change, tx.stamp) })
    .where(eq(users.id, userId))
    .returning()
  return rows[0]
}

/** Clears the pictures of those of the users that have one of these. */
export async function clearAvatars(tx: Tx, userIds: readonly number[], avatars: readonly string[]): Promise<void> {
  await tx
    .update(users)
    .set({ avatar: null, updatedAt: tx.stamp })
    .where(and(inArray(users.id, [...userIds]), inArray(users.avatar, [...avatars])))
}

const signedIn = prepared((db) =>
  db
    .update(users)
    .set({ lastLoginAt: sql`${sql.placeholder('at')}` })
    .where(eq(users.id, sql.placeholder('id'))),
)

/** `at`: epoch milliseconds. Leaves `updatedAt` as it is, because nothing that the user sees changes. */
export async function recordSignIn(tx: Tx, id: number, at: number): Promise<void> {
  await signedIn(tx, { id, at })
}

/** False if the user already has a username; violates `users_username_key` if another user has this one. */
export async function setUsernameOnce(tx: Tx, userId: number, username: string): Promise<boolean> {
  const rows = await tx
    .update(users)
    .set({ username, usernameKey: usernameKey(username), updatedAt: tx.stamp })
    .where(and(eq(users.id, userId), isNull(users.usernameKey)))
    .returning({ id: users.id })
  return rows.length > 0
}

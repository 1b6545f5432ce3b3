import { and, eq, inArray, isNull, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { identities, type Provider, users } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'

import { usernameKey } from '../rules.ts'
import { isMereClaim } from './rules.ts'

export type UserRow = typeof users.$inferSelect
export type IdentityRow = typeof identities.$inferSelect

const byId = prepared((db) =>
  db
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder('id'))),
)
const byUsernameKey = prepared((db) =>
  db
    .select()
    .from(users)
    .where(eq(users.usernameKey, sql.placeholder('key'))),
)
const byIdentity = prepared((db) =>
  db
    .select({ user: users })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(
      and(
        eq(identities.provider, sql.placeholder('provider')),
        eq(identities.credential, sql.placeholder('credential')),
      ),
    ),
)
const identitiesByUser = prepared((db) =>
  db
    .select()
    .from(identities)
    .where(eq(identities.userId, sql.placeholder('userId')))
    .orderBy(identities.id),
)

export const userById = async (db: Db | Tx, id: number): Promise<UserRow | undefined> => (await byId(db, { id }))[0]

export const userByUsername = async (db: Db | Tx, username: string): Promise<UserRow | undefined> =>
  (await byUsernameKey(db, { key: usernameKey(username) }))[0]

/** `credential`: normalized as it is stored. */
export const userByIdentity = async (
  db: Db | Tx,
  provider: Provider,
  credential: string,
): Promise<UserRow | undefined> => (await byIdentity(db, { provider, credential }))[0]?.user

export const identitiesOf = (db: Db | Tx, userId: number): Promise<IdentityRow[]> => identitiesByUser(db, { userId })

/** The user and identity that a code to this credential opens; undefined if there is none, or if it is a mere claim. */
export async function findByCodeCredential(
  db: Db | Tx,
  provider: Provider,
  credential: string,
): Promise<{ user: UserRow; identity: IdentityRow } | undefined> {
  const user = await userByIdentity(db, provider, credential)
  if (user === undefined) return undefined
  const all = await identitiesOf(db, user.id)
  const identity = all.find((i) => i.provider === provider && i.credential === credential)
  return identity === undefined || isMereClaim(identity, all) ? undefined : { user, identity }
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

export interface NewUser {
  username: string | null
  nickname: string
  passwordHash: string | null
}

/** Undefined if the username is taken. */
export async function insertUser(tx: Tx, user: NewUser): Promise<UserRow | undefined> {
  const rows = await tx
    .insert(users)
    .values({
      ...user,
      usernameKey: user.username === null ? null : usernameKey(user.username),
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    })
    .onConflictDoNothing({ target: users.usernameKey })
    .returning()
  return rows[0]
}

export interface NewIdentity {
  userId: number
  provider: Provider
  credential: string
  verified: boolean
}

/** False if the credential is already bound. */
export async function insertIdentity(tx: Tx, identity: NewIdentity): Promise<boolean> {
  const rows = await tx
    .insert(identities)
    .values({ ...identity, createdAt: tx.stamp })
    .onConflictDoNothing({ target: [identities.provider, identities.credential] })
    .returning({ id: identities.id })
  return rows.length > 0
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
      nickname,
      signature: null,
      avatarUrl: null,
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
  avatarUrl?: string | null
}

export async function updateProfile(tx: Tx, userId: number, change: ProfileChange): Promise<UserRow | undefined> {
  const rows = await tx
    .update(users)
    .set({ ...change, updatedAt: tx.stamp })
    .where(eq(users.id, userId))
    .returning()
  return rows[0]
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

/** False if the user already has a password. */
export async function setPasswordOnce(tx: Tx, userId: number, passwordHash: string): Promise<boolean> {
  const rows = await tx
    .update(users)
    .set({ passwordHash, updatedAt: tx.stamp })
    .where(and(eq(users.id, userId), isNull(users.passwordHash)))
    .returning({ id: users.id })
  return rows.length > 0
}

/**
 * Stores a hash of the same password with other parameters. Returns false and changes nothing if the stored hash is no longer
 * `before`.
 */
export async function rehashPassword(tx: Tx, userId: number, before: string, after: string): Promise<boolean> {
  const rows = await tx
    .update(users)
    .set({ passwordHash: after })
    .where(and(eq(users.id, userId), eq(users.passwordHash, before)))
    .returning({ id: users.id })
  return rows.length > 0
}

/** Sets or (null) removes the password; earlier access tokens stop working. */
export async function replacePassword(tx: Tx, userId: number, passwordHash: string | null): Promise<void> {
  await tx
    .update(users)
    .set({ passwordHash, tokenVersion: sql`${users.tokenVersion} + 1`, updatedAt: tx.stamp })
    .where(eq(users.id, userId))
}

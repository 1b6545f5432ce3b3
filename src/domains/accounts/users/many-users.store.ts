/** Users that an import makes or changes: a few statements for thousands of rows. */

import { and, eq, sql } from 'drizzle-orm'

import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { note } from '#db/notes.ts'
import { prepared } from '#db/prepared.ts'
import { roles, userRoles } from '#db/schema/access.ts'
import { type ContactProvider, identities, users, type UserStatus } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'
import { pause } from '#lib/pause.ts'

import { usernameKey } from '../accounts.rules.ts'

/** Rows of one statement, which takes a millisecond or two. Other requests run before the next one. */
export const USERS_AT_ONCE = 100

/** The rows that `find` returns for all of `keys`, with pauses for other requests. */
async function inPieces<Key, Row>(
  keys: readonly Key[],
  find: (some: readonly Key[]) => PromiseLike<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (let at = 0; at < keys.length; at += USERS_AT_ONCE) {
    if (at > 0) await pause()
    found.push(...(await find(keys.slice(at, at + USERS_AT_ONCE))))
  }
  return found
}

const newUser = jsonRows('given', {
  username: 'text',
  usernameKey: 'text',
  nickname: 'text',
  createdByAdmin: 'bool',
  stamp: 'int',
})
const insertUsers = prepared((db) =>
  insertFrom(db, users, {
    rows: newUser.rows,
    username: newUser.username,
    usernameKey: newUser.usernameKey,
    nickname: newUser.nickname,
    createdByAdmin: newUser.createdByAdmin,
    createdAt: newUser.stamp,
    updatedAt: newUser.stamp,
  })
    .onConflictDoNothing()
    .returning({ id: users.id, key: users.usernameKey }),
)

export interface ImportedUser {
  readonly username: string
  readonly nickname: string
}

/** Without passwords, at most `USERS_AT_ONCE`. Returns their ids by `usernameKey`; those whose usernames are taken are left out. */
export async function insertManyUsers(tx: Tx, list: readonly ImportedUser[]): Promise<Map<string, number>> {
  const rows = list.map(({ username, nickname }) => ({
    username,
    nickname,
    usernameKey: usernameKey(username),
    createdByAdmin: true,
    stamp: tx.stamp,
  }))
  const ids = new Map((await insertUsers(tx, newUser.values(rows))).map(({ id, key }) => [key!, id]))
  for (const { username, usernameKey: key } of rows) {
    const id = ids.get(key)
    if (id !== undefined) note(tx, { type: 'user.created', id, data: { id, name: username } })
  }
  return ids
}

const newClaim = jsonRows('given', {
  userId: 'int',
  provider: 'text',
  credential: 'text',
  verified: 'bool',
  stamp: 'int',
})
const insertIdentities = prepared((db) =>
  insertFrom(db, identities, {
    rows: newClaim.rows,
    userId: newClaim.userId,
    provider: newClaim.provider,
    credential: newClaim.credential,
    verified: newClaim.verified,
    createdAt: newClaim.stamp,
  })
    .onConflictDoNothing({ target: [identities.provider, identities.credential] })
    .returning({ id: identities.id }),
)

export interface Claim {
  readonly userId: number
  readonly provider: ContactProvider
  readonly credential: string
}

/** False if another account has one of them: the write must then be given up. */
export async function insertClaims(tx: Tx, claims: readonly Claim[]): Promise<boolean> {
  if (claims.length === 0) return true
  const rows = claims.map((claim) => ({ ...claim, verified: false, stamp: tx.stamp }))
  return (await insertIdentities(tx, newClaim.values(rows))).length === claims.length
}

export interface KnownUser {
  readonly id: number
  readonly key: string
  readonly nickname: string
  readonly status: UserStatus
  readonly createdByAdmin: boolean
}

const wantedKey = jsonRows('given', { key: 'text' })
const findUsers = prepared((db) =>
  db
    .select({
      id: users.id,
      key: users.usernameKey,
      nickname: users.nickname,
      status: users.status,
      createdByAdmin: users.createdByAdmin,
    })
    .from(wantedKey.rows)
    .innerJoin(users, eq(users.usernameKey, wantedKey.key)),
)

/** By `usernameKey`, which the caller makes. */
export async function usersByKeys(db: Db | Tx, keys: readonly string[]): Promise<Map<string, KnownUser>> {
  const rows = await inPieces(keys, (some) => findUsers(db, wantedKey.values(some.map((key) => ({ key })))))
  return new Map(rows.map((row) => [row.key!, { ...row, key: row.key! }]))
}

const wantedCredential = jsonRows('given', { provider: 'text', credential: 'text' })
const findHolders = prepared((db) =>
  db
    .select({ credential: identities.credential, userId: identities.userId })
    .from(wantedCredential.rows)
    .innerJoin(
      identities,
      and(eq(identities.provider, wantedCredential.provider), eq(identities.credential, wantedCredential.credential)),
    ),
)

/** The ids of the users who have these e-mails or phones, proved or claimed. To refuse them, not to find people. */
export async function holdersOf(
  db: Db | Tx,
  provider: ContactProvider,
  credentials: readonly string[],
): Promise<Map<string, number>> {
  const rows = await inPieces(credentials, (some) =>
    findHolders(db, wantedCredential.values(some.map((credential) => ({ provider, credential })))),
  )
  return new Map(rows.map(({ credential, userId }) => [credential, userId]))
}

const wantedUser = jsonRows('given', { id: 'int' })
const findAdministrators = prepared((db) =>
  db
    .select({ userId: userRoles.userId })
    .from(wantedUser.rows)
    .innerJoin(userRoles, eq(userRoles.userId, wantedUser.id))
    .innerJoin(roles, and(eq(roles.id, userRoles.roleId), eq(roles.domain, 'PLATFORM'))),
)

/** Those of the users who hold a PLATFORM role. */
export async function administratorsAmong(db: Db | Tx, userIds: readonly number[]): Promise<Set<number>> {
  const rows = await inPieces(userIds, (some) => findAdministrators(db, wantedUser.values(some.map((id) => ({ id })))))
  return new Set(rows.map(({ userId }) => userId))
}

const changed = jsonRows('given', { id: 'int', nickname: 'text', stamp: 'int' })
const rename = prepared((db) =>
  db
    .update(users)
    .set({ nickname: sql`${changed.nickname}`, updatedAt: sql`${changed.stamp}` as never })
    .from(changed.rows as never)
    .where(eq(users.id, changed.id)),
)

/** At most `USERS_AT_ONCE` users, whose nicknames differ. */
export async function renameUsers(
  tx: Tx,
  list: readonly { readonly id: number; readonly nickname: string }[],
): Promise<void> {
  if (list.length > 0) await rename(tx, changed.values(list.map((one) => ({ ...one, stamp: tx.stamp }))))
}

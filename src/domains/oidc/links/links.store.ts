import { and, count, eq, exists, inArray, isNotNull, isNull, ne, not, notExists, or, type SQL, sql } from 'drizzle-orm'

import { isAnyOf } from '#db/dialect.ts'
import { roles, userRoles } from '#db/schema/access.ts'
import { identities, sessions, users } from '#db/schema/accounts.ts'
import { oidcProviders, oidcSessions } from '#db/schema/oidc.ts'
import type { Db, Tx } from '#db/store.ts'

/** The identity with its user. `boundOn`: empty unless the user linked it while signed in. */
export async function findIdentity(db: Db | Tx, credential: string) {
  const rows = await db
    .select({ id: identities.id, userId: identities.userId, boundOn: identities.boundOn, status: users.status })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.provider, 'OIDC'), eq(identities.credential, credential)))
  return rows[0]
}
export type FoundIdentity = NonNullable<Awaited<ReturnType<typeof findIdentity>>>

export async function noteUse(tx: Tx, userId: number, credential: string, now: number): Promise<void> {
  await tx
    .update(identities)
    .set({ lastUsedAt: now })
    .where(and(eq(identities.provider, 'OIDC'), eq(identities.credential, credential), eq(identities.userId, userId)))
}

/** The user has linked an identity while signed in that came with the account before. */
export async function noteLinked(tx: Tx, id: number, deviceKey: string): Promise<void> {
  await tx.update(identities).set({ boundOn: deviceKey }).where(eq(identities.id, id))
}

export async function insertSession(tx: Tx, row: typeof oidcSessions.$inferInsert): Promise<void> {
  await tx.insert(oidcSessions).values(row)
}

/** A function that gives another session the provider of this one, with which it ends; undefined without a provider. */
export async function originOf(tx: Tx, sessionId: number): Promise<((other: number) => Promise<void>) | undefined> {
  const [row] = await tx.select().from(oidcSessions).where(eq(oidcSessions.sessionId, sessionId))
  return row && ((other) => insertSession(tx, { ...row, sessionId: other }))
}

/** The session of a provider, with its provider. */
export async function findSession(db: Db, sessionId: number) {
  const rows = await db
    .select({ idToken: oidcSessions.idToken, provider: oidcProviders })
    .from(oidcSessions)
    .innerJoin(oidcProviders, eq(oidcProviders.id, oidcSessions.providerId))
    .where(eq(oidcSessions.sessionId, sessionId))
  return rows[0]
}

const active = (tx: Db | Tx) =>
  tx
    .select({ id: sessions.id, userId: sessions.userId, sid: oidcSessions.sid })
    .from(oidcSessions)
    .innerJoin(sessions, eq(sessions.id, oidcSessions.sessionId))

/** Active sessions that were opened with the identity. */
export const sessionsOfIdentity = (tx: Tx, credential: string) =>
  active(tx).where(and(eq(oidcSessions.credential, credential), eq(sessions.status, 'ACTIVE')))

/** Active sessions that the provider opened for its session `sid`, a hash. */
export const sessionsOfSid = (tx: Tx, providerId: number, sid: string) =>
  active(tx).where(
    and(eq(oidcSessions.providerId, providerId), eq(oidcSessions.sid, sid), eq(sessions.status, 'ACTIVE')),
  )

/** Active sessions that the provider opened for the identity. */
export const sessionsOfProviderAndIdentity = (tx: Tx, providerId: number, credential: string) =>
  active(tx).where(
    and(
      eq(oidcSessions.providerId, providerId),
      eq(oidcSessions.credential, credential),
      eq(sessions.status, 'ACTIVE'),
    ),
  )

const enabledProvider = (db: Db | Tx) =>
  db
    .select({ one: sql`1` })
    .from(oidcProviders)
    .where(and(eq(oidcProviders.id, oidcSessions.providerId), eq(oidcProviders.enabled, true)))

/** Sessions whose provider is disabled or deleted, at most `limit`. */
export const orphanedSessions = (tx: Tx, limit: number) =>
  active(tx)
    .where(and(eq(sessions.status, 'ACTIVE'), notExists(enabledProvider(tx))))
    .limit(limit)

/** Deletes the ID tokens and ids of the sessions of a user whose account is deleted. */
export async function deleteSessionsOf(tx: Tx, userId: number): Promise<void> {
  const own = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.userId, userId))
  await tx.delete(oidcSessions).where(inArray(oidcSessions.sessionId, own))
}

/** Active sessions of the provider, at most `limit`. */
export const sessionsOfProvider = (tx: Tx, providerId: number, limit: number) =>
  active(tx)
    .where(and(eq(oidcSessions.providerId, providerId), eq(sessions.status, 'ACTIVE')))
    .limit(limit)

/** The user's active sessions that were opened with identities which the user has not linked while signed in. */
export const sessionsOfForeignLinks = (tx: Tx, userId: number) =>
  active(tx)
    .innerJoin(identities, and(eq(identities.provider, 'OIDC'), eq(identities.credential, oidcSessions.credential)))
    .where(and(eq(sessions.userId, userId), eq(sessions.status, 'ACTIVE'), eq(identities.boundOn, '')))

/** Deletes at most `limit` identities of issuers that no provider has. Returns how many. */
export async function deleteOrphanedIdentities(tx: Tx, limit: number): Promise<number> {
  const known = tx
    .select({ one: sql`1` })
    .from(oidcProviders)
    .where(eq(oidcProviders.issuer, identities.issuer))
  const some = tx
    .select({ id: identities.id })
    .from(identities)
    .where(and(isNotNull(identities.issuer), notExists(known)))
    .limit(limit)
  const rows = await tx.delete(identities).where(isAnyOf(identities.id, some)).returning({ id: identities.id })
  return rows.length
}

const holdsRole = (db: Db | Tx): SQL =>
  exists(
    db
      .select({ one: sql`1` })
      .from(userRoles)
      .innerJoin(roles, eq(roles.id, userRoles.roleId))
      .where(and(eq(userRoles.userId, users.id), eq(roles.domain, 'PLATFORM'))),
  )

/**
 * Active users who can sign in only by identities of `issuer`. `others`: issuers of the other enabled providers. `onlyProviders`: the settings leave
 * other ways to administrators.
 */
export async function countStranded(
  db: Db | Tx,
  { issuer, others, onlyProviders }: { issuer: string; others: readonly string[]; onlyProviders: boolean },
): Promise<number> {
  const own = db.select({ userId: identities.userId }).from(identities).where(eq(identities.issuer, issuer))
  const identity = (where: SQL | undefined) =>
    exists(
      db
        .select({ one: sql`1` })
        .from(identities)
        .where(and(eq(identities.userId, users.id), where)),
    )
  const byProvider = others.length === 0 ? sql`1 = 0` : identity(inArray(identities.issuer, [...others]))
  const isLocal = isNull(identities.issuer)
  const hasName = or(isNotNull(users.username), identity(inArray(identities.provider, ['PHONE', 'EMAIL'])))
  const byOther = or(
    identity(and(isLocal, or(eq(identities.provider, 'DEVICE'), eq(identities.verified, true)))),
    and(isNotNull(users.passwordHash), hasName),
  )!
  const local = onlyProviders ? and(byOther, holdsRole(db))! : byOther
  const rows = await db
    .select({ n: count() })
    .from(users)
    .where(and(inArray(users.id, own), ne(users.status, 'DELETED'), not(or(byProvider, local)!)))
  return Number(rows[0]?.n ?? 0)
}

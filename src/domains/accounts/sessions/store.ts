import { and, asc, desc, eq, inArray, lt, lte, ne, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { refreshTokens, sessions, type SessionStatus, users } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'

export type SessionRow = typeof sessions.$inferSelect

/** The columns that are checked on every request. */
const activeForRequest = prepared((db) =>
  db
    .select({
      id: sessions.id,
      userId: sessions.userId,
      deviceKey: sessions.deviceKey,
      expiredAt: sessions.expiredAt,
      tokenVersion: users.tokenVersion,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, sql.placeholder('id')), eq(sessions.status, 'ACTIVE'), eq(users.status, 'ACTIVE'))),
)
const ownById = prepared((db) =>
  db
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, sql.placeholder('id')), eq(sessions.userId, sql.placeholder('userId')))),
)
const activeByUser = prepared((db) =>
  db
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, sql.placeholder('userId')),
        eq(sessions.status, 'ACTIVE'),
        sql`${sessions.expiredAt} > ${sql.placeholder('now')}`,
      ),
    )
    .orderBy(desc(sessions.id)),
)
const byRefreshToken = prepared((db) =>
  db
    .select({
      session: sessions,
      user: { status: users.status, tokenVersion: users.tokenVersion },
      token: { generation: refreshTokens.generation, expiresAt: refreshTokens.expiresAt },
    })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(refreshTokens.hash, sql.placeholder('hash'))),
)

export const findForRequest = async (db: Db, id: number) => (await activeForRequest(db, { id }))[0]

/** A session of the user, even if it has ended. */
export const findOwn = async (db: Db | Tx, userId: number, id: number): Promise<SessionRow | undefined> =>
  (await ownById(db, { userId, id }))[0]

/** Newest first; at most `MAX_ACTIVE_SESSIONS`. */
export const activeOf = (db: Db | Tx, userId: number, now: number): Promise<SessionRow[]> =>
  activeByUser(db, { userId, now })

export const findByRefreshToken = async (db: Db | Tx, hash: string) => (await byRefreshToken(db, { hash }))[0]

export interface NewSession {
  userId: number
  deviceKey: string
  deviceName: string
  loginType: string
  ipAddress: string
  city: string
  expiredAt: number
  now: number
}

/** Deletes the user's session on this device, with its refresh tokens. Returns its id. */
export async function deleteOfDevice(tx: Tx, userId: number, deviceKey: string): Promise<number | undefined> {
  const rows = await tx
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.deviceKey, deviceKey)))
    .returning({ id: sessions.id })
  return rows[0]?.id
}

export async function insertSession(tx: Tx, session: NewSession): Promise<number> {
  const { now, ...columns } = session
  const rows = await tx
    .insert(sessions)
    .values({ ...columns, lastActiveAt: now, rotatedAt: now, createdAt: now })
    .returning({ id: sessions.id })
  return rows[0]!.id
}

export async function insertRefreshToken(
  tx: Tx,
  token: { hash: string; sessionId: number; generation: number; expiresAt: number },
): Promise<void> {
  await tx.insert(refreshTokens).values(token)
}

/** Starts the next generation of refresh tokens. False if another request did so first, or the session has ended. */
export async function advanceGeneration(
  tx: Tx,
  session: { id: number; generation: number },
  now: number,
  expiredAt: number,
): Promise<boolean> {
  const rows = await tx
    .update(sessions)
    .set({ generation: session.generation + 1, rotatedAt: now, lastActiveAt: now, expiredAt })
    .where(and(eq(sessions.id, session.id), eq(sessions.generation, session.generation), eq(sessions.status, 'ACTIVE')))
    .returning({ id: sessions.id })
  return rows.length > 0
}

/** Ends the active ones of these sessions of a user. Returns their ids. */
export async function endSessions(
  tx: Tx,
  userId: number,
  which: { ids: readonly number[] } | 'all',
  status: Exclude<SessionStatus, 'ACTIVE'> = 'REVOKED',
): Promise<number[]> {
  if (which !== 'all' && which.ids.length === 0) return []
  const rows = await tx
    .update(sessions)
    .set({ status })
    .where(
      and(
        eq(sessions.userId, userId),
        eq(sessions.status, 'ACTIVE'),
        which === 'all' ? undefined : inArray(sessions.id, [...which.ids]),
      ),
    )
    .returning({ id: sessions.id })
  return rows.map((row) => row.id)
}

/** The user's sessions on devices with one of these keys, even if they have ended. */
export async function sessionsOfDevice(tx: Tx, userId: number, deviceKeys: readonly string[]): Promise<SessionRow[]> {
  return tx
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), inArray(sessions.deviceKey, [...deviceKeys])))
    .orderBy(asc(sessions.id))
}

export async function saveActivity(tx: Tx, id: number, at: number): Promise<void> {
  await tx
    .update(sessions)
    .set({ lastActiveAt: at })
    .where(and(eq(sessions.id, id), lt(sessions.lastActiveAt, at)))
}

/** Marks expired sessions, of one user or of all. Returns their ids. */
export async function expireSessions(tx: Tx, now: number, userId?: number): Promise<number[]> {
  const rows = await tx
    .update(sessions)
    .set({ status: 'EXPIRED' })
    .where(
      and(
        eq(sessions.status, 'ACTIVE'),
        lte(sessions.expiredAt, now),
        userId === undefined ? undefined : eq(sessions.userId, userId),
      ),
    )
    .returning({ id: sessions.id })
  return rows.map((row) => row.id)
}

/** Deletes expired refresh tokens, and ended sessions whose lifetime was over at `before`. */
export async function deleteOld(tx: Tx, now: number, before: number): Promise<void> {
  await tx.delete(refreshTokens).where(lte(refreshTokens.expiresAt, now))
  await tx.delete(sessions).where(and(ne(sessions.status, 'ACTIVE'), lte(sessions.expiredAt, before)))
}

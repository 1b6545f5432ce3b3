import { and, asc, countDistinct, desc, eq, gte, inArray, isNotNull, lt, lte, ne, sql } from 'drizzle-orm'

import { isAnyOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { refreshTokens, sessions, users } from '#db/schema/accounts.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'

export type SessionRow = typeof sessions.$inferSelect

/** The columns that are checked on every request. */
const activeForRequest = prepared((db) =>
  db
    .select({
      id: sessions.id,
      userId: sessions.userId,
      deviceKey: sessions.deviceKey,
      expiredAt: sessions.expiredAt,
      locale: sessions.locale,
      tokenVersion: users.tokenVersion,
      hasInitialPassword: users.passwordIsInitial,
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
      token: {
        generation: refreshTokens.generation,
        bySwitch: refreshTokens.bySwitch,
        expiresAt: refreshTokens.expiresAt,
      },
    })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(refreshTokens.hash, sql.placeholder('hash'))),
)

export const findForRequest = async (db: Db, id: number) => (await activeForRequest(db, { id }))[0]

const endOfSession = prepared((db) =>
  db
    .select({ status: sessions.status, expiredAt: sessions.expiredAt, userStatus: users.status })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.id, sql.placeholder('id'))),
)
export type EndedSession = Awaited<ReturnType<typeof endOfSession>>[number]

/** For a session that is no longer active, or whose user is not. Undefined if it was deleted. */
export const findEnded = async (db: Db, id: number): Promise<EndedSession | undefined> =>
  (await endOfSession(db, { id }))[0]

/** A session of the user, even if it has ended. */
export const findOwn = async (db: Db | Tx, userId: number, id: number): Promise<SessionRow | undefined> =>
  (await ownById(db, { userId, id }))[0]

/** Whether the session is one of the user and has not ended. */
export async function isOpenSession(db: Db, userId: number, id: number, now: number): Promise<boolean> {
  const session = await findOwn(db, userId, id)
  return session?.status === 'ACTIVE' && session.expiredAt > now
}

/** Newest first; at most `MAX_ACTIVE_SESSIONS`. */
export const activeOf = (db: Db | Tx, userId: number, now: number): Promise<SessionRow[]> =>
  activeByUser(db, { userId, now })

/** Devices with a session that was used at `since` or later and has not ended. */
export async function countDevicesSince(db: Db, since: number): Promise<number> {
  const [row] = await db
    .select({ n: countDistinct(sessions.deviceKey) })
    .from(sessions)
    .where(and(eq(sessions.status, 'ACTIVE'), gte(sessions.lastActiveAt, since)))
  return Number(row?.n ?? 0)
}

export const findByRefreshToken = async (db: Db | Tx, hash: string) => (await byRefreshToken(db, { hash }))[0]

export interface NewSession {
  userId: number
  deviceKey: string
  deviceName: string
  loginType: string
  ipAddress: string
  city: string
  locale: Locale
  expiredAt: number
  openedByUserId: number | null
  confirmedAt: number
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
  token: { hash: string; sessionId: number; generation: number; bySwitch: boolean; expiresAt: number },
): Promise<void> {
  await tx.insert(refreshTokens).values(token)
}

/** Stores that the user proved who they are in this session. False if the session has ended. */
export async function markConfirmed(tx: Tx, userId: number, id: number, now: number): Promise<boolean> {
  const rows = await tx
    .update(sessions)
    .set({ confirmedAt: now })
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId), eq(sessions.status, 'ACTIVE')))
    .returning({ id: sessions.id })
  return rows.length > 0
}

/** Starts the next generation of a chain. False if another request did so first, or the session has ended. */
export async function advanceGeneration(
  tx: Tx,
  id: number,
  { bySwitch, generation }: { bySwitch: boolean; generation: number },
  now: number,
  expiredAt: number,
): Promise<boolean> {
  const next = bySwitch
    ? { switchGeneration: generation + 1, switchRotatedAt: now }
    : { generation: generation + 1, rotatedAt: now }
  const current = bySwitch ? sessions.switchGeneration : sessions.generation
  const rows = await tx
    .update(sessions)
    .set({ ...next, lastActiveAt: now, expiredAt })
    .where(and(eq(sessions.id, id), eq(current, generation), eq(sessions.status, 'ACTIVE')))
    .returning({ id: sessions.id })
  return rows.length > 0
}

/** Deletes the refresh tokens that session switches gave out. */
export async function deleteSwitchTokens(tx: Tx, sessionId: number): Promise<void> {
  await tx.delete(refreshTokens).where(and(eq(refreshTokens.sessionId, sessionId), eq(refreshTokens.bySwitch, true)))
}

/** Which sessions: those of a user, or those of other accounts that a user opened by account links. */
export type WhichSessions = ({ readonly userId: number } | { readonly openedBy: number }) & {
  readonly userId?: number | undefined
  readonly openedBy?: number
  /** Only those that account links opened. */
  readonly isLinked?: boolean
  readonly ids?: readonly number[]
  readonly device?: string
  readonly exceptDevice?: string
}

/** Ends the active ones of these sessions. */
export async function endActive(
  tx: Tx,
  { userId, openedBy, isLinked, ids, device, exceptDevice }: WhichSessions,
): Promise<Pick<SessionRow, 'id' | 'userId' | 'deviceKey'>[]> {
  if (ids?.length === 0) return []
  return tx
    .update(sessions)
    .set({ status: 'REVOKED' })
    .where(
      and(
        eq(sessions.status, 'ACTIVE'),
        userId === undefined ? undefined : eq(sessions.userId, userId),
        openedBy === undefined ? undefined : eq(sessions.openedByUserId, openedBy),
        isLinked ? isNotNull(sessions.openedByUserId) : undefined,
        ids && inArray(sessions.id, [...ids]),
        device === undefined ? undefined : eq(sessions.deviceKey, device),
        exceptDevice === undefined ? undefined : ne(sessions.deviceKey, exceptDevice),
      ),
    )
    .returning({ id: sessions.id, userId: sessions.userId, deviceKey: sessions.deviceKey })
}

/** The user's sessions on devices with one of these keys, even if they have ended. */
export async function sessionsOfDevice(tx: Tx, userId: number, deviceKeys: readonly string[]): Promise<SessionRow[]> {
  return tx
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), inArray(sessions.deviceKey, [...deviceKeys])))
    .orderBy(asc(sessions.id))
}

/** `locale`: of the last request; undefined if it is stored already or not known. */
export async function saveActivity(tx: Tx, id: number, at: number, locale: Locale | undefined): Promise<void> {
  await tx
    .update(sessions)
    .set({ lastActiveAt: at, ...(locale && { locale }) })
    .where(and(eq(sessions.id, id), lt(sessions.lastActiveAt, at)))
}

/** Marks expired sessions, of one user or of all. Returns their ids. */
export async function expireSessions(
  tx: Tx,
  now: number,
  { userId, limit }: { readonly userId?: number; readonly limit: number },
): Promise<number[]> {
  const some = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.status, 'ACTIVE'),
        lte(sessions.expiredAt, now),
        userId === undefined ? undefined : eq(sessions.userId, userId),
      ),
    )
    .limit(limit)
  const rows = await tx
    .update(sessions)
    .set({ status: 'EXPIRED' })
    .where(isAnyOf(sessions.id, some))
    .returning({ id: sessions.id })
  return rows.map((row) => row.id)
}

/** Deletes at most `limit` expired refresh tokens. Returns how many it deleted. */
export const deleteExpiredTokens = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, refreshTokens, lte(refreshTokens.expiresAt, now), limit)

/** Deletes at most `limit` sessions that have ended and whose lifetime was over at `before`. Returns how many it deleted. */
export const deleteOldSessions = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, sessions, and(ne(sessions.status, 'ACTIVE'), lte(sessions.expiredAt, before))!, limit)

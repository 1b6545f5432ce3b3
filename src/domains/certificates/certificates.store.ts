import { and, desc, eq, inArray, isNull, lt, lte, notInArray, or } from 'drizzle-orm'

import { acmeAccounts, acmeChallenges, acmeFailures, acmeOrders, certificates } from '#db/schema/certificates.ts'
import type { Db, Tx } from '#db/store.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

export type CertificateRow = typeof certificates.$inferSelect
export type NewCertificate = Omit<typeof certificates.$inferInsert, 'id' | 'warnedAt' | 'createdAt'>
export type OrderRow = typeof acmeOrders.$inferSelect
export type AccountRow = typeof acmeAccounts.$inferSelect

/** Longer than any step of an order: each begins by extending it. */
const LEASE_MS = 5 * MINUTE
export const leaseFrom = (now: number): number => now + LEASE_MS
/** Of an order under way, its last step. Null: the last attempt succeeded, or there was none. */
export const lastAttemptAt = ({ holder, leaseUntil, fault }: OrderRow): number | null =>
  holder === null ? (fault?.at ?? null) : leaseUntil - LEASE_MS
/** Certificates that are kept: the present one, those of other names or authorities, and some to look at. */
const KEPT = 10

/** The newest first. */
export const findCertificates = (db: Db | Tx): Promise<CertificateRow[]> =>
  db.select().from(certificates).orderBy(desc(certificates.id)).limit(KEPT)

export async function insertCertificate(tx: Tx, row: NewCertificate): Promise<void> {
  await tx.insert(certificates).values({ ...row, createdAt: tx.stamp })
  const kept = (await findCertificates(tx)).map(({ id }) => id)
  await tx.delete(certificates).where(notInArray(certificates.id, kept))
}

/** Whether this process is to ask the authority when to renew. Of several, one is. */
export async function takeAsking(tx: Tx, id: number, now: number, next: number): Promise<boolean> {
  const taken = await tx
    .update(certificates)
    .set({ askAt: next })
    .where(and(eq(certificates.id, id), lte(certificates.askAt, now)))
    .returning({ id: certificates.id })
  return taken.length > 0
}

export const saveRenewal = async (tx: Tx, id: number, times: { renewAt: number; askAt?: number }): Promise<void> =>
  void (await tx.update(certificates).set(times).where(eq(certificates.id, id)))

/** Whether the caller has to notify the administrators. Of several callers, one has. */
export async function takeWarning(tx: Tx, id: number): Promise<boolean> {
  const taken = await tx
    .update(certificates)
    .set({ warnedAt: tx.stamp })
    .where(and(eq(certificates.id, id), isNull(certificates.warnedAt)))
    .returning({ id: certificates.id })
  return taken.length > 0
}

export async function findOrder(db: Db | Tx, target: string): Promise<OrderRow | undefined> {
  const [row] = await db.select().from(acmeOrders).where(eq(acmeOrders.target, target))
  return row
}

/** The order if this process may work on it now: no pause, and no other process that works on it. */
export async function claimOrder(tx: Tx, target: string, holder: string, now: number): Promise<OrderRow | undefined> {
  await tx
    .insert(acmeOrders)
    .values({ target, leaseUntil: 0, failures: 0, nextAt: 0 })
    .onConflictDoNothing({ target: acmeOrders.target })
  const [row] = await tx
    .update(acmeOrders)
    .set({ holder, leaseUntil: leaseFrom(now) })
    .where(
      and(
        eq(acmeOrders.target, target),
        lte(acmeOrders.nextAt, now),
        or(isNull(acmeOrders.holder), lt(acmeOrders.leaseUntil, now)),
      ),
    )
    .returning()
  return row
}

type OrderChange = Partial<Pick<OrderRow, 'holder' | 'leaseUntil' | 'key' | 'url' | 'failures' | 'nextAt' | 'fault'>>

/** False, and nothing is changed, if another process works on the order now. */
export async function updateOrder(tx: Tx, target: string, holder: string, change: OrderChange): Promise<boolean> {
  const changed = await tx
    .update(acmeOrders)
    .set(change)
    .where(and(eq(acmeOrders.target, target), eq(acmeOrders.holder, holder)))
    .returning({ target: acmeOrders.target })
  return changed.length > 0
}

/** Failed validations of a name in one hour, after which the authority would refuse more (the limit of Let's Encrypt). */
const MOST_FAILURES = 5

const validated = (name: string): string => name.replace(/^\*\./, '')

export async function insertFailure(tx: Tx, name: string, now: number): Promise<void> {
  await tx.delete(acmeFailures).where(lte(acmeFailures.at, now - HOUR))
  await tx.insert(acmeFailures).values({ name: validated(name), at: now })
}

/** The name of `names` of which too many validations have failed, and until when no more may; undefined if there is none. */
export async function findBlocked(
  tx: Tx,
  names: readonly string[],
  now: number,
): Promise<{ readonly name: string; readonly until: number } | undefined> {
  const rows = await tx
    .select()
    .from(acmeFailures)
    .where(inArray(acmeFailures.name, names.map(validated)))
    .orderBy(desc(acmeFailures.at), desc(acmeFailures.id))
  const blocked = [...Map.groupBy(rows, ({ name }) => name)].flatMap(([name, failures]) => {
    const until = (failures[MOST_FAILURES - 1]?.at ?? 0) + HOUR
    return until > now ? [{ name, until }] : []
  })
  return blocked.toSorted((a, b) => b.until - a.until)[0]
}

/** No attempt before `until`. */
export const postpone = async (tx: Tx, target: string, until: number): Promise<void> =>
  void (await tx
    .update(acmeOrders)
    .set({ nextAt: until })
    .where(and(eq(acmeOrders.target, target), lt(acmeOrders.nextAt, until))))

/** Does nothing if there was no attempt yet. */
export const endPause = async (tx: Tx, target: string): Promise<void> =>
  void (await tx.update(acmeOrders).set({ nextAt: 0 }).where(eq(acmeOrders.target, target)))

/** For the start of the only process on the database: the process that worked on an order has ended. */
export const endLeases = async (tx: Tx): Promise<void> => void (await tx.update(acmeOrders).set({ holder: null }))

export async function findAccount(db: Db | Tx, directory: string): Promise<AccountRow | undefined> {
  const [row] = await db.select().from(acmeAccounts).where(eq(acmeAccounts.directory, directory))
  return row
}

export async function saveAccount(tx: Tx, row: AccountRow): Promise<void> {
  await tx.insert(acmeAccounts).values(row).onConflictDoUpdate({ target: acmeAccounts.directory, set: row })
}

export async function findAnswer(db: Db, token: string): Promise<string | undefined> {
  const [row] = await db
    .select({ answer: acmeChallenges.answer })
    .from(acmeChallenges)
    .where(eq(acmeChallenges.token, token))
  return row?.answer
}

export async function saveAnswer(tx: Tx, row: typeof acmeChallenges.$inferInsert, now: number): Promise<void> {
  await tx.delete(acmeChallenges).where(lt(acmeChallenges.expiresAt, now))
  await tx
    .insert(acmeChallenges)
    .values(row)
    .onConflictDoUpdate({ target: acmeChallenges.token, set: { answer: row.answer, expiresAt: row.expiresAt } })
}

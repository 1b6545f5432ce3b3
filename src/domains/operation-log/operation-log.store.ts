import { desc, eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { adminLogCheckpoints, adminLogHead, adminLogs } from '#db/schema/operation-log.ts'
import type { Db, Tx } from '#db/store.ts'

import type { Head } from './operation-log.rules.ts'

export type LogRow = typeof adminLogs.$inferSelect
export type SignedHead = Head & { readonly signature: string }

const newest = prepared((db) =>
  db
    .select({ id: adminLogs.id, hash: adminLogs.hash, signature: adminLogs.signature })
    .from(adminLogs)
    .orderBy(desc(adminLogs.id))
    .limit(1),
)

export const newestRow = async (tx: Tx): Promise<Pick<LogRow, 'id' | 'hash' | 'signature'> | undefined> =>
  (await newest(tx))[0]

const headRow = prepared((db) => db.select().from(adminLogHead).where(eq(adminLogHead.id, 1)))

export const findHead = async (db: Db | Tx): Promise<SignedHead | undefined> => (await headRow(db))[0]

const upsertHead = prepared((db) => {
  const values = {
    rowId: sql.placeholder('rowId'),
    hash: sql.placeholder('hash'),
    rowCount: sql.placeholder('rowCount'),
    brokenAt: sql.placeholder('brokenAt'),
    signature: sql.placeholder('signature'),
  }
  return db
    .insert(adminLogHead)
    .values({ id: 1, ...values })
    .onConflictDoUpdate({
      target: adminLogHead.id,
      set: {
        rowId: sql`excluded.row_id`,
        hash: sql`excluded.hash`,
        rowCount: sql`excluded.row_count`,
        brokenAt: sql`excluded.broken_at`,
        signature: sql`excluded.signature`,
      },
    })
})

export const saveHead = async (tx: Tx, { rowId, hash, rowCount, brokenAt, signature }: SignedHead): Promise<void> =>
  void (await upsertHead(tx, { rowId, hash, rowCount, brokenAt, signature }))

const checkpoints = prepared((db) =>
  db.select().from(adminLogCheckpoints).orderBy(desc(adminLogCheckpoints.id)).limit(1),
)

export const newestCheckpoint = async (db: Db | Tx): Promise<typeof adminLogCheckpoints.$inferSelect | undefined> =>
  (await checkpoints(db))[0]

const namesByUser = prepared((db) =>
  db
    .select({ username: users.username, nickname: users.nickname })
    .from(users)
    .where(eq(users.id, sql.placeholder('userId'))),
)

/** The username, or else the nickname. */
export async function nameOf(tx: Tx, userId: number): Promise<string> {
  const user = (await namesByUser(tx, { userId }))[0]
  return user?.username ?? user?.nickname ?? ''
}

export const insertLog = async (tx: Tx, row: LogRow): Promise<void> => void (await tx.insert(adminLogs).values(row))

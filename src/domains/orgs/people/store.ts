import { and, asc, eq, gte, inArray, lt, ne, sql } from 'drizzle-orm'

import { lowered } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { identities, users } from '#db/schema/accounts.ts'
import type { Db } from '#db/store.ts'

const p = sql.placeholder
const shown = { id: users.id, nickname: users.nickname, avatarUrl: users.avatarUrl }
const active = eq(users.status, 'ACTIVE')
export interface FoundUser {
  id: number
  nickname: string
  avatarUrl: string | null
}

/** After every text that begins with what it is added to. */
const LAST_CHARACTER = '\u{10ffff}'

const byNickname = prepared((db) =>
  db
    .select(shown)
    .from(users)
    .where(
      and(
        gte(lowered(users.nickname), sql`lower(${p('from')})`),
        lt(lowered(users.nickname), sql`lower(${p('to')})`),
        active,
        ne(users.id, p('callerId')),
      ),
    )
    .orderBy(lowered(users.nickname), asc(users.id))
    .limit(p('limit')),
)
const byUsername = prepared((db) =>
  db
    .select(shown)
    .from(users)
    .where(and(eq(users.usernameKey, p('key')), active, ne(users.id, p('callerId')))),
)
const byEmail = prepared((db) =>
  db
    .select(shown)
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(
      and(eq(identities.provider, 'EMAIL'), eq(identities.credential, p('key')), active, ne(users.id, p('callerId'))),
    ),
)

/** Others by the beginning of their nickname, their whole username or their whole e-mail (lower case), each by an index. */
export async function searchUsers(db: Db, callerId: number, q: string, limit: number): Promise<FoundUser[]> {
  const key = q.toLowerCase()
  const found = [
    ...(await byUsername(db, { key, callerId })),
    ...(key.includes('@') ? await byEmail(db, { key, callerId }) : []),
    ...(await byNickname(db, { from: q, to: q + LAST_CHARACTER, callerId, limit })),
  ]
  return [...new Map(found.map((user) => [user.id, user])).values()].slice(0, limit)
}

/** Those of the ids that belong to people who can act. */
export async function activeAmong(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, [...ids]), active))
  return new Set(rows.map((row) => row.id))
}

/** User id by credential, for the e-mails or phones, as they are stored, that belong to people who can act. */
export async function idsByCredential(
  db: Db,
  provider: 'EMAIL' | 'PHONE',
  credentials: readonly string[],
): Promise<Map<string, number>> {
  if (credentials.length === 0) return new Map()
  const rows = await db
    .select({ credential: identities.credential, id: users.id })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.provider, provider), inArray(identities.credential, [...credentials]), active))
  return new Map(rows.map((row) => [row.credential, row.id]))
}

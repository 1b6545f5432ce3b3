import { and, asc, eq, ne } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'

/** The PLATFORM and APP roles of each of the users, oldest role first. */
export const personalRolesOf = (db: Db | Tx, userIds: readonly number[]) =>
  db
    .select({
      userId: userRoles.userId,
      id: roles.id,
      domain: roles.domain,
      code: roles.code,
      name: roles.name,
      isInitial: userRoles.isInitial,
    })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(and(isOneOf(userRoles.userId, userIds), ne(roles.domain, 'ORG'), eq(roles.scopeId, 0)))
    .orderBy(asc(roles.id))

/** Undefined if the user does not exist. */
export async function findPasswordState(db: Db | Tx, userId: number) {
  const { passwordHash, passwordIsStrong, passwordIsForeign } = users
  const [row] = await db
    .select({ passwordHash, isStrong: passwordIsStrong, isForeign: passwordIsForeign })
    .from(users)
    .where(eq(users.id, userId))
  return row && { hasPassword: row.passwordHash !== null, isStrong: row.isStrong, isForeign: row.isForeign }
}

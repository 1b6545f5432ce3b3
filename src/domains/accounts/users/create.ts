import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { bindRole, USER } from '#domains/access/index.ts'

import { insertUser, type NewUser, type UserRow } from './store.ts'

/** A user with what every user holds: the APP role USER. Undefined when the username is taken. */
export async function createUser(ctx: AppContext, tx: Tx, user: NewUser): Promise<UserRow | undefined> {
  const row = await insertUser(tx, user)
  if (row !== undefined) await bindRole(ctx, tx, row.id, 'APP', 0, USER)
  return row
}

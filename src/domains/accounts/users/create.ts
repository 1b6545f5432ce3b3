import type { AppContext } from '../../../context.ts'
import type { Tx } from '../../../db/store.ts'
import { digits } from '../../../platform/ids.ts'
import { bindRole, USER } from '../../access/index.ts'
import { insertUser, type NewUser, type UserRow } from './store.ts'

/** `User` and six digits. */
export const madeUpNickname = (): string => `User${digits(6)}`

/** A user with what every user holds: the APP role USER. Undefined when the username is taken. */
export async function createUser(
  ctx: AppContext,
  tx: Tx,
  user: Omit<NewUser, 'nickname'> & { nickname?: string | undefined },
): Promise<UserRow | undefined> {
  const row = await insertUser(tx, { ...user, nickname: user.nickname ?? madeUpNickname() })
  if (row !== undefined) await bindRole(ctx, tx, row.id, 'APP', 0, USER)
  return row
}

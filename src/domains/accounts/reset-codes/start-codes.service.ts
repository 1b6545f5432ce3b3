/** Users of an import, and the start codes with which they set their first password. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { bindRoleToAll, USER } from '#domains/access/index.ts'
import { DAY } from '#platform/clock.ts'

import { credentialTaken, usernameTaken } from '../accounts.errors.ts'
import { usernameKey } from '../accounts.rules.ts'
import { type Claim, insertClaims, insertManyUsers, USERS_AT_ONCE } from '../users/many-users.store.ts'
import { resetCodeHash } from './reset-codes.rules.ts'
import { saveResetCodes } from './reset-codes.store.ts'

const START_CODE_MS = 30 * DAY

export interface StartingUser {
  readonly username: string
  readonly nickname: string
  /** Claims, normalized. */
  readonly email?: string | undefined
  readonly phone?: string | undefined
  /** As it is shown; undefined for none. */
  readonly code: string | undefined
}

/**
 * Inside the write of an import: makes users without passwords, with their claims and start codes. Returns their ids in the order of the list.
 * `isForeign`: the caller who sees the codes does not hold SYSTEM_ADMIN. @throws AppError 400 if a name or a claim is taken by now
 */
export async function createManyUsers(
  ctx: AppContext,
  tx: Tx,
  list: readonly StartingUser[],
  { createdBy, isForeign }: { readonly createdBy: number; readonly isForeign: boolean },
): Promise<number[]> {
  const all: number[] = []
  const expiresAt = ctx.clock.now() + START_CODE_MS
  for (let at = 0; at < list.length; at += USERS_AT_ONCE) {
    const some = list.slice(at, at + USERS_AT_ONCE)
    const byKey = await insertManyUsers(tx, some)
    if (byKey.size < some.length) throw usernameTaken()
    const ids = some.map(({ username }) => byKey.get(usernameKey(username))!)
    await tx.pause()
    await bindRoleToAll(tx, ids, 'APP', 0, USER)
    const claims = some.flatMap(({ email, phone }, i): Claim[] => [
      ...(email === undefined ? [] : [{ userId: ids[i]!, provider: 'EMAIL' as const, credential: email }]),
      ...(phone === undefined ? [] : [{ userId: ids[i]!, provider: 'PHONE' as const, credential: phone }]),
    ])
    if (!(await insertClaims(tx, claims))) throw credentialTaken('EMAIL')
    await tx.pause()
    const codes = some.flatMap(({ code }, i) => {
      const userId = ids[i]!
      const hash = code === undefined ? undefined : resetCodeHash(ctx.seal, userId, code)
      return hash === undefined ? [] : [{ userId, kind: 'START', hash, createdBy, isForeign, expiresAt } as const]
    })
    await saveResetCodes(tx, codes)
    await tx.pause()
    all.push(...ids)
  }
  return all
}

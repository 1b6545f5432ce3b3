/** A new password in place of the one before, however its owner was recognized. */
import type { AppContext } from '../../../context.ts'
import type { Tx } from '../../../db/store.ts'
import type { Caller } from '../../../http/endpoint.ts'
import { dropCodes } from '../codes/store.ts'
import { deleteLinksInto } from '../links/store.ts'
import { recordLogin } from '../login-records/record.ts'
import { tell } from '../notices/tell.ts'
import { revokeAll } from '../sessions/open.ts'
import { identitiesOf, replacePassword } from '../users/store.ts'
import { unlock } from './guard.ts'

export interface NewPasswordBy {
  readonly device: { readonly key: string; readonly name: string }
  readonly ip: string
  readonly locale: Caller['locale']
}

/**
 * Inside a write. Everything that the old password, or whoever knew it, opened ends: tokens, sessions, links into the account,
 * codes on their way; and a lock with it. The caller signs in again.
 */
export async function installPassword(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  passwordHash: string,
  { device, ip, locale }: NewPasswordBy,
): Promise<void> {
  await replacePassword(tx, userId, passwordHash)
  await revokeAll(ctx, tx, userId)
  await deleteLinksInto(tx, userId)
  const bound = (await identitiesOf(tx, userId)).filter((i) => i.provider !== 'DEVICE')
  await dropCodes(
    tx,
    userId,
    bound.map((i) => i.credential),
  )
  await unlock(tx, userId)
  await recordLogin(ctx, tx, { userId, loginType: 'password_change', device, ip })
  await tell(ctx, tx, { userId, kind: 'PASSWORD_CHANGED', about: {}, deviceName: device.name, ip, locale })
}

/** A new password in place of the one before, however its owner was recognized. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'

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
  readonly locale: Locale
}

/** Inside a write. A new password; everything that the old one opened ends, and the caller signs in again. */
export async function installPassword(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  passwordHash: string,
  { device, ip, locale }: NewPasswordBy,
): Promise<void> {
  await exchange(ctx, tx, userId, passwordHash)
  await recordLogin(ctx, tx, { userId, loginType: 'password_change', device, ip })
  await tell(ctx, tx, { userId, kind: 'PASSWORD_CHANGED', about: {}, deviceName: device.name, ip, locale })
}

/**
 * Inside a write. The owner of an address that was only claimed at registration came with a code: whoever typed it there, perhaps to
 * wait for its owner, has neither password nor session any more.
 */
export async function dropClaimersPassword(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  { device, ip, locale }: NewPasswordBy,
): Promise<void> {
  await exchange(ctx, tx, userId, null)
  const line = {
    en: 'The address was confirmed by a code. The password given at registration is gone: set a new one.',
    zh: '邮箱已通过验证码确认。注册时设置的密码已失效，请设置新密码。',
  }
  await tell(ctx, tx, { userId, kind: 'PASSWORD_CHANGED', about: {}, deviceName: device.name, ip, locale, line })
}

/** Everything that the old password, or whoever knew it, opened ends: tokens, sessions, links into the account, codes, a lock. */
async function exchange(ctx: AppContext, tx: Tx, userId: number, passwordHash: string | null): Promise<void> {
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
}

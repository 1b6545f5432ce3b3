/** Undo links: the link that was sent to a replaced e-mail binds it again and ends all other access. See `offerUndo`. */

import type { AppContext } from '#context'
import { endSuppression } from '#domains/delivery/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { sha256 } from '#platform/ids.ts'

import { undoImpossible, undoLinkInvalid } from '../accounts.errors.ts'
import { UNDO_MS } from '../accounts.model.ts'
import { deletePasskeysOf, endRequirement } from '../assertions/assertions.store.ts'
import { factorChanged, insertProved } from '../credentials/credentials.service.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { nameOfAgent } from '../login-records/login-records.rules.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import { replacePassword } from '../passwords/passwords.store.ts'
import { deleteTotpSince } from '../totp/totp.store.ts'
import { deleteIdentity, identitiesOf, userById } from '../users/users.store.ts'
import * as store from './undos.store.ts'

/** The e-mail that the link binds again. @throws AppError 403 if the link was used, has expired or never existed. */
export async function checkUndoLink(ctx: AppContext, token: string): Promise<string> {
  const undo = await store.findUndo(ctx.db.read, sha256(token), ctx.clock.now())
  if (undo === undefined) throw undoLinkInvalid()
  return undo.email
}

/**
 * Binds the e-mail again, removes the password and everything that was bound since the change or shortly before it, and ends all
 * access. Of several callers with one link, one succeeds. Returns the e-mail.
 */
export async function restoreEmail(ctx: AppContext, token: string, caller: Caller): Promise<string> {
  // The record names no device: the request proves an address, not that it comes from a device of the user.
  const device = { key: '', name: nameOfAgent(caller.userAgent) }
  const event: LoginEvent = { loginType: 'email_restore', device, ip: caller.ip, locale: caller.locale }
  return ctx.db.write('accounts.restoreEmail', async (tx) => {
    const undo = await store.takeUndo(tx, sha256(token), ctx.clock.now())
    if (undo === undefined) throw undoLinkInvalid()
    const { userId, email, createdAt, boundAt, boundOn } = undo
    const user = await userById(tx, userId)
    if (user === undefined || user.status === 'DELETED') throw undoLinkInvalid()
    // Later links were sent to addresses of the person who replaced this one.
    await store.deleteUndosSince(tx, userId, createdAt)
    // A thief may have bound a phone, added a passkey or enabled a second factor first and replaced the e-mail afterwards.
    await store.deleteContactsSince(tx, userId, createdAt - UNDO_MS)
    await deleteTotpSince(tx, userId, createdAt - UNDO_MS)
    await endRequirement(tx, userId, createdAt - UNDO_MS)
    await deletePasskeysOf(tx, userId, { since: createdAt - UNDO_MS })
    const others = (await identitiesOf(tx, userId)).filter((i) => i.provider === 'EMAIL')
    for (const { id } of others) await deleteIdentity(tx, userId, id)
    const proved = { userId, provider: 'EMAIL', credential: email, boundOn, createdAt: boundAt } as const
    if (!(await insertProved(ctx, tx, proved, caller.locale))) throw undoImpossible()
    await endSuppression(ctx, tx, email)
    await replacePassword(tx, userId, null)
    await factorChanged(ctx, tx, 'EMAIL_RESTORED', { userId, deviceKey: device.key })
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, { kind: 'EMAIL_RESTORED', about: {} })
    return email
  })
}

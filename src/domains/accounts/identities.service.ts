/** Binding and unbinding phones and e-mails. */

import type { AppContext } from '#context'
import type { ContactProvider } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import { cityOf, resolveOneClickToken, sendLastNotice } from '#domains/delivery/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { credentialTaken, notBound, onlyWayToSignIn, sessionEnded } from './accounts.errors.ts'
import { UNDO_MS, UNDO_PATH } from './accounts.model.ts'
import { emailOf, phoneOf } from './accounts.rules.ts'
import type { CodeSent } from './codes/codes.model.ts'
import { checkCode, consumeCode, issueCode } from './codes/codes.service.ts'
import { requireConfirmation } from './confirmations/confirmations.service.ts'
import { insertProved, proveIdentity } from './credentials/credentials.service.ts'
import type { LoginEvent } from './login-records/login-records.model.ts'
import { ownEvent } from './login-records/login-records.rules.ts'
import { notifyAccountHolder, recordLogin } from './login-records/login-records.service.ts'
import { deleteUndosSince, deleteUndosTo, insertUndo, openUndosOf } from './undos/undos.store.ts'
import type { Unbound, UserView } from './users/users.model.ts'
import { canStillSignIn } from './users/users.rules.ts'
import { deleteIdentity, identitiesOf, type IdentityRow, userById, type UserRow } from './users/users.store.ts'
import { toUserView } from './users/users.view.ts'

const HINT = {
  en: 'Only this device can sign in to the account now: bind a phone or an e-mail, or set a username and a password',
  zh: '此账号现在只能通过本设备登录，请绑定手机号或邮箱，或设置用户名和密码',
}

/**
 * Sends a code to a credential that the caller wants to bind, even if another account has it: only a person who receives the code
 * learns that.
 */
export const sendBindCode = (ctx: AppContext, actor: Actor, credential: string, caller: Caller): Promise<CodeSent> =>
  issueCode(ctx, { purpose: 'BIND', credential, userId: actor.userId }, caller)

export async function bindPhone(
  ctx: AppContext,
  actor: Actor,
  body: { phone: string; code: string },
  caller: Caller,
): Promise<UserView> {
  return bindByCode(ctx, actor, 'PHONE', await phoneOf(body.phone), body.code, caller)
}

export const bindEmail = (
  ctx: AppContext,
  actor: Actor,
  body: { email: string; code: string },
  caller: Caller,
): Promise<UserView> => bindByCode(ctx, actor, 'EMAIL', emailOf(body.email), body.code, caller)

async function bindByCode(
  ctx: AppContext,
  actor: Actor,
  provider: ContactProvider,
  credential: string,
  code: string,
  caller: Caller,
): Promise<UserView> {
  await requireConfirmation(ctx, actor)
  const proof = await checkCode(ctx, { purpose: 'BIND', credential, userId: actor.userId }, code)
  return bind(ctx, actor, provider, credential, caller, (tx) => consumeCode(ctx, tx, proof))
}

/** Binds the number that the carrier reports for the caller's phone. */
export async function bindMobile(ctx: AppContext, actor: Actor, token: string, caller: Caller): Promise<UserView> {
  await requireConfirmation(ctx, actor)
  const phone = await resolveOneClickToken(ctx, token)
  return bind(ctx, actor, 'PHONE', phone, caller, async () => {})
}

async function findActor(tx: Tx, actor: Actor): Promise<UserRow> {
  const user = await userById(tx, actor.userId)
  if (user?.status !== 'ACTIVE') throw sessionEnded()
  return user
}

/** A proved e-mail that was just replaced or unbound, and the content of its notice. */
interface LostEmail {
  readonly lost: IdentityRow
  readonly kind: 'IDENTITY_BOUND' | 'IDENTITY_UNBOUND'
  /** The e-mail that was bound or unbound. */
  readonly identity: string
}

/**
 * Inside the write that replaced or unbound a proved e-mail: notifies that address. A thief of a session can replace the e-mail and then
 * reset the password, so the notice contains an undo link. A link must never lead to an address of the thief, also after the owner has
 * bound the former one again: an address that was bound a short time ago gets none, and neither does one that was bound while the link
 * of another address was open.
 */
async function offerUndo(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  event: LoginEvent,
  { lost, kind, identity }: LostEmail,
): Promise<void> {
  const now = ctx.clock.now()
  const { credential: email, createdAt: boundAt, boundOn } = lost
  const isTrusted =
    boundAt <= now - UNDO_MS && (await openUndosOf(tx, userId, now)).every((undo) => undo.email === email)
  const token = isTrusted ? secret() : undefined
  if (token !== undefined) {
    await deleteUndosTo(tx, userId, email)
    const tokenHash = sha256(token)
    await insertUndo(tx, { userId, email, boundAt, boundOn, tokenHash, createdAt: tx.stamp, expiresAt: now + UNDO_MS })
  }
  const { ip, locale } = event
  const place = { at: now, device: event.device.name, ip, city: cityOf(ctx, ip) }
  const undo = token === undefined ? {} : { undoPath: `${UNDO_PATH}?token=${token}` }
  await sendLastNotice(ctx, tx, { to: email, kind, locale, data: { ...place, identity, ...undo } })
}

/**
 * For an address that is bound again while its undo link is open: ends the links of later changes, and returns what the address had
 * before, so that it is as trusted as then. Its own link stays, because it also ends the access of others.
 */
async function bindAgain(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  email: string,
): Promise<Pick<IdentityRow, 'createdAt' | 'boundOn'> | undefined> {
  const undo = (await openUndosOf(tx, userId, ctx.clock.now())).find((open) => open.email === email)
  if (undo === undefined) return undefined
  await deleteUndosSince(tx, userId, undo.createdAt + 1)
  return { createdAt: undo.boundAt, boundOn: undo.boundOn }
}

/** Replaces the caller's credential of this provider. If several users bind one credential at the same time, the first one gets it. */
async function bind(
  ctx: AppContext,
  actor: Actor,
  provider: ContactProvider,
  credential: string,
  caller: Caller,
  useProof: (tx: Tx) => Promise<void>,
): Promise<UserView> {
  const { userId } = actor
  const event = ownEvent(provider === 'PHONE' ? 'phone_bind' : 'email_bind', actor, caller)
  return ctx.db.write('accounts.bind', async (tx) => {
    await useProof(tx)
    const user = await findActor(tx, actor)
    const before = (await identitiesOf(tx, userId)).filter((i) => i.provider === provider)
    const same = before.find((i) => i.credential === credential)
    if (same !== undefined) await proveIdentity(ctx, tx, same)
    else {
      const again = provider === 'EMAIL' ? await bindAgain(ctx, tx, userId, credential) : undefined
      const identity = { userId, provider, credential, boundOn: actor.deviceKey, ...again }
      if (!(await insertProved(ctx, tx, identity, event.locale))) throw credentialTaken(provider)
    }
    const replaced = before.filter((i) => i !== same)
    for (const { id } of replaced) await deleteIdentity(tx, userId, id)
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, {
      kind: 'IDENTITY_BOUND',
      about: { identity: credential },
    })
    // The rightful owner may still read the replaced address.
    for (const lost of replaced)
      if (provider === 'EMAIL' && lost.verified)
        await offerUndo(ctx, tx, userId, event, { lost, kind: 'IDENTITY_BOUND', identity: credential })
    return toUserView(ctx, user, await identitiesOf(tx, userId))
  })
}

/** @throws AppError 400 if the user could no longer sign in. */
export async function unbind(
  ctx: AppContext,
  actor: Actor,
  provider: ContactProvider,
  caller: Caller,
): Promise<Unbound> {
  await requireConfirmation(ctx, actor)
  const { userId } = actor
  const event = ownEvent(provider === 'PHONE' ? 'phone_unbind' : 'email_unbind', actor, caller)
  return ctx.db.write('accounts.unbind', async (tx) => {
    const user = await findActor(tx, actor)
    const identities = await identitiesOf(tx, userId)
    const identity = identities.find((i) => i.provider === provider)
    if (identity === undefined) throw notBound(provider)
    if (!canStillSignIn(user, identities, identity.id)) throw onlyWayToSignIn()
    await deleteIdentity(tx, userId, identity.id)
    const rest = identities.filter((i) => i !== identity)
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, {
      kind: 'IDENTITY_UNBOUND',
      about: { identity: identity.credential },
    })
    if (provider === 'EMAIL' && identity.verified)
      await offerUndo(ctx, tx, userId, event, {
        lost: identity,
        kind: 'IDENTITY_UNBOUND',
        identity: identity.credential,
      })
    const withoutDevice = rest.filter((i) => i.provider !== 'DEVICE')
    const hint = canStillSignIn(user, withoutDevice, identity.id) ? null : HINT[event.locale]
    return { hint, user: toUserView(ctx, user, rest) }
  })
}

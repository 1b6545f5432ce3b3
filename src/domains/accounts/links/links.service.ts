/** Linked accounts: a user who proves that another account is theirs too can switch to it without signing in again. */

import type { AppContext } from '#context'
import { mapPage, type PageInput } from '#db/paging.ts'
import type { ContactProvider } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import { platformBindings } from '#domains/access/index.ts'
import { avatarUrl } from '#domains/files/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { plainName } from '#lib/text.ts'

import {
  alreadyLinked,
  linkIntoSecondFactor,
  linkOfAdministrator,
  linkRefused,
  linkTargetUnknown,
  linkToSelf,
  sessionEnded,
} from '../accounts.errors.ts'
import { ANONYMOUS_USER_ID } from '../accounts.model.ts'
import { emailOf, phoneOf, providerOf } from '../accounts.rules.ts'
import type { CodeSent } from '../codes/codes.model.ts'
import { checkCode, consumeCode, issueCode } from '../codes/codes.service.ts'
import { requireConfirmationOfAll } from '../confirmations/confirmations.service.ts'
import { endAccess } from '../credentials/credentials.service.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { ownEvent } from '../login-records/login-records.rules.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import { guarded, linkLocksOf } from '../passwords/failure-lock.ts'
import { verifyPasswordOf } from '../passwords/passwords.service.ts'
import type { LoginResponse } from '../sessions/sessions.model.ts'
import { loginResponse, signIn } from '../sessions/sessions.service.ts'
import { findOwn } from '../sessions/sessions.store.ts'
import { hasSecondFactor, userById, userByProvedCredential, type UserRow } from '../users/users.store.ts'
import type { LinkRequest, LinkView } from './links.model.ts'
import {
  acceptProposal,
  deleteLink,
  findLink,
  insertLink,
  type LinkRow,
  type LinkWithOther,
  pageOfLinks,
} from './links.store.ts'

/** Sends a code to the phone or e-mail of the account to link: a registered account, and not the caller's (spec §4.1). */
export const sendLinkCode = (ctx: AppContext, actor: Actor, credential: string, caller: Caller): Promise<CodeSent> =>
  issueCode(ctx, { purpose: 'ACCOUNT_LINK', credential, userId: actor.userId }, caller, async (tx) => {
    const target = await userByProvedCredential(tx, providerOf(credential), credential)
    if (target?.status !== 'ACTIVE') return linkTargetUnknown()
    return target.id === actor.userId ? linkToSelf() : undefined
  })

export async function link(ctx: AppContext, actor: Actor, body: LinkRequest, caller: Caller): Promise<LinkView> {
  const write = (targetId: number, useProof: (tx: Tx, target: UserRow) => Promise<void>) =>
    ctx.db.write('accounts.link', (tx) => insertProvenLink(ctx, tx, actor, caller, targetId, useProof))
  return body.verifyType === 'PASSWORD'
    ? linkByPassword(ctx, actor, body, caller, write)
    : linkByCode(ctx, actor, body, write)
}

/** Links the accounts in one write. `useProof` runs inside it, and throws if the earlier proof is no longer valid. */
type WriteLink = (targetId: number, useProof: (tx: Tx, target: UserRow) => Promise<void>) => Promise<LinkView>

async function linkByPassword(
  ctx: AppContext,
  actor: Actor,
  { linkedUserId, password }: LinkRequest,
  caller: Caller,
  write: WriteLink,
): Promise<LinkView> {
  if (!linkedUserId) throw invalid('body.linkedUserId', 'is required', '不能为空')
  if (!password) throw invalid('body.password', 'is required', '不能为空')
  if (linkedUserId === actor.userId) throw linkToSelf()
  const target = await userById(ctx.db.read, linkedUserId)
  const locks = linkLocksOf(actor.userId, linkedUserId)
  const check = async () => {
    const hash = await verifyPasswordOf(ctx, linkedUserId, password, actor.userId)
    if (hash === undefined) await recordGuess(ctx, target, ownEvent('account_link', actor, caller))
    return hash
  }
  const view = await guarded(
    ctx,
    locks.asking,
    () => guarded(ctx, locks.target, check, async (hash) => hash, 'undo'),
    (hash, forget) =>
      write(linkedUserId, async (tx, now) => {
        if (now.passwordHash !== hash) throw linkRefused()
        await forget(tx)
      }),
    'undo',
  )
  if (view === undefined) throw linkRefused()
  return view
}

/** On the record of the target, who could otherwise not notice the guesses. */
const recordGuess = (ctx: AppContext, target: UserRow | undefined, event: LoginEvent): Promise<void> =>
  ctx.db.write('accounts.recordFailure', (tx) =>
    recordLogin(
      ctx,
      tx,
      target?.id ?? ANONYMOUS_USER_ID,
      event,
      target === undefined ? 'unknown account' : 'wrong password',
    ),
  )

async function linkByCode(ctx: AppContext, actor: Actor, body: LinkRequest, write: WriteLink): Promise<LinkView> {
  if (!body.credential) throw invalid('body.credential', 'is required', '不能为空')
  if (!body.code) throw invalid('body.code', 'is required', '不能为空')
  const provider: ContactProvider = body.verifyType === 'PHONE_CODE' ? 'PHONE' : 'EMAIL'
  const credential = await (provider === 'PHONE' ? phoneOf : emailOf)(body.credential, 'body.credential')
  const proof = await checkCode(ctx, { purpose: 'ACCOUNT_LINK', credential, userId: actor.userId }, body.code)
  const target = await userByProvedCredential(ctx.db.read, provider, credential)
  if (target === undefined) throw linkTargetUnknown()
  if (target.id === actor.userId) throw linkToSelf()
  return write(target.id, async (tx, now) => {
    await consumeCode(ctx, tx, proof)
    if ((await userByProvedCredential(tx, provider, credential))?.id !== now.id) throw linkTargetUnknown()
  })
}

async function insertProvenLink(
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  caller: Caller,
  targetId: number,
  useProof: (tx: Tx, target: UserRow) => Promise<void>,
): Promise<LinkView> {
  const owner = await userById(tx, actor.userId)
  const target = await userById(tx, targetId)
  if (owner?.status !== 'ACTIVE') throw sessionEnded()
  if (target?.status !== 'ACTIVE') throw linkRefused()
  await useProof(tx, target)
  await refuseSecondFactor(tx, targetId)
  const row = await insertLink(tx, { ownerUserId: owner.id, linkedUserId: targetId })
  if (row === undefined) throw alreadyLinked()
  await announceLink(ctx, tx, row, owner, ownEvent('account_link', actor, caller))
  return toLinkView(ctx, { ...row, nickname: target.nickname, avatar: target.avatar })
}

/** Records a link that is in force from now on, and notifies the user of the linked account. */
async function announceLink(ctx: AppContext, tx: Tx, link: LinkRow, owner: UserRow, event: LoginEvent): Promise<void> {
  const { ownerUserId, linkedUserId } = link
  // On the records of both accounts, because the link opens both.
  for (const userId of [ownerUserId, linkedUserId]) await recordLogin(ctx, tx, userId, event)
  const name = plainName(owner.nickname)
  await notifyAccountHolder(ctx, tx, linkedUserId, event, {
    kind: 'ACCOUNT_LINKED',
    about: { account: owner.nickname },
    line: {
      en: `“${name}” can switch to your account.`,
      zh: `账号“${name}”可以切换到你的账号。`,
    },
    data: { linkId: link.id, ownerUserId },
  })
}

export const toLinkView = (ctx: AppContext, link: LinkWithOther): LinkView => ({
  id: link.id,
  ownerUserId: link.ownerUserId,
  linkedUserId: link.linkedUserId,
  nickname: link.nickname,
  avatarUrl: avatarUrl(ctx, link.avatar),
  status: link.status,
  createdAt: link.createdAt,
})

export async function listLinks(
  ctx: AppContext,
  actor: Actor,
  query: PageInput & { direction: 'OUTGOING' | 'INCOMING' },
) {
  return mapPage(await pageOfLinks(ctx.db.read, actor.userId, query.direction, query), (link) => toLinkView(ctx, link))
}

/**
 * Puts a link in force that an administrator proposed. Only the user of the linked account can, with a recent proof that they own it: a
 * stolen session must not open a lasting way in. @throws AppError 403 (code 4031) without the proof, 404 if nothing is proposed
 */
export async function acceptLink(ctx: AppContext, actor: Actor, id: number, caller: Caller): Promise<LinkView> {
  await requireConfirmationOfAll(ctx, actor)
  return ctx.db.write('accounts.acceptLink', async (tx) => {
    const row = await acceptProposal(tx, actor.userId, id)
    if (row === undefined) throw notFound()
    const own = await findOwn(tx, actor.userId, actor.sessionId)
    if (own?.status !== 'ACTIVE') throw sessionEnded()
    const owner = await userById(tx, row.ownerUserId)
    if (owner?.status !== 'ACTIVE') throw notFound()
    await refuseAdministrators(tx, row)
    await refuseSecondFactor(tx, row.linkedUserId)
    await announceLink(ctx, tx, row, owner, ownEvent('account_link', actor, caller))
    return toLinkView(ctx, { ...row, nickname: owner.nickname, avatar: owner.avatar })
  })
}

/** For links that no password proved. @throws AppError 403 if either user holds a PLATFORM role */
export async function refuseAdministrators(
  tx: Tx,
  { ownerUserId, linkedUserId }: Pick<LinkRow, 'ownerUserId' | 'linkedUserId'>,
): Promise<void> {
  if ((await platformBindings(tx)).some(({ userId }) => userId === ownerUserId || userId === linkedUserId))
    throw linkOfAdministrator()
}

/** A link cannot open such an account, so none is made. @throws AppError 403 (code 4032) */
export async function refuseSecondFactor(tx: Tx, linkedUserId: number): Promise<void> {
  if (await hasSecondFactor(tx, linkedUserId)) throw linkIntoSecondFactor()
}

/** Opens a full session of the linked account on the caller's device. @throws AppError 403 (code 4032) if it has a second factor. */
export async function switchAccount(
  ctx: AppContext,
  actor: Actor,
  by: { id: number } | { linkedUserId: number },
  caller: Caller,
): Promise<LoginResponse> {
  const event = ownEvent('account_switch', actor, caller)
  const grant = await ctx.db.write('accounts.switchAccount', async (tx) => {
    const found = await findLink(tx, actor.userId, by)
    if (found === undefined || (await isOlderThanRole(tx, found))) throw notFound()
    const own = await findOwn(tx, actor.userId, actor.sessionId)
    if (own?.status !== 'ACTIVE') throw sessionEnded()
    const { key, name } = event.device
    const device = { key, name: (caller.deviceName && name) || own.deviceName || name }
    return signIn(ctx, tx, found.linkedUserId, { ...event, device }, { factor: undefined, linkOwner: actor.userId })
  })
  return loginResponse(ctx, grant, caller)
}

/**
 * Whether the linked user became an administrator after the link was made. A role ends these links; servers of earlier versions left
 * them.
 */
const isOlderThanRole = async (tx: Tx, { linkedUserId, createdAt }: LinkRow): Promise<boolean> =>
  (await platformBindings(tx)).some(({ userId, grantedAt }) => userId === linkedUserId && grantedAt > createdAt)

/** For both sides of the link. Ends the sessions that it opened; the other side is notified. */
export async function unlink(ctx: AppContext, actor: Actor, id: number, caller: Caller): Promise<void> {
  const event = ownEvent('account_unlink', actor, caller)
  await ctx.db.write('accounts.unlink', async (tx) => {
    const deleted = await deleteLink(tx, actor.userId, id)
    if (deleted === undefined) throw notFound()
    await announceUnlink(ctx, tx, deleted, actor.userId, event)
  })
}

/**
 * Ends the sessions that a deleted link opened, and notifies its users, except for `byUserId`. If the link was never in force, there is
 * nothing to end and to say.
 */
export async function announceUnlink(
  ctx: AppContext,
  tx: Tx,
  { id, ownerUserId, linkedUserId, status }: LinkRow,
  byUserId: number,
  event: LoginEvent,
): Promise<void> {
  if (status === 'PENDING') return
  await endAccess(ctx, tx, 'LINK_REMOVED', { userId: ownerUserId, deviceKey: '', linkedUserId })
  const sides = [ownerUserId, linkedUserId]
  for (const userId of sides) await recordLogin(ctx, tx, userId, event)
  for (const userId of sides.filter((side) => side !== byUserId)) {
    const other = await userById(tx, userId === ownerUserId ? linkedUserId : ownerUserId)
    await notifyAccountHolder(ctx, tx, userId, event, {
      kind: 'ACCOUNT_UNLINKED',
      about: { account: other?.nickname ?? '' },
      data: { linkId: id },
    })
  }
}

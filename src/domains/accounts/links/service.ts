/** Linked accounts: whoever proves that another account is theirs too may switch to it without signing in again. */

import type { AppContext } from '#context'
import { mapPage, type PageInput } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import type { CodeSent } from '../codes/model.ts'
import { checkCode, consumeCode, issueCode } from '../codes/service.ts'
import { emailOf, phoneOf, providerOf } from '../codes/targets.ts'
import { askingDevice } from '../credentials.ts'
import { alreadyLinked, linkRefused, linkTargetUnknown, linkToSelf, sessionEnded } from '../errors.ts'
import { openedByCode } from '../identities/claims.ts'
import { recordLogin } from '../login-records/record.ts'
import type { LoginResponse } from '../logins/model.ts'
import { loginResponse } from '../logins/respond.ts'
import { signIn } from '../logins/sign-in.ts'
import { tell } from '../notices/tell.ts'
import { guarded, lockOf } from '../passwords/guard.ts'
import { findOwn } from '../sessions/store.ts'
import { userById, type UserRow } from '../users/store.ts'
import type { LinkRequest, LinkView } from './model.ts'
import { deleteLink, findLink, insertLink, pageOfLinks } from './store.ts'
import { toLinkView } from './view.ts'

/** A code to the phone or e-mail of the account that the caller wants to link: somebody's, and not the caller's own (spec §4.1). */
export const sendLinkCode = (ctx: AppContext, actor: Actor, credential: string, caller: Caller): Promise<CodeSent> =>
  issueCode(ctx, { purpose: 'ACCOUNT_LINK', credential, userId: actor.userId }, caller, async (tx) => {
    const target = (await openedByCode(tx, providerOf(credential), credential))?.user
    if (target?.status !== 'ACTIVE') return linkTargetUnknown()
    return target.id === actor.userId ? linkToSelf() : undefined
  })

/** The account whose owner the caller is as well, and what must still hold of it inside the write. */
interface Proven {
  readonly targetId: number
  stillTrue(tx: Tx, target: UserRow): Promise<void>
}

export async function link(ctx: AppContext, actor: Actor, body: LinkRequest, caller: Caller): Promise<LinkView> {
  const { targetId, stillTrue } =
    body.verifyType === 'PASSWORD' ? await byPassword(ctx, actor, body) : await byCode(ctx, actor, body)
  if (targetId === actor.userId) throw linkToSelf()
  return ctx.db.write('accounts.link', async (tx) => {
    const [owner, target] = [await userById(tx, actor.userId), await userById(tx, targetId)]
    if (owner?.status !== 'ACTIVE') throw sessionEnded
    if (target?.status !== 'ACTIVE') throw linkRefused()
    await stillTrue(tx, target)
    const row = await insertLink(tx, { ownerUserId: owner.id, linkedUserId: targetId, createdAt: tx.stamp })
    if (row === undefined) throw alreadyLinked()
    const { ip, locale } = caller
    const device = askingDevice(actor, caller)
    // On both accounts' records: both can be entered by it.
    for (const userId of [owner.id, targetId])
      await recordLogin(ctx, tx, { userId, loginType: 'account_link', device, ip })
    await tell(ctx, tx, {
      userId: targetId,
      kind: 'ACCOUNT_LINKED',
      about: { account: owner.nickname },
      deviceName: device.name,
      ip,
      locale,
      line: {
        en: `“${owner.nickname}” can switch to your account.`,
        zh: `账号“${owner.nickname}”可以切换到您的账号。`,
      },
      data: { linkId: row.id, ownerUserId: owner.id },
    })
    return toLinkView({ ...row, nickname: target.nickname, avatarUrl: target.avatarUrl })
  })
}

async function byPassword(ctx: AppContext, actor: Actor, { linkedUserId, password }: LinkRequest): Promise<Proven> {
  if (!linkedUserId) throw invalid('body.linkedUserId', 'is required', '不能为空')
  if (!password) throw invalid('body.password', 'is required', '不能为空')
  if (linkedUserId === actor.userId) throw linkToSelf()
  const target = await userById(ctx.db.read, linkedUserId)
  const hash = await guarded(ctx, lockOf(target, `link ${linkedUserId}`), async () => {
    const stored = (await userById(ctx.db.read, linkedUserId))?.passwordHash ?? null
    return (await ctx.passwords.verify(password, stored)) ? (stored ?? undefined) : undefined
  })
  if (hash === undefined) throw linkRefused()
  return {
    targetId: linkedUserId,
    async stillTrue(_tx, now) {
      if (now.passwordHash !== hash) throw linkRefused()
    },
  }
}

async function byCode(ctx: AppContext, actor: Actor, body: LinkRequest): Promise<Proven> {
  if (!body.credential) throw invalid('body.credential', 'is required', '不能为空')
  if (!body.code) throw invalid('body.code', 'is required', '不能为空')
  const isPhone = body.verifyType === 'PHONE_CODE'
  const credential = await (isPhone
    ? phoneOf(body.credential, 'body.credential')
    : emailOf(body.credential, 'body.credential'))
  const provider = isPhone ? 'PHONE' : 'EMAIL'
  const proof = await checkCode(ctx, { purpose: 'ACCOUNT_LINK', credential, userId: actor.userId }, body.code)
  const target = (await openedByCode(ctx.db.read, provider, credential))?.user
  if (target === undefined) throw linkTargetUnknown()
  return {
    targetId: target.id,
    async stillTrue(tx, now) {
      await consumeCode(tx, proof)
      if ((await openedByCode(tx, provider, credential))?.user.id !== now.id) throw linkTargetUnknown()
    },
  }
}

export async function listLinks(
  ctx: AppContext,
  actor: Actor,
  query: PageInput & { direction: 'OUTGOING' | 'INCOMING' },
) {
  return mapPage(await pageOfLinks(ctx.db.read, actor.userId, query.direction, query), toLinkView)
}

/** A full session of the linked account, on this device. */
export async function switchAccount(
  ctx: AppContext,
  actor: Actor,
  by: { id: number } | { linkedUserId: number },
  caller: Caller,
): Promise<LoginResponse> {
  const grant = await ctx.db.write('accounts.switchAccount', async (tx) => {
    const found = await findLink(tx, actor.userId, by)
    if (found === undefined) throw notFound()
    const own = await findOwn(tx, actor.userId, actor.sessionId)
    if (own?.status !== 'ACTIVE') throw sessionEnded
    const asking = askingDevice(actor, caller)
    const device = { key: asking.key, name: (caller.deviceName && asking.name) || own.deviceName || asking.name }
    const { ip, locale } = caller
    return signIn(ctx, tx, { userId: found.linkedUserId, device, loginType: 'account_switch', ip, locale })
  })
  return loginResponse(ctx, grant)
}

/** Either side may end it. */
export async function unlink(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  await ctx.db.write('accounts.unlink', async (tx) => {
    if ((await deleteLink(tx, actor.userId, id)) === undefined) throw notFound()
  })
}

/** Account links of all users, for administrators: they propose and delete links, and cannot put one in force. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import { requireMayChangeUser } from '#domains/access/index.ts'
import { adminPage } from '#domains/admin/index.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Actor, Caller, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { plainName } from '#lib/text.ts'

import { linkOfCaller, pairLinked } from '../accounts.errors.ts'
import { userById, type UserRow } from '../users/users.store.ts'
import type { AdminLinksQuery, AdminLinkView, ProposeLink } from './links.admin.model.ts'
import { allLinks, deleteAnyLink, type LinkWithBoth } from './links.admin.store.ts'
import { announceUnlink, refuseAdministrators, refuseSecondFactor, toLinkView } from './links.service.ts'
import { insertProposal, type LinkRow } from './links.store.ts'

const toView = (ctx: AppContext, { link, ownerName, nickname, avatar }: LinkWithBoth): AdminLinkView => ({
  ...toLinkView(ctx, { ...link, nickname, avatar }),
  ownerNickname: ownerName,
})

export const listAllLinks = async (
  ctx: AppContext,
  { userId }: Actor,
  query: AdminLinksQuery,
): Promise<Page<AdminLinkView>> =>
  mapPage(await adminPage(ctx, userId, allLinks(query), query), (row) => toView(ctx, row))

/**
 * Proposes a link. It opens nothing until the user of the linked account accepts it, so no administrator can open an account in this
 * way. @throws AppError 403 if the caller or an administrator is on one of the sides
 */
export async function proposeLink(
  ctx: AppContext,
  actor: LoggedActor,
  { ownerUserId, linkedUserId }: ProposeLink,
): Promise<AdminLinkView> {
  if (ownerUserId === linkedUserId) throw sameUser()
  if (actor.userId === ownerUserId || actor.userId === linkedUserId) throw linkOfCaller()
  return actor.write('accounts.proposeLink', async (tx) => {
    const owner = await activeUser(tx, 'ownerUserId', ownerUserId)
    const linked = await activeUser(tx, 'linkedUserId', linkedUserId)
    await refuseAdministrators(tx, { ownerUserId, linkedUserId })
    await refuseSecondFactor(tx, linkedUserId)
    const link = await insertProposal(tx, { ownerUserId, linkedUserId })
    if (link === undefined) throw pairLinked()
    const name = plainName(owner.nickname)
    await notify(ctx, tx, {
      userIds: [linkedUserId],
      type: 'ACCOUNT_LINK',
      title: { en: 'An administrator proposes to link your account', zh: '管理员提议关联你的账号' },
      body: {
        en: `“${name}” could then switch to your account without your password. Accept the link only if both accounts are yours.`,
        zh: `关联后，账号“${name}”无需密码即可切换到你的账号。仅当两个账号都属于你时才接受。`,
      },
      data: { linkId: link.id, ownerUserId, status: link.status },
      subject: `LINK_PROPOSAL ${ownerUserId}`,
    })
    return {
      result: toView(ctx, { link, ownerName: owner.nickname, nickname: linked.nickname, avatar: linked.avatar }),
      logged: { targetId: link.id, targetName: nameOf(owner, linked), after: fieldsOf(link) },
    }
  })
}

async function activeUser(tx: Tx, field: keyof ProposeLink, id: number): Promise<UserRow> {
  const user = await userById(tx, id)
  if (user?.status !== 'ACTIVE')
    throw invalid(`body.${field}`, 'refers to a user who does not exist or is not active', '用户不存在或未启用')
  return user
}

const sameUser = () => invalid('body.linkedUserId', 'must be another user than ownerUserId', '须与 ownerUserId 不同')

const nameOf = (owner: UserRow | undefined, linked: UserRow | undefined): string =>
  [owner, linked].map((user) => user?.username ?? user?.nickname ?? '').join(' → ')

const fieldsOf = ({ ownerUserId, linkedUserId, status }: LinkRow) => ({ ownerUserId, linkedUserId, status })

/** Ends the sessions that the link opened, and notifies both users. @throws AppError 403 for a link of another administrator */
export async function unlinkAny(ctx: AppContext, actor: LoggedActor, id: number, { locale }: Caller): Promise<void> {
  await actor.write('accounts.unlinkAny', async (tx) => {
    const link = await deleteAnyLink(tx, id)
    if (link === undefined) throw notFound()
    const sides = [link.ownerUserId, link.linkedUserId]
    for (const userId of sides) if (userId !== actor.userId) await requireMayChangeUser(tx, actor, userId)
    const event = { loginType: 'account_unlink', device: { key: '', name: 'administrator' }, ip: '', locale } as const
    await announceUnlink(ctx, tx, link, actor.userId, event)
    const targetName = nameOf(await userById(tx, link.ownerUserId), await userById(tx, link.linkedUserId))
    return { result: undefined, logged: { targetId: id, targetName, before: fieldsOf(link) } }
  })
}

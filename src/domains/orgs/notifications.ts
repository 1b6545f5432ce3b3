/** The notifications (spec §6) that organizations send: one function for each, called in the write that makes it true. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { countOnSubjects, notify, notifyMembers, unreadOnSubject } from '#domains/notifications/index.ts'
import type { Localized } from '#lib/localized.ts'
import { DAY } from '#platform/clock.ts'

interface Org {
  readonly id: number
  readonly name: string
  readonly code: string
}

/** A change by an administrator of the server: of a member, or of the organization itself. */
export type AdministratorsChange =
  | {
      readonly userId: number
      readonly name: string
      readonly change: 'ADDED' | 'GIVEN' | 'TAKEN'
      readonly role: string
    }
  | { readonly userId: number; readonly name: string; readonly change: 'REMOVED' }
  | { readonly change: 'IMPORTED'; readonly added: number; readonly changed: number }
  | { readonly change: 'CREATED' | 'CHANGED' | 'DISABLED' | 'ENABLED' }

const orgData = (org: Org) => ({ orgId: org.id, orgName: org.name })
/** A text that a user wrote is shown as it is in every language. */
const untranslated = (text: string): Localized => ({ en: text, zh: text })

export const notifyInvitee = (
  ctx: AppContext,
  tx: Tx,
  org: Org,
  { inviteeId, ...invitation }: { inviteeId: number; invitationId: number; inviterId: number; expiresAt: number },
): Promise<void> =>
  notify(ctx, tx, {
    userIds: [inviteeId],
    type: 'ORG_INVITE',
    title: { en: `Invitation to ${org.name}`, zh: `${org.name} 邀请你加入` },
    body: { en: `You are invited to join ${org.name}.`, zh: `你被邀请加入组织 ${org.name}。` },
    data: { ...orgData(org), ...invitation },
    subject: `ORG_INVITE ${org.id}`,
  })

/** An invitation is answered once, so the budget of invitations bounds these. */
export const notifyInviter = (
  ctx: AppContext,
  tx: Tx,
  org: Org,
  /** `userId`: absent if somebody without an account declines. `nickname`: then the shortened address. */
  answer: { inviterId: number; invitationId: number; userId?: number; nickname: string; accept: boolean },
): Promise<void> => {
  const { inviterId, nickname, accept, ...ids } = answer
  return notify(ctx, tx, {
    userIds: [inviterId],
    type: 'SYSTEM',
    title: accept
      ? { en: `${nickname} accepted your invitation`, zh: `${nickname} 接受了你的邀请` }
      : { en: `${nickname} declined your invitation`, zh: `${nickname} 拒绝了你的邀请` },
    body: accept
      ? { en: `${nickname} is now a member of ${org.name}.`, zh: `${nickname} 已加入组织 ${org.name}。` }
      : { en: `${nickname} does not join ${org.name}.`, zh: `${nickname} 未加入组织 ${org.name}。` },
    data: { ...orgData(org), event: accept ? 'ORG_INVITATION_ACCEPTED' : 'ORG_INVITATION_DECLINED', ...ids },
  })
}

/**
 * Notifies the owner that a user has joined without being asked. As long as the notification is unread, further joins are added to it: an
 * organization can be joined by thousands.
 */
export async function notifyOwnerOfJoin(
  ctx: AppContext,
  tx: Tx,
  org: Org & { readonly ownerId: number },
  { userId, nickname }: { readonly userId: number; readonly nickname: string },
): Promise<void> {
  const subject = `ORG_JOINED ${org.id}`
  const unread = await unreadOnSubject(tx, org.ownerId, subject)
  // A user who leaves and joins again is one person.
  const before = Number(unread?.['count'] ?? 0) - (unread?.['userId'] === userId ? 1 : 0)
  const count = before + 1
  await notify(ctx, tx, {
    userIds: [org.ownerId],
    type: 'SYSTEM',
    title:
      before === 0
        ? { en: `${nickname} joined ${org.name}`, zh: `${nickname} 加入了 ${org.name}` }
        : { en: `${count} people joined ${org.name}`, zh: `${count} 人加入了 ${org.name}` },
    body:
      before === 0
        ? { en: `${nickname} is a new member of ${org.name}.`, zh: `${nickname} 成为了 ${org.name} 的新成员。` }
        : {
            en: `${org.name} has ${count} new members. The last one is ${nickname}.`,
            zh: `${org.name} 有 ${count} 名新成员，最近加入的是 ${nickname}。`,
          },
    data: { ...orgData(org), event: 'ORG_JOINED', count, userId },
    subject,
  })
}

export const notifyOfJoinLink = (
  ctx: AppContext,
  tx: Tx,
  org: Org,
  link: { userIds: readonly number[]; content: string; inviterId: number },
): Promise<void> =>
  notify(ctx, tx, {
    userIds: link.userIds,
    type: 'ORG_JOIN_LINK',
    title: { en: `Join ${org.name}`, zh: `加入 ${org.name}` },
    body: { en: `Join ${org.name} with the code ${org.code}.`, zh: `使用组织码 ${org.code} 加入 ${org.name}。` },
    data: { ...orgData(org), code: org.code, content: link.content, inviterId: link.inviterId },
    subject: `ORG_JOIN_LINK ${org.id}`,
  })

export const notifyApprovers = (
  ctx: AppContext,
  tx: Tx,
  org: Org,
  request: { userIds: readonly number[]; userId: number; nickname: string; message: string },
): Promise<void> =>
  notify(ctx, tx, {
    userIds: request.userIds,
    type: 'ORG_APPROVAL_REQUEST',
    title: { en: `${request.nickname} asks to join ${org.name}`, zh: `${request.nickname} 申请加入 ${org.name}` },
    body: request.message
      ? untranslated(request.message)
      : { en: `${request.nickname} asks to join ${org.name}.`, zh: `${request.nickname} 申请加入 ${org.name}。` },
    data: { ...orgData(org), userId: request.userId, nickname: request.nickname },
    // A user can withdraw a request and ask again.
    subject: `ORG_APPROVAL_REQUEST ${org.id} ${request.userId}`,
  })

export const notifyApplicant = (
  ctx: AppContext,
  tx: Tx,
  org: Org,
  decision: { userId: number; approve: boolean; reason: string },
): Promise<void> =>
  notify(ctx, tx, {
    userIds: [decision.userId],
    type: decision.approve ? 'ORG_APPROVED' : 'ORG_REJECTED',
    title: decision.approve
      ? { en: `Welcome to ${org.name}`, zh: `欢迎加入 ${org.name}` }
      : { en: `${org.name} declined your request`, zh: `${org.name} 拒绝了你的申请` },
    body: decision.reason ? untranslated(decision.reason) : outcome(org, decision.approve),
    data: { ...orgData(org), ...(decision.reason ? { reason: decision.reason } : {}) },
  })

const outcome = (org: Org, approved: boolean): Localized =>
  approved
    ? { en: `Your request to join ${org.name} was approved.`, zh: `你加入 ${org.name} 的申请已通过。` }
    : { en: `Your request to join ${org.name} was declined.`, zh: `你加入 ${org.name} 的申请未通过。` }

type TransferEvent = 'OFFERED' | 'WITHDRAWN' | 'DECLINED' | 'DONE'

/** `to`: the recipient. `userId`: the member who gets, or was to get, the organization. */
export const notifyOfTransfer = (
  ctx: AppContext,
  tx: Tx,
  org: Org,
  { event, to, ...ids }: { event: TransferEvent; to: number; userId: number; expiresAt?: number },
): Promise<void> =>
  notify(ctx, tx, {
    userIds: [to],
    type: 'ORG_TRANSFER',
    ...transferText(org, event, to === ids.userId),
    data: { ...orgData(org), event, ...ids },
    // The owner alone can repeat these two; a finished transfer is a matter of its own.
    ...(event === 'OFFERED' || event === 'WITHDRAWN' ? { subject: `ORG_TRANSFER ${org.id}` } : {}),
  })

function transferText(
  { name }: Org,
  event: TransferEvent,
  toCandidate: boolean,
): { title: Localized; body: Localized } {
  switch (event) {
    case 'OFFERED':
      return {
        title: { en: `You are offered ${name}`, zh: `${name} 拟转让给你` },
        body: {
          en: `The owner of ${name} offers you the organization. Accept or decline within 7 days.`,
          zh: `${name} 的所有者希望将该组织转让给你，请在 7 天内接受或拒绝。`,
        },
      }
    case 'WITHDRAWN':
      return {
        title: { en: `The offer of ${name} was withdrawn`, zh: `${name} 的转让已撤回` },
        body: { en: `You can no longer become the owner of ${name}.`, zh: `你不能再成为 ${name} 的所有者。` },
      }
    case 'DECLINED':
      return {
        title: { en: `Your offer of ${name} was declined`, zh: `对方拒绝接受 ${name}` },
        body: { en: `You are still the owner of ${name}.`, zh: `你仍是 ${name} 的所有者。` },
      }
    case 'DONE':
      return toCandidate
        ? {
            title: { en: `You are the owner of ${name}`, zh: `你已成为 ${name} 的所有者` },
            body: { en: `${name} was transferred to you.`, zh: `${name} 已转让给你。` },
          }
        : {
            title: { en: `${name} has a new owner`, zh: `${name} 已更换所有者` },
            body: {
              en: `${name} was transferred to another member. You are still a member, as an administrator of the organization.`,
              zh: `${name} 已转让给其他成员，你仍是该组织的管理员。`,
            },
          }
  }
}

/** Notifications of single changes that an owner gets a day; the others are one. An administrator can change a thousand members. */
const SINGLE_CHANGES = 20

/**
 * Notifies the owner of a change by an administrator of the server. A notification replaces only one about the same change, because a
 * replaced one may have been read: a member who is made ADMIN an hour later is a notification of its own.
 */
export async function notifyOwner(
  ctx: AppContext,
  tx: Tx,
  org: Org & { readonly ownerId: number },
  { userId: actorId }: { readonly userId: number },
  event: AdministratorsChange,
): Promise<void> {
  if (org.ownerId === actorId) return
  const about = `ORG_BY_ADMINISTRATOR ${org.id}`
  const isSingle = (await countOnSubjects(tx, org.ownerId, `${about} `, tx.stamp - DAY)) < SINGLE_CHANGES
  const member = 'userId' in event ? `${event.userId} ` : ''
  const role = 'role' in event ? ` ${event.role}` : ''
  await notify(ctx, tx, {
    userIds: [org.ownerId],
    type: 'SYSTEM',
    title: { en: `An administrator of the server changed ${org.name}`, zh: `服务器管理员更改了 ${org.name}` },
    body: isSingle
      ? changeText(org, event)
      : {
          en: `${org.name} was changed more often than is listed here. Look at its members and their roles.`,
          zh: `${org.name} 还有更多更改未逐一列出，请查看成员及其角色。`,
        },
    data: {
      ...orgData(org),
      event: isSingle ? `ORG_${event.change}` : 'ORG_MANY_CHANGES',
      ...(isSingle && 'userId' in event && { userId: event.userId }),
    },
    subject: isSingle ? `${about} ${member}${event.change}${role}` : about,
  })
}

function changeText({ name: org }: Org, event: AdministratorsChange): Localized {
  switch (event.change) {
    case 'ADDED':
      return {
        en: `${event.name} was added to ${org} with the role ${event.role}.`,
        zh: `已将 ${event.name} 加入 ${org}，角色为 ${event.role}。`,
      }
    case 'GIVEN':
      return {
        en: `${event.name} was given the role ${event.role} in ${org}.`,
        zh: `${event.name} 在 ${org} 中获得了角色 ${event.role}。`,
      }
    case 'TAKEN':
      return {
        en: `${event.name} no longer has the role ${event.role} in ${org}.`,
        zh: `${event.name} 在 ${org} 中不再拥有角色 ${event.role}。`,
      }
    case 'IMPORTED':
      return {
        en: `An import of users changed ${org}: ${event.added} new members, ${event.changed} other roles.`,
        zh: `用户导入更改了 ${org}：新增成员 ${event.added} 名，更改角色 ${event.changed} 个。`,
      }
    case 'REMOVED':
      return { en: `${event.name} was removed from ${org}.`, zh: `${event.name} 已被移出 ${org}。` }
    case 'CREATED':
      return { en: `${org} was created for you.`, zh: `已为你创建 ${org}。` }
    case 'CHANGED':
      return { en: `Name, description or settings of ${org} were changed.`, zh: `${org} 的名称、简介或设置已更改。` }
    case 'DISABLED':
      return {
        en: `${org} was disabled: it can be read, and nothing in it can be changed.`,
        zh: `${org} 已停用：只能查看，不能更改。`,
      }
    case 'ENABLED':
      return { en: `${org} was enabled again.`, zh: `${org} 已重新启用。` }
  }
}

/** For a member whom an administrator of the server has added. */
export const notifyAddedMember = (ctx: AppContext, tx: Tx, org: Org, userId: number): Promise<void> =>
  notify(ctx, tx, {
    userIds: [userId],
    type: 'ORG_APPROVED',
    title: { en: `Welcome to ${org.name}`, zh: `欢迎加入 ${org.name}` },
    body: { en: `An administrator made you a member of ${org.name}.`, zh: `管理员已将你加入组织 ${org.name}。` },
    data: orgData(org),
  })

export const notifyRemovedMember = (ctx: AppContext, tx: Tx, org: Org, userId: number): Promise<void> =>
  notify(ctx, tx, {
    userIds: [userId],
    type: 'ORG_REMOVED',
    title: { en: `You were removed from ${org.name}`, zh: `你已被移出 ${org.name}` },
    body: { en: `You are no longer a member of ${org.name}.`, zh: `你不再是组织 ${org.name} 的成员。` },
    data: orgData(org),
  })

/** For members whose role was deleted. `role`: the name of the one that they got instead. */
export const notifyOfReplacedRole = (
  ctx: AppContext,
  tx: Tx,
  org: Org,
  userIds: readonly number[],
  role: Localized,
): Promise<void> =>
  notify(ctx, tx, {
    userIds,
    type: 'SYSTEM',
    title: { en: `Your role in ${org.name} was deleted`, zh: `你在 ${org.name} 的角色已删除` },
    body: { en: `Your role in ${org.name} is now: ${role.en}.`, zh: `你在 ${org.name} 的角色现为：${role.zh}。` },
    data: { ...orgData(org), event: 'ORG_ROLE_REPLACED' },
    toMany: true,
  })

/** In the background: an organization can have very many members. `actorId`: the user who dissolves it, who is left out. */
export const notifyOfDissolution = (tx: Tx, org: Org, actorId: number): Promise<void> =>
  notifyMembers(tx, {
    orgId: org.id,
    senderId: actorId,
    type: 'ORG_DISSOLVED',
    title: { en: `${org.name} was dissolved`, zh: `${org.name} 已解散` },
    body: { en: `The organization ${org.name} no longer exists.`, zh: `组织 ${org.name} 已不存在。` },
    data: orgData(org),
  })

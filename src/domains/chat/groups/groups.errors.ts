/** The refusals of groups. */

import { AppError, badRequest, forbidden, limited } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { MAX_FOLLOWING, MAX_GROUPS, MAX_GROUPS_OF_ORG, MAX_MEMBERS, MAX_OWNED } from './groups.rules.ts'

export const contactsOnly = () =>
  new AppError(403, 4011, {
    en: 'You can add contacts of yours only: send a contact request first',
    zh: '只能添加你的联系人，请先发送联系人申请',
  })
export const managersOnly = () =>
  forbidden('Only the owner and administrators of the group can do this', '只有群主和管理员可以执行此操作')
export const ownerOnly = () => forbidden('Only the owner of the group can do this', '只有群主可以执行此操作')
export const cannotRemove = () => forbidden('You cannot remove this member', '你不能移除该成员')
export const cannotFollow = () =>
  forbidden(
    'You need the permission to update the organization for a group of all its members',
    '创建全员群需要更新组织的权限',
  )
export const ownerRoleByTransfer = () => badRequest('The owner has to transfer the group first', '群主须先转让群聊')
export const removesOneself = () => badRequest('Leave the group instead', '请使用退出群聊')
export const followsOrganization = () =>
  badRequest('The members of this group are the members of its organization', '该群的成员与所属组织的成员保持一致')
export const groupFull = () => badRequest(`A group has at most ${MAX_MEMBERS} members`, `群成员最多 ${MAX_MEMBERS} 人`)
export const orgTooLarge = () =>
  badRequest(
    `Only an organization of at most ${MAX_MEMBERS} members can have a group of all of them`,
    `成员超过 ${MAX_MEMBERS} 人的组织不能创建全员群`,
  )
export const tooManyGroupsOfOrg = () =>
  badRequest(
    `An organization has at most ${MAX_GROUPS_OF_ORG} groups, ${MAX_FOLLOWING} of them of all its members`,
    `每个组织最多 ${MAX_GROUPS_OF_ORG} 个群聊，其中全员群最多 ${MAX_FOLLOWING} 个`,
  )
/** Waiting does not help here, but an hour keeps clients from retrying at once. */
export const tooManyOwned = () =>
  limited(
    `You have reached your limit of ${MAX_OWNED} groups of your own`,
    `你拥有的群聊已达上限（${MAX_OWNED} 个）`,
    3600,
  )
/** The same for the caller and for a user who is added. */
export const tooManyGroups = () =>
  limited(`A user can be in at most ${MAX_GROUPS} groups`, `每个用户最多加入 ${MAX_GROUPS} 个群聊`, 3600)

export const followsNothing = () => invalid('body.followsOrg', 'needs an organization: give its id', '需要填写组织 ID')
export const namesNobody = () =>
  invalid('body.userIds', 'must be absent if the group follows its organization', '全员群不能填写')

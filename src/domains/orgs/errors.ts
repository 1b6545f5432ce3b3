import type { InvitationStatus } from '#db/schema/orgs.ts'
import { badRequest, forbidden, limited } from '#http/errors.ts'

export const internalOrg = () => forbidden('Only members can see this organization', '仅成员可查看该组织')
export const byInvitationOnly = () =>
  forbidden('This organization takes new members by invitation only', '该组织仅接受邀请加入')
export const linkIsUseless = () =>
  badRequest(
    'This organization takes new members by invitation only: invite them instead',
    '该组织仅接受邀请加入，请改为发送邀请',
  )
export const orgDisabled = () => badRequest('This organization is disabled', '该组织已被停用')
export const alreadyMember = () => badRequest('You are a member already', '您已是该组织成员')
export const orgFull = () => badRequest('The organization has reached its member limit', '该组织成员数量已达上限')
export const limitBelowCount = (count: number) =>
  badRequest(`The organization has ${count} members already`, `该组织已有 ${count} 名成员`)

export const ownerCannotLeave = () =>
  badRequest(
    'The owner cannot leave: hand the organization over or dissolve it first',
    '所有者不能退出，请先转让或解散组织',
  )
export const ownerUntouchable = () => badRequest('The owner cannot be changed or removed', '不能更改或移除所有者')
export const ownerByTransferOnly = () =>
  badRequest('There is one owner: hand the organization over instead', '所有者唯一，请使用转让功能')
export const onlyOwner = () => forbidden('Only the owner can do this', '仅所有者可执行此操作')
export const ownerAlready = () => badRequest('This member is the owner already', '该成员已是所有者')
export const notAMember = () => badRequest('This person is not a member', '该用户不是组织成员')
export const aboveYourself = () => forbidden('This role has permissions that you do not have', '该角色拥有您没有的权限')
export const mayNotAssign = () => forbidden('You do not have permission to change roles', '没有权限更改成员角色')
export const noSuchRole = () => badRequest('There is no such role in this organization', '该组织没有此角色')

export const hasResources = (what: string) =>
  badRequest(`Clear the organization first: it still has ${what}`, `请先清空组织资源：${what}`)
export const hasMembers = (others: number) =>
  badRequest(
    `The organization has ${others} other ${others === 1 ? 'member' : 'members'}, who would lose it: repeat with force=true`,
    `组织还有 ${others} 名其他成员，解散后他们将失去该组织；确认请带上 force=true`,
  )

const SETTLED: Record<Exclude<InvitationStatus, 'PENDING'>, [en: string, zh: string]> = {
  ACCEPTED: ['This invitation was accepted already', '该邀请已被接受'],
  REJECTED: ['This invitation was rejected already', '该邀请已被拒绝'],
  CANCELLED: ['This invitation was withdrawn', '该邀请已被撤回'],
  EXPIRED: ['This invitation has expired', '该邀请已过期'],
}
export const invitationSettled = (status: InvitationStatus) =>
  badRequest(...SETTLED[status === 'PENDING' ? 'EXPIRED' : status])

export const noTargets = () => badRequest('Name at least one person', '请至少指定一人')
export const tooManyTargets = (max: number) => badRequest(`Name at most ${max} people`, `最多指定 ${max} 人`)
export const tooManyWrongCodes = (seconds: number) =>
  limited('Too many wrong codes', '错误的组织码过多，请稍后再试', seconds)

export const ownerCannotDeleteAccount = () =>
  badRequest(
    'You are the owner of an organization: hand it over or dissolve it first',
    '您是组织的所有者，请先转让或解散组织',
  )

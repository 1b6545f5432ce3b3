import type { InvitationStatus } from '#db/schema/orgs.ts'
import { badRequest, forbidden, limited } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

export const membersOnly = () => forbidden('Only members can see this organization', '仅成员可查看该组织')
export const invitationOnly = () =>
  forbidden('This organization accepts new members by invitation only', '该组织仅接受邀请加入')
export const joinLinkRefused = () =>
  badRequest(
    'This organization accepts new members by invitation only: send invitations instead',
    '该组织仅接受邀请加入，请改为发送邀请',
  )
/** Waiting does not help here, but an hour keeps clients from retrying at once. */
export const orgQuotaReached = (limit: number) =>
  limited(`You have reached your limit of ${limit} organizations`, `已达到组织数量上限（${limit} 个）`, 3600)
export const alreadyMember = () => badRequest('You are already a member', '你已是该组织成员')
/** To an administrator, about another user. */
export const userIsMember = () => badRequest('The user is already a member', '该用户已是该组织成员')
export const orgFull = () => badRequest('The organization has reached its member limit', '该组织成员数量已达上限')
export const limitBelowMemberCount = (count: number) =>
  badRequest(`The organization already has ${count} members`, `该组织已有 ${count} 名成员`)

export const ownerCannotLeave = () =>
  badRequest(
    'The owner cannot leave: transfer or dissolve the organization first',
    '所有者不能退出，请先转让或解散组织',
  )
export const ownerCannotDeleteAccount = () =>
  badRequest(
    'You are the owner of an organization: transfer or dissolve it first',
    '你是组织的所有者，请先转让或解散组织',
  )
export const ownerProtected = () => badRequest('The owner cannot be changed or removed', '不能更改或移除所有者')
export const ownerRoleByTransferOnly = () =>
  badRequest('An organization has one owner: transfer it instead', '所有者唯一，请使用转让功能')
export const ownFactorNeeded = () =>
  invalid(
    'body.requireSecondFactor',
    'needs a second factor of your own account: set up an authenticator app first, or have every sign-in ask for a passkey',
    '须先为自己的账号启用第二重验证（身份验证器，或每次登录都要求使用通行密钥）',
  )
export const ownerOnly = () => forbidden('Only the owner can do this', '仅所有者可执行此操作')
export const alreadyOwner = () => badRequest('This member is already the owner', '该成员已是所有者')
export const otherOfferOpen = () =>
  badRequest(
    'The organization is offered to another member: withdraw that offer first',
    '该组织正在等待另一位成员接受转让，请先撤回',
  )
export const offerExpired = () => badRequest('This offer has expired', '该转让已过期')
export const notMember = () => badRequest('This user is not a member', '该用户不是组织成员')
export const roleExceedsYours = () =>
  forbidden('This role has permissions that you do not have', '该角色拥有你没有的权限')
export const cannotAssignRoles = () => forbidden('You do not have permission to change roles', '没有权限更改成员角色')
export const ownRole = () =>
  badRequest('You cannot change your own role in an organization', '不能更改自己在组织中的角色')
export const roleRequired = () => badRequest('Give the roleId or the roleCode', '请指定 roleId 或 roleCode')
export const userDisabled = () => badRequest('This user is disabled', '该用户已被停用')
export const roleNotFound = () => badRequest('There is no such role in this organization', '该组织没有此角色')

export const tooManyRoles = (max: number) =>
  badRequest(`An organization can make at most ${max} roles`, `每个组织最多自建 ${max} 个角色`)
export const systemRoleFixed = () =>
  badRequest(
    'The roles of owner, administrators, members and guests cannot be changed here',
    '所有者、管理员、成员和访客角色不能在此更改',
  )
export const roleOfAdministrator = () =>
  badRequest(
    'An administrator of the server made this role: it can be given to members, but not changed here',
    '该角色由服务器管理员创建，可以分配给成员，但不能在此更改',
  )
export const pointRefused = (i: number, name: string) =>
  invalid(`body.permissions.${i}`, `is not a permission that you can give: ${name}`, `不是可授予的权限：${name}`)
export const notReplaceable = () =>
  invalid(
    'query.replaceWith',
    'must be another role of this organization, and not OWNER',
    '须为该组织的其他角色，且不能是 OWNER',
  )

export interface CountedResource {
  readonly key: string
  readonly name: string
  readonly count: number
}

/** `others`: members that stand in the way too. */
export function hasResources(left: readonly CountedResource[], others: number) {
  const names = left.map(({ name, count }) => `${name} (${count})`)
  const details = left.map(({ key, count }) => ({
    path: `resources.${key}`,
    text: { en: `${count} left`, zh: `还有 ${count} 项` },
  }))
  return badRequest(
    `Clear the organization first: it still has ${names.join(', ')}`,
    `请先清空组织资源：${names.join('、')}`,
    { details: others > 0 ? [...details, membersLeft(others)] : details },
  )
}
export const hasOtherMembers = (others: number) =>
  badRequest(
    `The organization has ${others} other ${others === 1 ? 'member' : 'members'}, who would lose it: repeat with force=true`,
    `组织还有 ${others} 名其他成员，解散后他们将失去该组织；确认请带上 force=true`,
    { details: [membersLeft(others)] },
  )
const membersLeft = (others: number) => ({
  path: 'members',
  text: { en: `${others} besides the owner`, zh: `所有者以外还有 ${others} 人` },
})

const CLOSED: Record<Exclude<InvitationStatus, 'PENDING'>, [en: string, zh: string]> = {
  ACCEPTED: ['This invitation was already accepted', '该邀请已被接受'],
  REJECTED: ['This invitation was already rejected', '该邀请已被拒绝'],
  CANCELLED: ['This invitation was withdrawn', '该邀请已被撤回'],
  EXPIRED: ['This invitation has expired', '该邀请已过期'],
}
/** `PENDING` counts as expired: an invitation that is pending and could not be answered has just expired. */
export const invitationClosed = (status: InvitationStatus) =>
  badRequest(...CLOSED[status === 'PENDING' ? 'EXPIRED' : status])

export const noMailServer = () =>
  badRequest('This server sends no mails: share the link to join instead', '服务器未配置邮件，请改为分享加入链接')
export const provedNeeded = () =>
  forbidden(
    'Confirm an e-mail address of yours before you invite others by mail',
    '通过邮件邀请他人前，请先验证你的邮箱',
  )

export const noTargets = () => badRequest('Give at least one user', '请至少指定一人')
export const tooManyTargets = (max: number) => badRequest(`Give at most ${max} users`, `最多指定 ${max} 人`)
export const tooManyWrongCodes = (seconds: number) =>
  limited('Too many wrong codes', '错误的组织码过多，请稍后再试', seconds)

export const notAZone = () =>
  invalid('body.timeZone', 'is not an IANA time zone such as Europe/Berlin', '不是 Europe/Berlin 这样的 IANA 时区名')

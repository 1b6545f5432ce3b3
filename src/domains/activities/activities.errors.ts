/** The errors of activities, check-in, passes and registration. */

import { badRequest, type FieldProblem, forbidden, limited } from '#http/errors.ts'

export const problem =
  (en: string, zh: string) =>
  (path: string): FieldProblem => ({ path, text: { en, zh } })

export const codeRequired = () =>
  forbidden('This activity is by invitation only: enter its invite code', '该活动仅限受邀者参加，请输入邀请码')
export const noCheckIn = () => badRequest('This activity has no check-in', '该活动未开启签到')
export const notActive = () => badRequest('The activity is not active', '活动未在进行中')

export const endsTooEarly = problem('must be after the start', '必须晚于开始时间')
export const wrongZone = problem(
  'is not an IANA time zone such as Europe/Berlin',
  '不是 Europe/Berlin 这样的 IANA 时区名',
)
export const halfAPosition = problem(
  'is required: give latitude and longitude together',
  '不能为空：经度与纬度须同时提供',
)
export const radiusWithoutPosition = problem(
  'needs a position: give one to the check-in or to the activity',
  '需要位置：请为签到或活动设置经纬度',
)
export const questionTwice = problem('is the key of an earlier question', '与前面问题的 key 重复')
export const restrictedToNobody = problem(
  'cannot be RESTRICTED: a personal activity has no members',
  '不能为 RESTRICTED：个人活动没有成员',
)
export const guestsAmongMembers = problem(
  'is not possible for RESTRICTED activities, which are for members only',
  '不能用于 RESTRICTED 活动，此类活动仅限成员参加',
)
export const guestsDisabled = problem('is turned off on this server', '已在此服务器上关闭')
export const guestsNeedMail = problem(
  'needs a mail server, which this server does not have: guests confirm by mail',
  '需要邮件服务器，而此服务器未配置：访客须通过邮件确认',
)
export const foreignScope = problem('must be the organization that owns the activity', '必须是活动所属的组织')
export const noSuchTemplate = problem('is not a pass template of the owner', '不是该归属方的通行证模板')
export const noSuchRegistration = problem('is not a registration of this activity', '不是该活动的报名')
export const noSuchPass = problem('is not a pass of this activity', '不是该活动的通行证')
export const noSuchList = problem('is not a check-in list of the activity', '不是该活动的签到名单')
export const unprovedContact = problem('must be an e-mail address that you have proved', '必须是你已验证的邮箱')
export const autoIssueNeedsBoth = problem('needs passes and registration', '需要启用通行证和报名')
export const ownersDisagree = problem('names a different owner than orgId', '与 orgId 不一致')
export const noSuchOwner = problem('does not exist', '不存在')
export const ownerNeeded = problem('is required for an organization', '归属为组织时不能为空')

export const outOfRange = problem(
  'moves a time of the activity before 1970 or too far into the future',
  '会使活动的某个时间早于 1970 年或过于遥远',
)
export const repeatOneWay = problem('is required, unless you give dates; not both', '与 dates 必须且只能提供一个')
export const endOneWay = problem('is required, unless you give until; not both', '与 until 必须且只能提供一个')
export const notWithDates = problem('is for every, not for dates', '仅用于 every，不能与 dates 同用')
export const weekdaysOfWeeks = problem('is for every: WEEK only', '仅用于 every: WEEK')
export const tooManyDates = (max: number) => problem(`leads to more than ${max} activities`, `超过 ${max} 个活动`)
export const noDates = problem('leads to no activity', '没有可创建的活动')
export const notYourList = () =>
  forbidden('You can only list your own personal activities', '只能查看自己的个人活动列表')
export const ofAllOwners = problem(
  'lists activities of all owners: leave out the organization',
  '列出所有归属的活动，请勿指定组织',
)
export const cannotBecome = (from: string, to: string) =>
  badRequest(`An activity that is ${from} cannot become ${to}`, `活动状态不能从 ${from} 变为 ${to}`)
export const isOver = () =>
  badRequest('An activity that has ended or was cancelled cannot be changed', '已结束或已取消的活动不能更改')
export const deleteWhileActive = () =>
  badRequest('The activity is active: end or cancel it first', '活动进行中，请先结束或取消')
export const passesAreLive = () =>
  badRequest('This activity still has valid passes: revoke them first', '该活动仍有有效的通行证，请先撤销')
export const noInviteCode = () =>
  badRequest('Only INVITE_ONLY activities have an invite code', '只有 INVITE_ONLY 活动才有邀请码')
/** Code 4022 is always sent with 429 and `Retry-After`. Waiting does not help here, but an hour keeps clients from retrying at once. */
export const quotaReached = (limit: number) =>
  limited(`You have reached your limit of ${limit} activities`, `已达到活动数量上限（${limit} 个）`, 3600)

import { badRequest, forbidden } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

export const pointAlreadyExists = () => badRequest('This permission point already exists', '该权限点已存在')
export const unknownPoint = (path: string, point: string) =>
  invalid(path, `refers to a permission point that this domain does not have: ${point}`, `该域没有此权限点：${point}`)
export const bothPointLists = () =>
  badRequest('Send either permissionIds or permissions, not both', '请提供 permissionIds 或 permissions 之一')

export const notDelegable = (path: string, point: string) =>
  invalid(path, `has a point that organizations cannot give: ${point}`, `包含组织不能授予的权限点：${point}`)
export const onlyOrgDelegable = () =>
  invalid(
    'body.delegable',
    'must be false: only ORG points can be given by organizations',
    '必须为 false：组织只能授予 ORG 域的权限点',
  )
export const roleNameTaken = () => invalid('body.name', 'is the name of another role', '已被其他角色使用')

export const domainRequired = () => invalid('query.domain', 'is required', '不能为空')
export const contradictsQuery = (name: string) =>
  invalid(`body.${name}`, 'differs from the query parameter', '与查询参数不一致')
export const scopeOutsideOrg = () =>
  invalid('body.scopeId', 'must be 0: only ORG roles belong to an organization', '必须为 0：仅 ORG 角色属于组织')
export const unknownOrg = () => invalid('body.scopeId', 'refers to an organization that does not exist', '组织不存在')
export const roleCodeTaken = () => badRequest('A role with this code already exists', '该角色代码已存在')
export const systemRoleUndeletable = () => badRequest('System roles cannot be deleted', '系统角色不能删除')
export const holdsEveryPoint = (code: string) =>
  badRequest(
    `${code} holds every permission: only its display name can be changed`,
    `${code} 拥有全部权限，仅可修改显示名称`,
  )
export const systemAdminOnly = () =>
  forbidden('Only a system administrator (SYSTEM_ADMIN) can do this', '仅系统管理员（SYSTEM_ADMIN）可执行此操作')
export const exceedsCaller = () => forbidden('This role has permissions that you do not have', '该角色拥有你没有的权限')

export const unknownRole = () => invalid('body.roleId', 'refers to a role that does not exist', '角色不存在')
export const templateNotGrantable = () =>
  badRequest(
    'This role is a template for new organizations: grant a role of one organization instead',
    '这是新组织的角色模板，请授予某个组织的角色',
  )
export const weakPassword = () =>
  badRequest(
    'The password of this user is too weak for an administrator, or its strength is not known yet: they must sign in with a password of at least 10 characters that is not common',
    '该用户的密码强度不足或尚未确认：管理员须使用至少 10 个字符且不常见的密码，请该用户设置后重新登录',
  )
export const foreignPassword = () =>
  badRequest(
    'An administrator chose the password of this user: they must change it before they can become an administrator. An e-mail or phone that was bound with that password must be unbound first, and can be bound again afterwards.',
    '该用户的密码由管理员设置：须由其本人修改密码后才能成为管理员。使用该密码期间绑定的邮箱或手机号须先解绑，修改密码后可重新绑定。',
  )
export const ownRole = () => badRequest('You cannot change your own role', '不能修改自己的角色')
export const notAMember = () => badRequest('This user is not a member of the organization', '该用户不是该组织成员')
export const ownerByTransferOnly = () =>
  badRequest('An organization has exactly one owner: transfer the organization instead', '所有者唯一，请使用转让功能')
export const initialBindingIrrevocable = () =>
  badRequest('The first administrator’s role cannot be revoked', '不能撤销初始管理员的角色')

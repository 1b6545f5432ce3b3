import { badRequest, forbidden } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

export const pointExists = () => badRequest('This permission point exists already', '该权限点已存在')
export const unknownPoint = (path: string, what: string) =>
  invalid(path, `names a point that this domain does not have: ${what}`, `该域没有此权限点：${what}`)
export const pointsTwice = () =>
  badRequest('Give either permissionIds or permissions', '请提供 permissionIds 或 permissions 之一')

export const noDomain = () => invalid('query.domain', 'is required', '不能为空')
export const twoAnswers = (name: string) =>
  invalid(`body.${name}`, 'says something else than the query', '与查询参数不一致')
export const noScopeHere = () =>
  invalid('body.scopeId', 'must be 0: only ORG roles belong to an organization', '必须为 0：仅 ORG 角色属于组织')
export const noSuchOrg = () => invalid('body.scopeId', 'names an organization that does not exist', '组织不存在')
export const codeTaken = () => badRequest('There is a role with this code already', '该角色代码已存在')
export const systemRoleStays = () => badRequest('A system role cannot be deleted', '系统角色不能删除')
export const holdsAllAnyway = (code: string) =>
  badRequest(
    `${code} holds every permission: only its display name can be changed`,
    `${code} 拥有全部权限，仅可修改显示名称`,
  )
export const aboveYourself = () => forbidden('This role has permissions that you do not have', '该角色拥有您没有的权限')

export const noSuchRole = () => invalid('body.roleId', 'names a role that does not exist', '角色不存在')
export const templateOnly = () =>
  badRequest(
    'This is a template for new organizations: grant the role of one organization',
    '这是新组织的角色模板，请授予某个组织的角色',
  )
export const notAMember = () => badRequest('This person is not a member of the organization', '该用户不是该组织成员')
export const ownerByTransferOnly = () =>
  badRequest('There is one owner: hand the organization over instead', '所有者唯一，请使用转让功能')
export const initialStays = () =>
  badRequest('The first administrator’s role cannot be revoked', '不能撤销初始管理员的角色')

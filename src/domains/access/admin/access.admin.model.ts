import {
  Enum,
  Id,
  Line,
  Model,
  Name,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

export const DOMAINS = ['PLATFORM', 'APP', 'ORG'] as const
export const DomainName = Named(
  'PermissionDomain',
  Enum(DOMAINS, {
    description: 'PLATFORM: the console. APP: a user’s own data. ORG: the data of an organization',
    examples: ['APP'],
  }),
)

const Word = (description: string, example: string) =>
  Line(50, 1, { pattern: '^[a-z_]+$', description, examples: [example] })
export const PointName = Type.String({ description: '`resource:action`', examples: ['qr_code:read'] })
const PointDescription = Line(500, 0, {
  description: 'The actions that the point allows',
  examples: ['Archive QR codes'],
})

export const PermissionsQuery = PageQuery({
  domain: Type.Optional(DomainName),
  enabled: Type.Optional(Type.Boolean()),
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched in resource, action and description', examples: ['qr_code'] }),
  ),
})
export type PermissionsQuery = Static<typeof PermissionsQuery>

export const CreatePermission = Model('CreatePermission', {
  domain: DomainName,
  resource: Word('The kind of object', 'qr_code'),
  action: Word('The operation on it', 'archive'),
  description: Type.Optional(Nullable(PointDescription)),
})
export type CreatePermission = Static<typeof CreatePermission>

export const UpdatePermission = Model('UpdatePermission', {
  enabled: Type.Optional(Type.Boolean({ description: 'A disabled point is denied to everyone' })),
  delegable: Type.Optional(
    Type.Boolean({
      description:
        'Whether owners of organizations may give the point in roles that they make. Points of the ORG domain only',
      examples: [false],
    }),
  ),
  description: Type.Optional(Nullable(PointDescription)),
})
export type UpdatePermission = Static<typeof UpdatePermission>

export const PermissionView = Model('Permission', {
  id: Id,
  domain: DomainName,
  resource: Text('qr_code'),
  action: Text('read'),
  name: PointName,
  description: Text('See QR codes'),
  enabled: Type.Boolean(),
  delegable: Type.Boolean({
    description: 'Whether owners of organizations may give the point in roles that they make',
  }),
})
export type PermissionView = Static<typeof PermissionView>
export const PermissionPage = PageOf(PermissionView)

export const ScopeId = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description:
    '0 for PLATFORM and APP roles and for the templates of new organizations, otherwise the organization’s id',
  examples: [0],
})
/** Well above the number of points (212). */
const MAX_POINTS = 1000
const points = {
  permissionIds: Type.Optional(
    Type.Array(Id, { maxItems: MAX_POINTS, description: 'The role’s points by id. Send either this or `permissions`' }),
  ),
  permissions: Type.Optional(
    Type.Array(Line(101, 1, { examples: ['qr_code:read'] }), {
      maxItems: MAX_POINTS,
      description: 'The role’s points as `resource:action`',
    }),
  ),
}

export const RolesQuery = PageQuery({
  domain: Type.Optional(DomainName),
  scopeId: Type.Optional(ScopeId),
})
export type RolesQuery = Static<typeof RolesQuery>

export const RoleLocation = Type.Object({ domain: Type.Optional(DomainName), scopeId: Type.Optional(ScopeId) })
export type RoleLocation = Static<typeof RoleLocation>

const RoleName = { ...Name, examples: ['Librarian'] }
const notBoth = { not: { required: ['permissionIds', 'permissions'] } }

export const CreateRole = Model('CreateRole', notBoth, {
  code: Line(50, 1, {
    pattern: '^[A-Za-z][A-Za-z0-9_]*$',
    description: 'Unique within the domain and scope; stored in upper case',
    examples: ['LIBRARIAN'],
  }),
  name: RoleName,
  domain: Type.Optional(DomainName),
  scopeId: Type.Optional(ScopeId),
  ...points,
})
export type CreateRole = Static<typeof CreateRole>

export const UpdateRole = Model('UpdateRole', notBoth, { name: Type.Optional(RoleName), ...points })
export type UpdateRole = Static<typeof UpdateRole>

export const RoleView = Model('Role', {
  id: Id,
  domain: DomainName,
  scopeId: ScopeId,
  code: Type.String({ examples: ['ADMIN'] }),
  name: Text('Librarian'),
  isSystem: Type.Boolean({ description: 'System roles keep their code and cannot be deleted' }),
  holdsEverything: Type.Boolean({
    description: 'Whether the role has every enabled point of its domain without listing them',
  }),
  permissionIds: Type.Array(Id),
  permissions: Type.Array(PointName, { description: 'The same points as `resource:action`, including disabled ones' }),
  createdAt: Time,
  updatedAt: Time,
})
export type RoleView = Static<typeof RoleView>
export const RolePage = PageOf(RoleView)

export const ByUser = Type.Object({ userId: Id })
export const ByUserRole = Type.Object({ userId: Id, roleId: Id })
export const UserRolesQuery = PageQuery({ domain: Type.Optional(DomainName), scopeId: Type.Optional(ScopeId) })
export type UserRolesQuery = Static<typeof UserRolesQuery>
export const GrantRole = Model('GrantRole', { roleId: Id })

export const UserRoleView = Model('UserRole', {
  userId: Id,
  roleId: Id,
  domain: DomainName,
  scopeId: ScopeId,
  code: Text('LIBRARIAN'),
  name: Text('Librarian'),
  isSystem: Type.Boolean(),
  isInitial: Type.Boolean({ description: 'Whether this is the first administrator’s role, which cannot be revoked' }),
  grantedAt: Time,
})
export type UserRoleView = Static<typeof UserRoleView>
export const UserRolePage = PageOf(UserRoleView)

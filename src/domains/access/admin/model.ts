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
    description: 'PLATFORM: the console. APP: one’s own things. ORG: the things of an organization',
    examples: ['APP'],
  }),
)

const Word = (description: string, example: string) =>
  Line(50, 1, { pattern: '^[a-z_]+$', description, examples: [example] })
const PointName = Type.String({ description: '`resource:action`', examples: ['qr_code:read'] })
const PointDescription = Line(500, 0, { description: 'What the point lets one do', examples: ['Archive QR codes'] })

export const PermissionsQuery = PageQuery({
  domain: Type.Optional(DomainName),
  enabled: Type.Optional(Type.Boolean()),
  keyword: Type.Optional(
    Line(100, 0, { description: 'Found in resource, action or description', examples: ['qr_code'] }),
  ),
})
export type PermissionsQuery = Static<typeof PermissionsQuery>

export const CreatePermission = Model('CreatePermission', {
  domain: DomainName,
  resource: Word('What is acted on', 'qr_code'),
  action: Word('What is done to it', 'archive'),
  description: Type.Optional(Nullable(PointDescription)),
})
export type CreatePermission = Static<typeof CreatePermission>

export const UpdatePermission = Model('UpdatePermission', {
  enabled: Type.Optional(Type.Boolean({ description: 'A disabled point is off for everybody' })),
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
})
export type PermissionView = Static<typeof PermissionView>
export const PermissionPage = PageOf(PermissionView)

const ScopeId = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: '0: the console, the application, or the templates of new organizations; else an organization',
  examples: [0],
})
/** More than there are points. */
const MAX_POINTS = 1000
const points = {
  permissionIds: Type.Optional(
    Type.Array(Id, { maxItems: MAX_POINTS, description: 'The points it holds, by id; or else `permissions`' }),
  ),
  permissions: Type.Optional(
    Type.Array(Line(101, 1, { examples: ['qr_code:read'] }), {
      maxItems: MAX_POINTS,
      description: 'The points it holds, by `resource:action`',
    }),
  ),
}

export const RolesQuery = PageQuery({
  domain: Type.Optional(DomainName),
  scopeId: Type.Optional(ScopeId),
})
export type RolesQuery = Static<typeof RolesQuery>

export const RoleWhere = Type.Object({ domain: Type.Optional(DomainName), scopeId: Type.Optional(ScopeId) })
export type RoleWhere = Static<typeof RoleWhere>

const RoleName = { ...Name, examples: ['Librarian'] }
const notBoth = { not: { required: ['permissionIds', 'permissions'] } }

export const CreateRole = Model('CreateRole', notBoth, {
  code: Line(50, 1, {
    pattern: '^[A-Za-z][A-Za-z0-9_]*$',
    description: 'Unique in its domain and scope; kept in upper case',
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
  isSystem: Type.Boolean({ description: 'Keeps its code and cannot be deleted' }),
  holdsEverything: Type.Boolean({ description: 'Every enabled point of the domain, without a list' }),
  permissionIds: Type.Array(Id),
  permissions: Type.Array(PointName, { description: 'The same points, disabled ones too' }),
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
  isInitial: Type.Boolean({ description: 'The first administrator’s: it cannot be revoked' }),
  grantedAt: Time,
})
export type UserRoleView = Static<typeof UserRoleView>
export const UserRolePage = PageOf(UserRoleView)

export const ExplainQuery = Type.Object({
  userId: Id,
  permission: Line(101, 1, { description: '`resource:action`', examples: ['qr_code:read'] }),
  orgId: Type.Optional(Id),
})
export type ExplainQuery = Static<typeof ExplainQuery>

export const REASONS = [
  'GRANTED_BY_ROLE',
  'SHORT_CIRCUIT',
  'NEVER_OFF',
  'UNKNOWN_POINT',
  'DISABLED',
  'NOT_A_MEMBER',
  'NO_ROLE',
  'NOT_IN_ROLES',
] as const

export const ExplainView = Model('PermissionExplanation', {
  userId: Id,
  userStatus: Enum(['ACTIVE', 'DISABLED', 'DELETED'], { description: 'Only an ACTIVE user can sign in at all' }),
  permission: PointName,
  orgId: Nullable(Id),
  granted: Type.Boolean({ description: 'In any of the domains below' }),
  answers: Type.Array(
    Type.Object({
      domain: DomainName,
      scopeId: ScopeId,
      granted: Type.Boolean(),
      reason: Enum(REASONS),
      explanation: Type.String({
        description: 'The reason as a sentence',
        examples: ['The role Librarian has the point.'],
      }),
      roles: Type.Array(
        Type.Object({
          roleId: Id,
          code: Text('LIBRARIAN'),
          name: Text('Librarian'),
          grants: Type.Boolean({ description: 'Holds the point, or everything' }),
        }),
        { description: 'The roles the user holds there' },
      ),
    }),
    { description: 'ORG alone with `orgId`, else APP and PLATFORM' },
  ),
})
export type ExplainView = Static<typeof ExplainView>

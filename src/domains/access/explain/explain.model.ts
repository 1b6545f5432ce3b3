import { Enum, Id, Line, Model, Nullable, type Static, Text, Type } from '#http/schema.ts'

import { DomainName, PointName, ScopeId } from '../admin/access.admin.model.ts'

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
  'ORG_DISABLED',
  'NOT_A_MEMBER',
  'NO_ROLE',
  'NOT_DELEGABLE',
  'NOT_IN_ROLES',
] as const
export type Reason = (typeof REASONS)[number]

const Answer = Type.Object({
  domain: DomainName,
  scopeId: ScopeId,
  granted: Type.Boolean(),
  reason: Enum(REASONS),
  explanation: Type.String({ description: 'The reason as a sentence', examples: ['Granted by: Librarian.'] }),
  roles: Type.Array(
    Type.Object({
      roleId: Id,
      code: Text('LIBRARIAN'),
      name: Text('Librarian'),
      grants: Type.Boolean({ description: 'Whether the role has this point, or every point' }),
    }),
    { description: 'The roles the user holds in this domain and scope' },
  ),
})
export type Answer = Static<typeof Answer>

export const ExplainView = Model('PermissionExplanation', {
  userId: Id,
  userStatus: Enum(['ACTIVE', 'DISABLED', 'DELETED'], { description: 'Only ACTIVE users can sign in' }),
  permission: PointName,
  orgId: Nullable(Id),
  granted: Type.Boolean({ description: 'Whether the user holds the permission in any of the domains below' }),
  answers: Type.Array(Answer, {
    description: 'One answer for ORG if you sent `orgId`, otherwise one each for APP and PLATFORM',
  }),
})
export type ExplainView = Static<typeof ExplainView>

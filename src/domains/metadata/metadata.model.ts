/** Shapes that several parts of the domain use. */

import { Enum, Id, Line, Nullable, Type } from '#http/schema.ts'

/** GLOBAL: of the whole server; ORG: of an organization; USER: of one user. From the widest to the narrowest. */
export const SCOPES = ['GLOBAL', 'ORG', 'USER'] as const
export type Scope = (typeof SCOPES)[number]

export const ObjectName = Line(40, 1, { description: 'The name of an object', examples: ['asset'] })

export const ByObject = Type.Object({ objectName: ObjectName })
export const ByOrg = Type.Object({ orgId: Id })
export const ByOrgAndObject = Type.Object({ orgId: Id, objectName: ObjectName })

/** Fields of a view that say whose a field or template is. */
export const scopeFields = {
  scope: Enum(SCOPES),
  orgId: Nullable({ ...Id, description: 'Set only for scope ORG' }),
  userId: Nullable({ ...Id, description: 'Set only for scope USER' }),
}

/** Fields of a body that say whose a new field or template is. */
export const scopeInput = {
  scope: Enum(SCOPES),
  orgId: Type.Optional(Nullable({ ...Id, description: 'Required for scope ORG, refused for the others' })),
  userId: Type.Optional(Nullable({ ...Id, description: 'Required for scope USER, refused for the others' })),
}
export interface ScopeInput {
  readonly scope: Scope
  readonly orgId?: number | null
  readonly userId?: number | null
}

/** Filters of the lists of administrators. */
export const scopeFilters = {
  objectName: Type.Optional(ObjectName),
  scope: Type.Optional(Enum(SCOPES)),
  orgId: Type.Optional({ ...Id, description: 'Only those of this organization' }),
  userId: Type.Optional({ ...Id, description: 'Only those of this user' }),
}
export interface ScopeFilters {
  readonly objectName?: string
  readonly scope?: Scope
  readonly orgId?: number
  readonly userId?: number
}

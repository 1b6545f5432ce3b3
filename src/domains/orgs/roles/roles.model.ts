import { MAX_OWN_ROLES, MAX_POINTS_OF_OWN_ROLE, PRESETS } from '#domains/access/index.ts'
import type { Budget } from '#http/budget.ts'
import { Enum, Id, Line, Model, Multiline, Named, Nullable, type Static, Text, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

export const ByRole = Type.Object({ orgId: Id, roleId: Id })

const Preset = Named(
  'RolePreset',
  Enum(
    PRESETS.map(({ key }) => key),
    { description: 'Permissions to start from', examples: ['GATE'] },
  ),
)
const PointName = Type.String({ description: '`resource:action`', examples: ['pass:verify'] })
const RoleName = (example: string) =>
  Line(50, 1, {
    description: 'Unique in the organization without case, and not the name of a system role in any language',
    examples: [example],
  })
const RoleDescription = Multiline(200, 0, { examples: ['Admits guests at the doors'] })
const Points = Type.Array(Line(101, 1, { examples: ['pass:verify'] }), {
  maxItems: MAX_POINTS_OF_OWN_ROLE,
  description: 'Points of the ORG domain that organizations can give, and that the owner holds',
})

export const CreateOrgRole = Model('CreateOrgRole', {
  name: RoleName('Doors, evening'),
  description: Type.Optional(Nullable(RoleDescription)),
  permissions: Type.Optional(Points),
  preset: Type.Optional(Preset),
})
export type CreateOrgRole = Static<typeof CreateOrgRole>

export const UpdateOrgRole = Model('UpdateOrgRole', {
  name: Type.Optional(RoleName('Doors, morning')),
  description: Type.Optional(Nullable(RoleDescription)),
  permissions: Type.Optional(Points),
})
export type UpdateOrgRole = Static<typeof UpdateOrgRole>

export const DeleteOrgRole = Type.Object({
  replaceWith: Type.Optional({ ...Id, description: 'The role that the members get instead; MEMBER if left out' }),
})

export const OrgRoleView = Model('OrgRole', {
  id: Id,
  code: Text('DOORS_EVENING'),
  name: Text('Doors, evening'),
  description: Text('Admits guests at the doors'),
  isSystem: Type.Boolean({ description: 'OWNER, ADMIN, MEMBER and GUEST, which organizations cannot change' }),
  preset: Nullable(Preset),
  permissions: Type.Array(
    Type.Object({
      name: PointName,
      active: Type.Boolean({
        description:
          'False for a point that is disabled, or that organizations can no longer give: the role does not grant it',
      }),
    }),
  ),
  memberCount: Type.Integer({ minimum: 0, examples: [3] }),
  canEdit: Type.Boolean({ description: 'Whether you can change and delete the role' }),
  canAssign: Type.Boolean({ description: 'Whether you can give the role to members' }),
})
export type OrgRoleView = Static<typeof OrgRoleView>
export const OrgRoles = Model('OrgRoles', { items: Type.Array(OrgRoleView) })

export const RolePoints = Model('OrgRolePoints', {
  items: Type.Array(
    Type.Object({
      name: PointName,
      group: Text('pass', { description: 'The resource of which the point is shown as a part' }),
      description: Text('Redeem passes'),
      delegable: Type.Boolean({ description: 'Whether a role that an organization makes can have it' }),
      held: Type.Boolean({ description: 'Whether you hold it' }),
    }),
  ),
  presets: Type.Array(Type.Object({ key: Preset, name: Text('Gate staff'), permissions: Type.Array(PointName) })),
})
export type RolePoints = Static<typeof RolePoints>

export const ROLE_CHANGES: Budget = {
  name: 'org-role-changes',
  counts: { en: 'changes of roles', zh: '角色更改' },
  per: 'organization',
  limit: 100,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

export { MAX_OWN_ROLES }

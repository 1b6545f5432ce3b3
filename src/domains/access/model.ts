import { Id, Model, Nullable, type Static, Type } from '#http/schema.ts'

const Points = (description: string, example: string) =>
  Type.Array(Type.String({ pattern: '^[a-z_]+:[a-z_]+$', examples: [example] }), { description })

export const MyPermissions = Model('MyPermissions', {
  permissions: Points('All of the below together, each point once, sorted', 'qr_code:read'),
  platform: Points('Points of the PLATFORM domain (the console)', 'user:read'),
  app: Points("Points of the APP domain (one's own things)", 'qr_code:create'),
  org: Points('Points in the current organization; empty without one, or when not its member', 'member:read'),
  orgId: Nullable(Id),
  roleName: Type.String({
    description: 'Display name of the highest PLATFORM role, else of the APP role',
    examples: ['User'],
  }),
})
export type MyPermissions = Static<typeof MyPermissions>

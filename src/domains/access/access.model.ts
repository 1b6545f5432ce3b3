import { Id, Model, Nullable, type Static, Type } from '#http/schema.ts'

const Points = (description: string, example: string) =>
  Type.Array(Type.String({ pattern: '^[a-z_]+:[a-z_]+$', examples: [example] }), { description })

export const MyPermissions = Model('MyPermissions', {
  permissions: Points('Union of the three lists below, sorted, without duplicates', 'qr_code:read'),
  platform: Points('Points of the PLATFORM domain (the console)', 'user:read'),
  app: Points('Points of the APP domain (your own data)', 'qr_code:create'),
  org: Points('Points in your current organization; empty if you have none or are not a member', 'member:read'),
  orgId: Nullable(Id),
  roleName: Type.String({
    description: 'Display name of your highest PLATFORM role, or else of your APP role',
    examples: ['User'],
  }),
})
export type MyPermissions = Static<typeof MyPermissions>

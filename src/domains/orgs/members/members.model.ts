import { Id, Line, Model, Nullable, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'

export const InOrg = Type.Object({ orgId: Id })
export const ByMember = Type.Object({ orgId: Id, userId: Id })

export const MembersQuery = PageQuery({
  keyword: Type.Optional(
    Line(50, 0, { description: 'Part of the nickname that is shown in this organization', examples: ['Lin'] }),
  ),
})
export type MembersQuery = Static<typeof MembersQuery>

/** At most 50 characters, as for every nickname (spec §2.1). */
const Nickname = Line(50, 0, {
  description: 'Nickname in this organization; null or an empty string for the nickname of the user',
  examples: ['Lin (library)'],
})

/** The role by id or by code. The OWNER role is given by a transfer only. */
export const roleChoice = {
  roleId: Type.Optional(Id),
  roleCode: Type.Optional(Line(64, 1, { examples: ['ADMIN'] })),
}
export interface RoleChoice {
  readonly roleId?: number
  readonly roleCode?: string
}

export const UpdateMember = Model('UpdateMember', {
  ...roleChoice,
  nickname: Type.Optional(Nullable(Nickname)),
})
export type UpdateMember = Static<typeof UpdateMember>

export const MemberView = Model('Member', {
  userId: Id,
  nickname: Text('Lin Mei'),
  avatarUrl: Nullable(Text('https://example.com/mei.png')),
  roleId: Nullable(Id),
  roleCode: Nullable(Type.String({ examples: ['MEMBER'] })),
  roleName: Type.String({ description: 'Empty for a member without a role', examples: ['Member'] }),
  isOwner: Type.Boolean(),
  joinedAt: Time,
  secondFactor: Type.Optional(
    Type.Boolean({
      description: 'Whether the member has a second factor. For holders of `member:update` only',
      examples: [true],
    }),
  ),
})
export type MemberView = Static<typeof MemberView>
export const MemberPage = PageOf(MemberView)

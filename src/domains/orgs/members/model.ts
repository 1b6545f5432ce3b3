import { Id, Line, Model, Nullable, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'

export const InOrg = Type.Object({ orgId: Id })
export const ByMember = Type.Object({ orgId: Id, userId: Id })

export const MembersQuery = PageQuery({
  keyword: Type.Optional(Line(50, 0, { description: 'Found in what members are called here', examples: ['Lin'] })),
})
export type MembersQuery = Static<typeof MembersQuery>

/** What every user of the interface calls a nickname: at most 50 characters (spec §2.1). */
const Nickname = Line(50, 0, {
  description: 'In this organization; null or an empty text: as they call themselves',
  examples: ['Lin (library)'],
})

/** By id or by code; OWNER only changes hands by transfer. */
export const ChangeMember = Model('UpdateMember', {
  roleId: Type.Optional(Id),
  roleCode: Type.Optional(Line(64, 1, { examples: ['ADMIN'] })),
  nickname: Type.Optional(Nullable(Nickname)),
})
export type ChangeMember = Static<typeof ChangeMember>

export const MemberView = Model('Member', {
  userId: Id,
  nickname: Text('Lin Mei'),
  avatarUrl: Nullable(Text('https://example.com/mei.png')),
  roleId: Nullable(Id),
  roleCode: Nullable(Type.String({ examples: ['MEMBER'] })),
  roleName: Type.String({ description: 'Empty for who holds no role any more', examples: ['Member'] }),
  isOwner: Type.Boolean(),
  joinedAt: Time,
})
export type MemberView = Static<typeof MemberView>
export const MemberPage = PageOf(MemberView)

import { Id, Model, Nullable, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'

import { roleChoice } from '../members/members.model.ts'

export const ByUser = Type.Object({ userId: Id })
export const MembershipsQuery = PageQuery({})

export const AddMember = Model('AddMember', { userId: Id, ...roleChoice })
export const JoinOrg = Model('MembershipRole', roleChoice)
export const ChangeRole = Model('ChangeMemberRole', roleChoice)

export const MembershipView = Model('Membership', {
  orgId: Id,
  orgName: Text('Willow Street Library'),
  roleId: Nullable(Id),
  roleName: Type.String({ description: 'Empty for a member without a role', examples: ['Member'] }),
  isOwner: Type.Boolean(),
  joinedAt: Time,
})
export type MembershipView = Static<typeof MembershipView>
export const MembershipPage = PageOf(MembershipView)

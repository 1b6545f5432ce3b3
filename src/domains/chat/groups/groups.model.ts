/** Shapes of groups and their members. A group itself is shown as a Conversation. */

import type { Budget } from '#http/budget.ts'
import { Enum, Id, Line, Model, Nullable, PageOf, type Static, Text, Time, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { GroupRole } from '../conversations/conversations.model.ts'

/** Users whom one request can add. */
export const MAX_NAMED = 100

export const NEW_GROUPS: Budget = {
  name: 'groups',
  counts: { en: 'new groups', zh: '新建群聊' },
  per: 'user',
  limit: 20,
  windowMs: DAY,
  durable: true,
}
/** Each of them gets a conversation without having asked for it. */
export const ADDED_MEMBERS: Budget<{
  readonly query: unknown
  readonly body: { readonly userIds?: readonly number[] }
}> = {
  name: 'group-members',
  counts: { en: 'people added to groups', zh: '添加群成员' },
  per: 'user',
  limit: 300,
  windowMs: DAY,
  durable: true,
  cost: ({ body }) => body.userIds?.length ?? 0,
}
/** Each change sends a message to all members. */
export const GROUP_CHANGES: Budget = {
  name: 'group-changes',
  counts: { en: 'changes of groups', zh: '群聊变更' },
  per: 'user',
  limit: 300,
  windowMs: DAY,
  durable: true,
}

export const ByMember = Type.Object({ id: Id, userId: Id })

const GroupName = Line(50, 1, { examples: ['Library team'] })
const userIds = (min: number, description: string) =>
  Type.Array(Id, { minItems: min, maxItems: MAX_NAMED, uniqueItems: true, description })

export const CreateGroup = Model(
  'CreateGroup',
  { examples: [{ name: 'Library team', userIds: [42] }] },
  {
    name: GroupName,
    orgId: Type.Optional(Nullable({ ...Id, description: 'An organization of yours, whose members can be members' })),
    followsOrg: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'All members of the organization are members, also those who join later. Needs `org:update` there',
      }),
    ),
    userIds: Type.Optional(
      userIds(0, 'Your contacts, or members of the organization. Not for a group that follows an organization'),
    ),
  },
)
export type CreateGroup = Static<typeof CreateGroup>

export const UpdateGroup = Model('UpdateGroup', {
  membersMentionAll: Type.Optional(Type.Boolean({ description: 'Ordinary members may mention everybody' })),
  membersPin: Type.Optional(Type.Boolean({ description: 'Ordinary members may pin messages' })),
  name: Type.Optional(GroupName),
  avatarFileId: Type.Optional(
    Nullable({ ...Id, description: 'An unused image of yours, of type `avatar`; null removes the picture' }),
  ),
})
export type UpdateGroup = Static<typeof UpdateGroup>

export const AddMembers = Model('AddGroupMembers', {
  userIds: userIds(1, 'Your contacts; for a group of an organization, members of the organization'),
})
export const ChangeRole = Model('ChangeGroupRole', { role: Enum(['ADMIN', 'MEMBER']) })
export type ChangeRole = Static<typeof ChangeRole>
export const TransferGroup = Model('TransferGroup', {
  userId: { ...Id, description: 'The member who becomes the owner' },
})

export const GroupMember = Model('GroupMember', {
  userId: Id,
  nickname: Text('Lin Mei'),
  avatarUrl: Nullable(Text('https://example.com/mei.png')),
  role: GroupRole,
  joinedAt: Time,
})
export type GroupMember = Static<typeof GroupMember>
export const GroupMemberPage = PageOf(GroupMember)

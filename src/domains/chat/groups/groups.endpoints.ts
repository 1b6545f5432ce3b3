import { app, endpoint, signedIn } from '#http/endpoint.ts'
import { ById, PageQuery } from '#http/schema.ts'

import { Conversation } from '../conversations/conversations.model.ts'
import {
  ADDED_MEMBERS,
  AddMembers,
  ByMember,
  ChangeRole,
  CreateGroup,
  GROUP_CHANGES,
  GroupMember,
  GroupMemberPage,
  NEW_GROUPS,
  TransferGroup,
  UpdateGroup,
} from './groups.model.ts'
import * as service from './groups.service.ts'

const tag = 'Groups'
const LEFT = 'You have left the group, or the permission is missing.'

export const groupEndpoints = [
  endpoint({
    id: 'groups.create',
    method: 'POST',
    path: '/api/chats/groups',
    summary: 'Create a group',
    description:
      'You become its owner. Members are your contacts; with `orgId`, members of that organization, each of whom may create groups of it.',
    tag,
    access: app('chat:send'),
    body: CreateGroup,
    data: Conversation,
    budgets: [NEW_GROUPS, ADDED_MEMBERS],
    refuses: {
      403: 'A user is not a contact of yours (code 4011), the organization is disabled, or you may not create a group that follows it.',
      404: 'The organization is not yours, or you may not name one of the users.',
    },
    run: ({ ctx, actor, body }) => service.createGroup(ctx, actor, body),
  }),
  endpoint({
    id: 'groups.update',
    method: 'PUT',
    path: '/api/chats/groups/:id',
    summary: 'Change the name or the picture of a group',
    description:
      'Also whether ordinary members may mention everybody and pin messages. For its owner and administrators.',
    tag,
    access: app('chat:send'),
    params: ById,
    body: UpdateGroup,
    data: Conversation,
    budgets: [GROUP_CHANGES],
    refuses: { 403: LEFT },
    run: ({ ctx, actor, params, body }) => service.updateGroup(ctx, actor, params.id, body),
  }),
  endpoint({
    id: 'groups.members',
    method: 'GET',
    path: '/api/chats/groups/:id/members',
    summary: 'List the members of a group',
    description: 'The earliest joined first.',
    tag,
    access: app('chat:read'),
    params: ById,
    query: PageQuery({}),
    data: GroupMemberPage,
    refuses: { 403: 'You have left the group (code 4015).' },
    run: ({ ctx, actor, params, query }) => service.listMembers(ctx, actor, params.id, query),
  }),
  endpoint({
    id: 'groups.addMembers',
    method: 'POST',
    path: '/api/chats/groups/:id/members',
    summary: 'Add users to a group',
    description:
      'Every member may add contacts, and in a group of an organization its members. They see only later messages. Users who ' +
      'are members already stay as they are. If one user is refused, nobody is added.',
    tag,
    access: app('chat:send'),
    params: ById,
    body: AddMembers,
    data: Conversation,
    budgets: [ADDED_MEMBERS, GROUP_CHANGES],
    refuses: { 403: 'You have left the group (code 4015), or a user is not a contact of yours (code 4011).' },
    run: ({ ctx, actor, params, body }) => service.addMembers(ctx, actor, params.id, body.userIds),
  }),
  endpoint({
    id: 'groups.removeMember',
    method: 'DELETE',
    path: '/api/chats/groups/:id/members/:userId',
    summary: 'Remove a member of a group',
    description:
      'Owners can remove everybody else, administrators ordinary members. Former members keep the history until then.',
    tag,
    access: app('chat:send'),
    params: ByMember,
    budgets: [GROUP_CHANGES],
    refuses: { 400: 'It is you, or the group follows its organization.', 403: LEFT },
    run: ({ ctx, actor, params }) => service.removeMember(ctx, actor, params.id, params.userId),
  }),
  endpoint({
    id: 'groups.leave',
    method: 'POST',
    path: '/api/chats/groups/:id/leave',
    summary: 'Leave a group',
    description:
      'If you own the group, it passes to the longest-serving administrator, or else to the longest-serving member. You cannot leave a ' +
      'group that follows an organization: mute it, or leave the organization.',
    tag,
    access: signedIn,
    params: ById,
    refuses: { 400: 'The group follows its organization.', 403: 'You have left the group already (code 4015).' },
    run: ({ ctx, actor, params }) => service.leaveGroup(ctx, actor, params.id),
  }),
  endpoint({
    id: 'groups.changeRole',
    method: 'PUT',
    path: '/api/chats/groups/:id/members/:userId/role',
    summary: 'Change the role of a member of a group',
    description: 'For the owner of the group.',
    tag,
    access: app('chat:send'),
    params: ByMember,
    body: ChangeRole,
    data: GroupMember,
    budgets: [GROUP_CHANGES],
    refuses: { 403: LEFT },
    run: ({ ctx, actor, params, body }) => service.changeRole(ctx, actor, params.id, params.userId, body.role),
  }),
  endpoint({
    id: 'groups.transfer',
    method: 'POST',
    path: '/api/chats/groups/:id/transfer',
    summary: 'Transfer the ownership of a group',
    description: 'You stay as an administrator.',
    tag,
    access: app('chat:send'),
    params: ById,
    body: TransferGroup,
    data: Conversation,
    budgets: [GROUP_CHANGES],
    refuses: { 403: LEFT },
    run: ({ ctx, actor, params, body }) => service.transferGroup(ctx, actor, params.id, body.userId),
  }),
]

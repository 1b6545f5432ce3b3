import { endpoint, platform } from '#http/endpoint.ts'

import {
  ByUserId,
  ChangeUser,
  ChangeUserRole,
  ChangeUserStatus,
  CreatedUser,
  CreateUser,
  DeleteUser,
  UserAdminPage,
  UserAdminView,
  UsersQuery,
} from './accounts.admin.model.ts'
import * as service from './accounts.admin.service.ts'

const tag = 'Users'
const RANK = 'The user holds a PLATFORM role, and you are not SYSTEM_ADMIN.'

export const userAdminEndpoints = [
  endpoint({
    id: 'admin.users.list',
    method: 'GET',
    path: '/api/admin/users',
    summary: 'List users',
    description:
      'Newest first unless `sort` is given. Users who never signed in, or have no username, come last in these orders.',
    tag,
    access: platform('user:read'),
    query: UsersQuery,
    data: UserAdminPage,
    run: ({ ctx, actor, query, caller }) => service.listUsers(ctx, actor, query, caller.locale),
  }),
  endpoint({
    id: 'admin.users.create',
    method: 'POST',
    path: '/api/admin/users',
    summary: 'Create a user',
    description:
      'E-mail and phone are names to sign in with until the person proves them by a code. ' +
      'The user cannot get a PLATFORM role before they have changed the password.',
    tag,
    access: platform('user:create'),
    logs: 'USER_CREATE',
    body: CreateUser,
    data: CreatedUser,
    refuses: { 400: 'The username, e-mail or phone belongs to another account.' },
    run: ({ ctx, actor, body, caller }) => service.addUser(ctx, actor, body, caller.locale),
  }),
  endpoint({
    id: 'admin.users.get',
    method: 'GET',
    path: '/api/admin/users/:userId',
    summary: 'Get a user',
    tag,
    access: platform('user:read'),
    params: ByUserId,
    data: UserAdminView,
    run: ({ ctx, params, caller }) => service.showUser(ctx, params.userId, caller.locale),
  }),
  endpoint({
    id: 'admin.users.update',
    method: 'PUT',
    path: '/api/admin/users/:userId',
    summary: 'Change the profile of a user',
    description: 'Username, password, e-mail, phone and role cannot be changed here; such fields are ignored.',
    tag,
    access: platform('user:update'),
    logs: 'USER_UPDATE',
    params: ByUserId,
    body: ChangeUser,
    data: UserAdminView,
    refuses: { 400: 'The account is deleted.', 403: RANK },
    run: ({ ctx, actor, params, body, caller }) => service.changeUser(ctx, actor, params.userId, body, caller.locale),
  }),
  endpoint({
    id: 'admin.users.changeRole',
    method: 'PATCH',
    path: '/api/admin/users/:userId/role',
    summary: 'Grant or revoke the role of an administrator',
    description:
      'ADMIN grants USER_ADMIN to a user without PLATFORM roles; USER revokes all PLATFORM roles. ' +
      'For SYSTEM_ADMIN only. Takes effect at once.',
    tag,
    access: platform('rbac_user_role:grant'),
    logs: 'USER_ROLE',
    params: ByUserId,
    body: ChangeUserRole,
    data: UserAdminView,
    refuses: {
      400: 'You are the user, the user is the first administrator or not active, or their password is weak or was chosen by an administrator.',
      403: 'You are not SYSTEM_ADMIN.',
    },
    run: ({ ctx, actor, params, body, caller }) =>
      service.changeRole(ctx, actor, params.userId, body.role, caller.locale),
  }),
  endpoint({
    id: 'admin.users.changeStatus',
    method: 'PATCH',
    path: '/api/admin/users/:userId/status',
    summary: 'Disable or enable a user',
    description: 'A disabled user is signed out everywhere at once and cannot sign in. Their data stays.',
    tag,
    access: platform('user:update'),
    logs: 'USER_STATUS',
    params: ByUserId,
    body: ChangeUserStatus,
    data: UserAdminView,
    refuses: { 400: 'You are the user, the user is the first administrator, or the account is deleted.', 403: RANK },
    run: ({ ctx, actor, params, body, caller }) => service.changeStatus(ctx, actor, params.userId, body, caller.locale),
  }),
  endpoint({
    id: 'admin.users.delete',
    method: 'DELETE',
    path: '/api/admin/users/:userId',
    summary: 'Delete a user',
    description:
      'For SYSTEM_ADMIN only, who must have confirmed within the last 10 minutes. As if the user had deleted the account: it cannot be undone. ' +
      'The user must be DISABLED. The owner of an organization must hand it over first.',
    tag,
    access: platform('user:update'),
    logs: 'USER_DELETE',
    params: ByUserId,
    body: DeleteUser,
    refuses: {
      400: 'The user is not DISABLED, is already deleted, owns an organization, or is you.',
      403: 'You are not SYSTEM_ADMIN, or the user holds a PLATFORM role. Code 4031: you must confirm first.',
    },
    run: ({ ctx, actor, params, body }) => service.deleteUser(ctx, actor, params.userId, body),
  }),
]

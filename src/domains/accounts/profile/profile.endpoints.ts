import { alias, app, endpoint, signedIn } from '#http/endpoint.ts'

import { CONFIRM_FIRST } from '../accounts.model.ts'
import { UserView } from '../users/users.model.ts'
import {
  CurrentUser,
  DeleteAccount,
  FirstPassword,
  ProfileChange,
  Quotas,
  QuotasQuery,
  SetUsername,
} from './profile.model.ts'
import { changeProfile, deleteAccount, getCurrentUser, getQuotas, setPassword, setUsername } from './profile.service.ts'

const tag = 'Profile'

const updateProfile = endpoint({
  id: 'profile.update',
  method: 'PUT',
  path: '/api/auth/userinfo',
  summary: 'Update your nickname, signature or avatar',
  tag,
  access: signedIn,
  body: ProfileChange,
  data: UserView,
  run: ({ ctx, actor, body, caller }) => changeProfile(ctx, actor, body, caller.locale),
})

export const profileEndpoints = [
  endpoint({
    id: 'profile.get',
    method: 'GET',
    path: '/api/auth/userinfo',
    summary: 'Get the current user',
    withInitialPassword: true,
    tag,
    access: signedIn,
    data: CurrentUser,
    run: ({ ctx, actor }) => getCurrentUser(ctx, actor),
  }),
  updateProfile,
  alias(updateProfile, { id: 'profile.updateUser', path: '/api/users/userinfo' }),
  endpoint({
    id: 'profile.setUsername',
    method: 'PUT',
    path: '/api/users/me/username',
    summary: 'Set your username',
    description: 'Possible once.',
    tag,
    access: signedIn,
    body: SetUsername,
    data: UserView,
    run: ({ ctx, actor, body, caller }) => setUsername(ctx, actor, body.username, caller),
  }),
  endpoint({
    id: 'profile.setPassword',
    method: 'POST',
    path: '/api/auth/password/set',
    summary: 'Set your first password',
    description: 'For accounts without a password. Your sessions stay active.',
    tag,
    access: signedIn,
    body: FirstPassword,
    refuses: { 403: CONFIRM_FIRST },
    ignoresKey: 'It creates nothing.',
    run: ({ ctx, actor, body, caller }) => setPassword(ctx, actor, body.password, caller),
  }),
  endpoint({
    id: 'profile.quotas',
    method: 'GET',
    path: '/api/auth/quotas',
    summary: 'Get your quotas and usage',
    description: 'With `orgId`, storage and QR codes are those of that organization.',
    tag,
    access: signedIn,
    query: QuotasQuery,
    data: Quotas,
    refuses: { 403: 'The caller is not a member of the organization.' },
    run: ({ ctx, actor, query }) => getQuotas(ctx, actor, query.orgId),
  }),
  endpoint({
    id: 'auth.deleteAccount',
    method: 'POST',
    path: '/api/auth/account/delete',
    summary: 'Delete your account',
    description:
      'Identities, sessions and links are deleted; QR codes and login records are kept without your name unless `content` is DELETE. Refused with 400 for ' +
      'users with a PLATFORM role and for the only owner of an organization.',
    tag,
    access: app('account:delete'),
    body: DeleteAccount,
    refuses: { 400: 'The caller is an administrator or owns an organization.', 403: CONFIRM_FIRST },
    ignoresKey: 'It creates nothing.',
    run: ({ ctx, actor, body, caller }) => deleteAccount(ctx, actor, body, caller),
  }),
]

import { endpoint, signedIn } from '#http/endpoint.ts'
import { Type } from '#http/schema.ts'

import { NewPassword } from '../logins/model.ts'
import { UserView } from '../users/model.ts'
import { ProfileChange, Quotas, Username } from './model.ts'
import { quotasOf } from './quotas.ts'
import { changeProfile, setPassword, setUsername, userInfo } from './service.ts'

const tag = 'Profile'

export const profileEndpoints = [
  endpoint({
    id: 'profile.get',
    method: 'GET',
    path: '/api/auth/userinfo',
    summary: 'Who one is',
    tag,
    access: signedIn,
    data: UserView,
    run: ({ ctx, actor }) => userInfo(ctx, actor),
  }),
  endpoint({
    id: 'profile.update',
    method: 'PUT',
    path: '/api/auth/userinfo',
    summary: 'Change nickname, signature or avatar',
    tag,
    access: signedIn,
    body: ProfileChange,
    data: UserView,
    run: ({ ctx, actor, body }) => changeProfile(ctx, actor, body),
  }),
  endpoint({
    id: 'profile.updateUser',
    method: 'PUT',
    path: '/api/users/userinfo',
    summary: 'Change nickname, signature or avatar',
    description: 'The same as `PUT /api/auth/userinfo`.',
    tag,
    access: signedIn,
    body: ProfileChange,
    data: UserView,
    run: ({ ctx, actor, body }) => changeProfile(ctx, actor, body),
  }),
  endpoint({
    id: 'profile.setUsername',
    method: 'PUT',
    path: '/api/users/me/username',
    summary: 'Set the username, once',
    tag,
    access: signedIn,
    body: Username,
    data: UserView,
    run: ({ ctx, actor, body, caller }) => setUsername(ctx, actor, body.username, caller),
  }),
  endpoint({
    id: 'profile.setPassword',
    method: 'POST',
    path: '/api/auth/password/set',
    summary: 'Set the password, once',
    description: 'For accounts without one. Nobody is signed out.',
    tag,
    access: signedIn,
    body: Type.Object({ password: NewPassword }),
    run: ({ ctx, actor, body, caller }) => setPassword(ctx, actor, body.password, caller),
  }),
  endpoint({
    id: 'profile.quotas',
    method: 'GET',
    path: '/api/auth/quotas',
    summary: 'What one may store and what is used',
    tag,
    access: signedIn,
    data: Quotas,
    run: ({ ctx, actor }) => quotasOf(ctx, actor),
  }),
]

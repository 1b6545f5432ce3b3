import { endpoint, open, signedIn } from '#http/endpoint.ts'

import { ByDevice } from '../devices/model.ts'
import { emailLogin, oneClickLogin, phoneLogin } from './code-login.ts'
import { deviceLogin } from './device-login.ts'
import { logout, logoutDevice } from './logout.ts'
import {
  DeviceLogin,
  EmailLogin,
  LoginResponse,
  OneClickLogin,
  PasswordLogin,
  PhoneLogin,
  PhonePasswordLogin,
  Refresh,
  Registration,
} from './model.ts'
import { adminLogin, login, phonePasswordLogin } from './password-login.ts'
import { adminRefresh, refresh } from './refresh.ts'
import { register } from './register.ts'

const tag = 'Signing in'
const DEVICE =
  'The device is named by `X-Device-Id` (and `X-Device-Name`), else by the body; without either the server makes an id and ' +
  'answers it as `deviceId`. A second login on a device replaces its session; at most 10 sessions stay active, the least ' +
  'recently used one ends.'
const LOCK =
  '5 failures on the same account within 5 minutes lock it for 5 minutes, whether or not it exists: then 429 with code 4022 and ' +
  '`Retry-After`.'

export const loginEndpoints = [
  endpoint({
    id: 'auth.register',
    method: 'POST',
    path: '/api/auth/register',
    summary: 'Register with a username, an e-mail or both',
    description: DEVICE,
    tag,
    access: open,
    checksSecret: true,
    body: Registration,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => register(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.login',
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with username or e-mail and password',
    description: `${DEVICE} ${LOCK}`,
    tag,
    access: open,
    checksSecret: true,
    body: PasswordLogin,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => login(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.phoneLogin',
    method: 'POST',
    path: '/api/auth/phone-login',
    summary: 'Sign in with phone and code; a number that nobody has makes an account',
    description: DEVICE,
    tag,
    access: open,
    checksSecret: true,
    body: PhoneLogin,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => phoneLogin(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.phonePasswordLogin',
    method: 'POST',
    path: '/api/auth/phone-password-login',
    summary: 'Sign in with phone and password',
    description: `${DEVICE} ${LOCK}`,
    tag,
    access: open,
    checksSecret: true,
    body: PhonePasswordLogin,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => phonePasswordLogin(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.emailLogin',
    method: 'POST',
    path: '/api/auth/email-login',
    summary: 'Sign in with e-mail and code',
    description: DEVICE,
    tag,
    access: open,
    checksSecret: true,
    body: EmailLogin,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => emailLogin(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.oneClickLogin',
    method: 'POST',
    path: '/api/auth/sms/oneclick-login',
    summary: 'Sign in by a token of the carrier’s SDK; a number that nobody has makes an account',
    description: DEVICE,
    tag,
    access: open,
    checksSecret: true,
    body: OneClickLogin,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => oneClickLogin(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.deviceLogin',
    method: 'POST',
    path: '/api/auth/device-login',
    summary: 'Sign in by the device alone; the first time this makes an account',
    description: DEVICE,
    tag,
    access: open,
    checksSecret: true,
    body: DeviceLogin,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => deviceLogin(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.refresh',
    method: 'POST',
    path: '/api/auth/refresh',
    summary: 'Exchange a refresh token for a new pair of tokens',
    description:
      'A refresh token is good for one exchange. Shown again within 30 seconds it gives another pair (the answer may have been ' +
      'lost); shown later it ends the session, for it may have been stolen.',
    tag,
    access: open,
    checksSecret: true,
    body: Refresh,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => refresh(ctx, body.refreshToken, caller),
  }),
  endpoint({
    id: 'auth.logout',
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'End this session',
    tag,
    access: signedIn,
    run: ({ ctx, actor, caller }) => logout(ctx, actor, caller),
  }),
  endpoint({
    id: 'auth.logoutDevice',
    method: 'POST',
    path: '/api/auth/logout/:deviceId',
    summary: 'End the session of one of the caller’s devices, and stop the device from signing in by itself',
    description: 'Refused with 400 when the device is the only way into the account.',
    tag,
    access: signedIn,
    params: ByDevice,
    run: ({ ctx, actor, params, caller }) => logoutDevice(ctx, actor, params.deviceId, caller),
  }),
  endpoint({
    id: 'adminAuth.login',
    method: 'POST',
    path: '/api/admin/auth/login',
    summary: 'Sign in to the console',
    description: `For who holds any role in the PLATFORM domain; others get 403. ${LOCK}`,
    tag,
    access: open,
    checksSecret: true,
    body: PasswordLogin,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => adminLogin(ctx, body, caller),
  }),
  endpoint({
    id: 'adminAuth.refresh',
    method: 'POST',
    path: '/api/admin/auth/refresh',
    summary: 'Exchange a refresh token of the console',
    tag,
    access: open,
    checksSecret: true,
    body: Refresh,
    data: LoginResponse,
    run: ({ ctx, body, caller }) => adminRefresh(ctx, body.refreshToken, caller),
  }),
]

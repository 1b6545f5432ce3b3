import { endpoint, open, signedIn } from '#http/endpoint.ts'
import { PageOf, PageQuery } from '#http/schema.ts'

import { adminRefresh, refresh } from '../sessions/refreshing.service.ts'
import { LoginResponse, Refresh } from '../sessions/sessions.model.ts'
import {
  ByDevice,
  BySession,
  DeviceLogin,
  DeviceRemoval,
  DeviceView,
  SessionSwitch,
  SessionView,
} from './devices.model.ts'
import {
  createSession,
  getSession,
  listDevices,
  listSessions,
  logout,
  logoutDevice,
  revokeDevice,
  revokeSession,
  switchSession,
} from './devices.service.ts'

const tag = 'Sessions'
const SIGNING_IN = 'Signing in'

export const deviceEndpoints = [
  endpoint({
    id: 'auth.refresh',
    method: 'POST',
    path: '/api/auth/refresh',
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token works once. If you send it again within 30 seconds, because the answer may have been lost, you get another ' +
      'pair of tokens. If it is sent later, it may have been stolen, so its session ends.',
    tag: SIGNING_IN,
    access: open,
    checksSecret: true,
    body: Refresh,
    data: LoginResponse,
    keepsCookies: true,
    refuses: { 401: 'The refresh token is unknown, used, expired or revoked, or belongs to another device.' },
    namesDevice: true,
    run: ({ ctx, body, caller }) => refresh(ctx, body, caller),
  }),
  endpoint({
    id: 'adminAuth.refresh',
    method: 'POST',
    path: '/api/admin/auth/refresh',
    summary: 'Exchange a refresh token of the console for new tokens',
    description: 'Users without a PLATFORM role get 403.',
    tag: SIGNING_IN,
    access: open,
    checksSecret: true,
    body: Refresh,
    data: LoginResponse,
    keepsCookies: true,
    refuses: {
      401: 'The refresh token is unknown, used, expired or revoked, or belongs to another device.',
      403: 'The account has no PLATFORM role.',
    },
    namesDevice: true,
    run: ({ ctx, body, caller }) => adminRefresh(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.logout',
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Sign out',
    tag: SIGNING_IN,
    access: signedIn,
    keepsCookies: true,
    run: ({ ctx, actor, caller }) => logout(ctx, actor, caller),
  }),
  endpoint({
    id: 'auth.logoutDevice',
    method: 'POST',
    path: '/api/auth/logout/:deviceId',
    secrets: ['deviceId'],
    summary: 'Sign out one of your devices and forget it',
    description:
      'The device can no longer sign in by itself. Refused with 400 if the device is the only way to sign in to the account.',
    tag: SIGNING_IN,
    access: signedIn,
    params: ByDevice,
    ignoresKey: 'It creates nothing.',
    run: ({ ctx, actor, params, caller }) => logoutDevice(ctx, actor, params.deviceId, caller),
  }),
  endpoint({
    id: 'sessions.create',
    method: 'POST',
    path: '/api/auth/sessions',
    summary: 'Open another session',
    description:
      'On the device that the body names, otherwise on a new one, whose id is answered as `deviceId`. You are notified of a device on which ' +
      'you have not signed in before. If you need a recent proof for changes of the ways to sign in, you need one for such a device, too.',
    tag,
    access: signedIn,
    body: DeviceLogin,
    data: LoginResponse,
    keepsCookies: true,
    namesDevice: true,
    refuses: { 403: 'You have to confirm that you own the account (code 4031), as the device is unknown.' },
    run: ({ ctx, actor, body, caller }) => createSession(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'sessions.list',
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'List your active sessions',
    description: 'Newest first.',
    tag,
    access: signedIn,
    query: PageQuery({}),
    data: PageOf(SessionView),
    run: ({ ctx, actor, query }) => listSessions(ctx, actor, query),
  }),
  endpoint({
    id: 'sessions.detail',
    method: 'GET',
    path: '/api/auth/sessions/:sessionId',
    summary: 'Get one of your sessions',
    tag,
    access: signedIn,
    params: BySession,
    data: SessionView,
    run: ({ ctx, actor, params }) => getSession(ctx, actor, params.sessionId),
  }),
  endpoint({
    id: 'sessions.revoke',
    method: 'DELETE',
    path: '/api/auth/sessions/:sessionId',
    summary: 'End one of your sessions',
    description: 'Its device may still be able to sign in by itself: to prevent that, remove the device.',
    tag,
    access: signedIn,
    params: BySession,
    run: ({ ctx, actor, params, caller }) => revokeSession(ctx, actor, params.sessionId, caller),
  }),
  endpoint({
    id: 'sessions.switch',
    method: 'POST',
    path: '/api/auth/sessions/:sessionId/switch',
    summary: 'Get new tokens for another of your sessions',
    description:
      'For a session on this device, or on a device whose device id the body contains. The tokens work together with that device ' +
      'id. The refresh token that the device itself keeps still works; the tokens of an earlier switch do not.',
    tag,
    access: signedIn,
    checksSecret: true,
    params: BySession,
    body: SessionSwitch,
    data: LoginResponse,
    keepsCookies: true,
    refuses: { 403: 'The session belongs to another device, whose device id is missing or wrong.' },
    run: ({ ctx, actor, params, body, caller }) =>
      switchSession(ctx, actor, params.sessionId, body.deviceId || undefined, caller),
  }),
  endpoint({
    id: 'devices.list',
    method: 'GET',
    path: '/api/auth/devices',
    summary: 'List your signed-in devices',
    tag,
    access: signedIn,
    query: PageQuery({}),
    data: PageOf(DeviceView),
    run: ({ ctx, actor, query }) => listDevices(ctx, actor, query),
  }),
  endpoint({
    id: 'devices.revoke',
    method: 'DELETE',
    path: '/api/auth/devices/:deviceId',
    secrets: ['deviceId'],
    summary: 'Sign out one of your devices',
    description:
      'It can no longer sign in by itself, unless that is the only way to sign in to the account: then `hint` says so. Ends the ' +
      'sessions of linked accounts that were opened on it, too.',
    tag,
    access: signedIn,
    params: ByDevice,
    data: DeviceRemoval,
    run: ({ ctx, actor, params, caller }) => revokeDevice(ctx, actor, params.deviceId, caller),
  }),
]

import { endpoint, platform } from '#http/endpoint.ts'

import { ByUserId } from './accounts.admin.model.ts'
import { MakeResetCode, ResetCode, SessionsEnded } from './reset-codes.admin.model.ts'
import { endSessionsOfUser, makeResetCode, RESET_CODES } from './reset-codes.admin.service.ts'

export const resetCodeAdminEndpoints = [
  endpoint({
    id: 'admin.users.resetCode',
    method: 'POST',
    path: '/api/admin/users/:userId/reset-code',
    summary: 'Create a reset code for a user',
    description:
      'With the code and their username, the user sets a new password. The user is notified in the app, with your name, and can withdraw the code. ' +
      'A new code ends the one before. Only for users without a confirmed e-mail or phone, and only if the setting ' +
      '`security.adminResetCodes` is on.',
    tag: 'Users',
    access: platform('user:update'),
    logs: 'USER_RESET_CODE',
    params: ByUserId,
    body: MakeResetCode,
    data: ResetCode,
    budgets: [RESET_CODES],
    ignoresKey: 'A repeat makes another code: only the hash of the first one is stored.',
    refuses: {
      400: 'The user is not active, or has a confirmed e-mail or phone.',
      403: 'The setting is off, you have not signed in or confirmed within 10 minutes (code 4031), you are the user, or the user holds a PLATFORM role.',
    },
    run: ({ ctx, actor, params, body, caller }) => makeResetCode(ctx, actor, params.userId, body.hours, caller),
  }),
  endpoint({
    id: 'admin.users.endSessions',
    method: 'POST',
    path: '/api/admin/users/:userId/sessions/end',
    summary: 'End all sessions of a user',
    description:
      'Also those that the user opened by account links. Their devices may still be able to sign in by themselves. You may end your own sessions too.',
    tag: 'Sessions',
    access: platform('session:revoke'),
    logs: 'SESSION_REVOKE',
    params: ByUserId,
    data: SessionsEnded,
    ignoresKey: 'It creates nothing.',
    refuses: { 403: 'The user holds a PLATFORM role, and you are not SYSTEM_ADMIN.' },
    run: ({ ctx, actor, params, caller }) => endSessionsOfUser(ctx, actor, params.userId, caller),
  }),
]

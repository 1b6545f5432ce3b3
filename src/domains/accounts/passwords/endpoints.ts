import { endpoint, open, signedIn } from '#http/endpoint.ts'

import { CodeSent } from '../codes/model.ts'
import { changePassword, sendChangeCode } from './change.ts'
import { ChangeCode, ForgotCode, PasswordChange, PasswordReset } from './model.ts'
import { resetPassword, sendForgotCode } from './reset.ts'

const tag = 'Passwords'
const OUT = 'Every token and session from before ends, and the right of others to switch into this account.'

export const passwordEndpoints = [
  endpoint({
    id: 'auth.forgotCode',
    method: 'POST',
    path: '/api/auth/password/forgot-code',
    summary: 'Send a code for a forgotten password',
    description: 'Refused with 400 when nobody has this e-mail or phone; such a call counts in the daily limit too.',
    tag,
    access: open,
    checksSecret: true,
    body: ForgotCode,
    data: CodeSent,
    run: ({ ctx, body, caller }) => sendForgotCode(ctx, body.credential, caller),
  }),
  endpoint({
    id: 'auth.resetPassword',
    method: 'POST',
    path: '/api/auth/password/reset',
    summary: 'Set a new password by that code',
    description: OUT,
    tag,
    access: open,
    checksSecret: true,
    body: PasswordReset,
    run: ({ ctx, body, caller }) => resetPassword(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.changeCode',
    method: 'POST',
    path: '/api/auth/password/change-code',
    summary: 'Send a code for changing the password to one’s own phone or e-mail',
    tag,
    access: signedIn,
    body: ChangeCode,
    data: CodeSent,
    run: ({ ctx, actor, body, caller }) => sendChangeCode(ctx, actor, body.channel, caller),
  }),
  endpoint({
    id: 'auth.changePassword',
    method: 'POST',
    path: '/api/auth/password/change',
    summary: 'Change the password',
    description: `${OUT} The caller signs in again with the new password.`,
    tag,
    access: signedIn,
    checksSecret: true,
    body: PasswordChange,
    run: ({ ctx, actor, body, caller }) => changePassword(ctx, actor, body, caller),
  }),
]

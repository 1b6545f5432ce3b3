import { endpoint, open, signedIn } from '#http/endpoint.ts'

import { CodeSent } from '../codes/codes.model.ts'
import { ChangeCode, CodeRedemption, ForgotCode, PasswordChange, PasswordReset } from './password-changes.model.ts'
import { changePassword, resetForgottenPassword, sendChangeCode, sendForgotCode } from './password-changes.service.ts'
import { redeemCode, withdrawCode } from './redeeming.service.ts'

const tag = 'Passwords'
const ENDS =
  'Ends all sessions and tokens of the account, the links by which other accounts can switch to it, and passkeys that were made on other devices.'

export const passwordEndpoints = [
  endpoint({
    id: 'auth.forgotCode',
    method: 'POST',
    path: '/api/auth/password/forgot-code',
    summary: 'Send a code for a forgotten password',
    description: 'Refused with 400 if no account has this e-mail or phone; such a call also counts in the daily limit.',
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
    summary: 'Reset a forgotten password with its code',
    description: ENDS,
    tag,
    access: open,
    checksSecret: true,
    body: PasswordReset,
    run: ({ ctx, body, caller }) => resetForgottenPassword(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.redeemCode',
    method: 'POST',
    path: '/api/auth/password/redeem',
    summary: 'Set a password with a start code or reset code',
    description:
      `${ENDS} Sign in with the new password then; the second factor stays. A wrong, used or expired code, one that was tried five times, and an ` +
      'unknown account get the same 400.',
    tag,
    access: open,
    checksSecret: true,
    body: CodeRedemption,
    refuses: { 403: 'Only administrators may sign in with a password here (code 4036). The code stays good.' },
    run: ({ ctx, body, caller }) => redeemCode(ctx, body, caller),
  }),
  endpoint({
    id: 'auth.withdrawCode',
    method: 'DELETE',
    path: '/api/auth/reset-code',
    summary: 'Withdraw a reset code for your account',
    description:
      'For users who did not ask an administrator for it; the system administrators are notified. Does nothing without an open code.',
    tag,
    access: signedIn,
    run: ({ ctx, actor }) => withdrawCode(ctx, actor),
  }),
  endpoint({
    id: 'auth.changeCode',
    method: 'POST',
    path: '/api/auth/password/change-code',
    summary: 'Send yourself a code for changing the password',
    description: 'Goes to your bound and verified phone or e-mail.',
    tag,
    access: signedIn,
    body: ChangeCode,
    data: CodeSent,
    ignoresKey: 'A repeat may send another code.',
    run: ({ ctx, actor, body, caller }) => sendChangeCode(ctx, actor, body.channel, caller),
  }),
  endpoint({
    id: 'auth.changePassword',
    method: 'POST',
    path: '/api/auth/password/change',
    summary: 'Change your password',
    withInitialPassword: true,
    description: `${ENDS} Sign in again with the new password.`,
    tag,
    access: signedIn,
    checksSecret: true,
    body: PasswordChange,
    run: ({ ctx, actor, body, caller }) => changePassword(ctx, actor, body, caller),
  }),
]

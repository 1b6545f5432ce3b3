import { endpoint, signedIn } from '#http/endpoint.ts'

import { NewTotp, RecoveryCodes, TotpCode, TotpState } from './enrolments.model.ts'
import { confirmEnrolment, disable, getState, replaceCodes, startEnrolment } from './enrolments.service.ts'

const tag = 'Second factor'

export const enrolmentEndpoints = [
  endpoint({
    id: 'auth.totp',
    method: 'GET',
    path: '/api/auth/totp',
    summary: 'Get the state of your second factor',
    tag,
    access: signedIn,
    data: TotpState,
    run: ({ ctx, actor }) => getState(ctx, actor),
  }),
  endpoint({
    id: 'auth.startTotp',
    method: 'POST',
    path: '/api/auth/totp',
    summary: 'Get a secret for an authenticator app',
    description:
      'The first step of enabling the second factor (TOTP, RFC 6238). Nothing changes until you confirm the secret with a code.',
    tag,
    access: signedIn,
    data: NewTotp,
    refuses: {
      400: 'The second factor is already enabled.',
      403: 'Code 4031: every user must have signed in or confirmed within the last 10 minutes.',
    },
    ignoresKey: 'Its answer is a secret.',
    run: ({ ctx, actor }) => startEnrolment(ctx, actor),
  }),
  endpoint({
    id: 'auth.confirmTotp',
    method: 'POST',
    path: '/api/auth/totp/confirm',
    summary: 'Enable the second factor',
    description:
      'With a code of the authenticator app. From then on every sign-in takes `totp`. Your other sessions end. Answers the recovery ' +
      'codes, which are not shown again.',
    tag,
    access: signedIn,
    checksSecret: true,
    body: TotpCode,
    data: RecoveryCodes,
    run: ({ ctx, actor, body, caller }) => confirmEnrolment(ctx, actor, body.totp, caller),
  }),
  endpoint({
    id: 'auth.disableTotp',
    method: 'POST',
    path: '/api/auth/totp/disable',
    summary: 'Disable the second factor',
    tag,
    access: signedIn,
    checksSecret: true,
    body: TotpCode,
    run: ({ ctx, actor, body, caller }) => disable(ctx, actor, body.totp, caller),
  }),
  endpoint({
    id: 'auth.replaceRecoveryCodes',
    method: 'POST',
    path: '/api/auth/totp/recovery-codes',
    summary: 'Replace your recovery codes',
    description: 'The earlier ones no longer work.',
    tag,
    access: signedIn,
    checksSecret: true,
    body: TotpCode,
    data: RecoveryCodes,
    run: ({ ctx, actor, body, caller }) => replaceCodes(ctx, actor, body.totp, caller),
  }),
]

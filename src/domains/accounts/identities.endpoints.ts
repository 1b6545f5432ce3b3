import { endpoint, signedIn } from '#http/endpoint.ts'

import { CONFIRM_FIRST } from './accounts.model.ts'
import { CodeSent, ToEmail, ToPhone } from './codes/codes.model.ts'
import { emailIn, phoneIn } from './codes/codes.rules.ts'
import { bindEmail, bindMobile, bindPhone, sendBindCode, unbind } from './identities.service.ts'
import { EmailBind, MobileToken, PhoneBind, Unbound, UserView } from './users/users.model.ts'

const tag = 'Phone and e-mail'
const BINDS =
  'Replaces the one that was bound before. Refused with 400 if another account has confirmed it. An account that only typed it loses it.'
const UNBINDS = 'Refused with 400 if you could no longer sign in.'

export const identityEndpoints = [
  endpoint({
    id: 'auth.phoneBindCode',
    method: 'POST',
    path: '/api/auth/sms/bind-code',
    summary: 'Send a code to a phone you want to bind',
    tag,
    access: signedIn,
    body: ToPhone,
    data: CodeSent,
    ignoresKey: 'A repeat may send another code.',
    run: async ({ ctx, actor, body, caller }) => sendBindCode(ctx, actor, await phoneIn(body), caller),
  }),
  endpoint({
    id: 'auth.emailBindCode',
    method: 'POST',
    path: '/api/auth/email/bind-code',
    summary: 'Send a code to an e-mail you want to bind',
    tag,
    access: signedIn,
    body: ToEmail,
    data: CodeSent,
    ignoresKey: 'A repeat may send another code.',
    run: ({ ctx, actor, body, caller }) => sendBindCode(ctx, actor, emailIn(body), caller),
  }),
  endpoint({
    id: 'auth.phoneBind',
    method: 'POST',
    path: '/api/auth/phone-bind',
    summary: 'Bind a phone with its code',
    description: BINDS,
    tag,
    access: signedIn,
    checksSecret: true,
    body: PhoneBind,
    data: UserView,
    refuses: { 403: CONFIRM_FIRST },
    run: ({ ctx, actor, body, caller }) => bindPhone(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'auth.emailBind',
    method: 'POST',
    path: '/api/auth/email-bind',
    summary: 'Bind an e-mail with its code',
    description: BINDS,
    tag,
    access: signedIn,
    checksSecret: true,
    body: EmailBind,
    data: UserView,
    refuses: { 403: CONFIRM_FIRST },
    run: ({ ctx, actor, body, caller }) => bindEmail(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'auth.verifyMobile',
    method: 'POST',
    path: '/api/auth/sms/verify-mobile',
    summary: 'Bind the number of this phone with a token of the carrier’s SDK',
    description: BINDS,
    tag,
    access: signedIn,
    checksSecret: true,
    body: MobileToken,
    data: UserView,
    refuses: { 403: CONFIRM_FIRST },
    run: ({ ctx, actor, body, caller }) => bindMobile(ctx, actor, body.token, caller),
  }),
  endpoint({
    id: 'auth.phoneUnbind',
    method: 'POST',
    path: '/api/auth/phone/unbind',
    summary: 'Unbind your phone',
    description: UNBINDS,
    tag,
    access: signedIn,
    data: Unbound,
    refuses: { 400: 'No phone is bound.', 403: CONFIRM_FIRST },
    ignoresKey: 'It creates nothing.',
    run: ({ ctx, actor, caller }) => unbind(ctx, actor, 'PHONE', caller),
  }),
  endpoint({
    id: 'auth.emailUnbind',
    method: 'POST',
    path: '/api/auth/email/unbind',
    summary: 'Unbind your e-mail',
    description: UNBINDS,
    tag,
    access: signedIn,
    data: Unbound,
    refuses: { 400: 'No e-mail is bound.', 403: CONFIRM_FIRST },
    ignoresKey: 'It creates nothing.',
    run: ({ ctx, actor, caller }) => unbind(ctx, actor, 'EMAIL', caller),
  }),
]

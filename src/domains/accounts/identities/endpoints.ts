import { endpoint, signedIn } from '#http/endpoint.ts'

import { CodeSent, ToEmail, ToPhone } from '../codes/model.ts'
import { emailIn, phoneIn } from '../codes/targets.ts'
import { UserView } from '../users/model.ts'
import { EmailBind, MobileToken, PhoneBind, Unbound } from './model.ts'
import { bindEmail, bindMobile, bindPhone, sendBindCode, unbind } from './service.ts'

const tag = 'Phone and e-mail'
const BINDS = 'In place of the one before. Refused with 400 when another account has it.'
const UNBINDS = 'Refused with 400 when it is the last way into the account.'

export const identityEndpoints = [
  endpoint({
    id: 'auth.phoneBindCode',
    method: 'POST',
    path: '/api/auth/sms/bind-code',
    summary: 'Send a code to a phone that one wants to bind',
    tag,
    access: signedIn,
    body: ToPhone,
    data: CodeSent,
    run: async ({ ctx, actor, body, caller }) => sendBindCode(ctx, actor, await phoneIn(body), caller),
  }),
  endpoint({
    id: 'auth.emailBindCode',
    method: 'POST',
    path: '/api/auth/email/bind-code',
    summary: 'Send a code to an e-mail that one wants to bind',
    tag,
    access: signedIn,
    body: ToEmail,
    data: CodeSent,
    run: ({ ctx, actor, body, caller }) => sendBindCode(ctx, actor, emailIn(body), caller),
  }),
  endpoint({
    id: 'auth.phoneBind',
    method: 'POST',
    path: '/api/auth/phone-bind',
    summary: 'Bind a phone by its code',
    description: BINDS,
    tag,
    access: signedIn,
    checksSecret: true,
    body: PhoneBind,
    data: UserView,
    run: ({ ctx, actor, body, caller }) => bindPhone(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'auth.emailBind',
    method: 'POST',
    path: '/api/auth/email-bind',
    summary: 'Bind an e-mail by its code',
    description: BINDS,
    tag,
    access: signedIn,
    checksSecret: true,
    body: EmailBind,
    data: UserView,
    run: ({ ctx, actor, body, caller }) => bindEmail(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'auth.verifyMobile',
    method: 'POST',
    path: '/api/auth/sms/verify-mobile',
    summary: 'Bind the number of this phone, by a token of the carrier’s SDK',
    description: BINDS,
    tag,
    access: signedIn,
    checksSecret: true,
    body: MobileToken,
    data: UserView,
    run: ({ ctx, actor, body, caller }) => bindMobile(ctx, actor, body.token, caller),
  }),
  endpoint({
    id: 'auth.phoneUnbind',
    method: 'POST',
    path: '/api/auth/phone/unbind',
    summary: 'Unbind the phone',
    description: UNBINDS,
    tag,
    access: signedIn,
    data: Unbound,
    refuses: { 400: 'No phone is bound.' },
    run: ({ ctx, actor, caller }) => unbind(ctx, actor, 'PHONE', caller),
  }),
  endpoint({
    id: 'auth.emailUnbind',
    method: 'POST',
    path: '/api/auth/email/unbind',
    summary: 'Unbind the e-mail',
    description: UNBINDS,
    tag,
    access: signedIn,
    data: Unbound,
    refuses: { 400: 'No e-mail is bound.' },
    run: ({ ctx, actor, caller }) => unbind(ctx, actor, 'EMAIL', caller),
  }),
]

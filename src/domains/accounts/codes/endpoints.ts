import { endpoint, open } from '#http/endpoint.ts'

import { CodeSent, ToEmail, ToPhone } from './model.ts'
import { issueCode } from './service.ts'
import { emailIn, phoneIn } from './targets.ts'

const tag = 'Signing in'
const LIMITS =
  'A code is good for 5 minutes, once, and for 5 tries. The next may be asked for after 60 seconds; 5 a day to an e-mail, 10 to a ' +
  'number, 20 from an address: more is answered 429 with code 4022 and `Retry-After`.'

export const codeEndpoints = [
  endpoint({
    id: 'auth.phoneCode',
    method: 'POST',
    path: '/api/auth/sms/send-code',
    summary: 'Send a code for signing in to a phone',
    description: LIMITS,
    tag,
    access: open,
    checksSecret: true,
    body: ToPhone,
    data: CodeSent,
    run: async ({ ctx, body, caller }) =>
      issueCode(ctx, { purpose: 'LOGIN', credential: await phoneIn(body), userId: 0 }, caller),
  }),
  endpoint({
    id: 'auth.emailCode',
    method: 'POST',
    path: '/api/auth/email/send-code',
    summary: 'Send a code for signing in to an e-mail',
    description: `${LIMITS} It is sent whether or not somebody has the address: only who reads the code learns that.`,
    tag,
    access: open,
    checksSecret: true,
    body: ToEmail,
    data: CodeSent,
    run: ({ ctx, body, caller }) => issueCode(ctx, { purpose: 'LOGIN', credential: emailIn(body), userId: 0 }, caller),
  }),
]

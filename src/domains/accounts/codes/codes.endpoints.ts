import { endpoint, open } from '#http/endpoint.ts'

import { CodeSent, ToEmail, ToPhone } from './codes.model.ts'
import { emailIn, phoneIn } from './codes.rules.ts'
import { sendLoginCode } from './codes.service.ts'

const tag = 'Signing in'
const LIMITS =
  'A code works once, within 5 minutes and 5 tries. You may request the next one after 60 seconds: at most 5 a day for an e-mail ' +
  '(2 of them from one IP address), 10 for a phone number and 20 from an IP address. The last one of a day is for a forgotten ' +
  'password only. Beyond that the answer is 429 with code 4022 and `Retry-After`.'

export const codeEndpoints = [
  endpoint({
    id: 'auth.phoneCode',
    method: 'POST',
    path: '/api/auth/sms/send-code',
    summary: 'Send a sign-in code to a phone',
    description: LIMITS,
    tag,
    access: open,
    checksSecret: true,
    body: ToPhone,
    data: CodeSent,
    run: async ({ ctx, body, caller }) => sendLoginCode(ctx, await phoneIn(body), caller),
  }),
  endpoint({
    id: 'auth.emailCode',
    method: 'POST',
    path: '/api/auth/email/send-code',
    summary: 'Send a sign-in code to an e-mail',
    description: `${LIMITS} It is sent even if no account has the address; only a person who reads the code learns that.`,
    tag,
    access: open,
    checksSecret: true,
    body: ToEmail,
    data: CodeSent,
    run: ({ ctx, body, caller }) => sendLoginCode(ctx, emailIn(body), caller),
  }),
]

import type { Budget } from '#http/budget.ts'
import { alias, app, endpoint, signedIn } from '#http/endpoint.ts'
import { PageOf, PageQuery } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { contactLookUps } from '../accounts.model.ts'
import { CodeSent, ToEmail, ToPhone } from '../codes/codes.model.ts'
import { emailIn, phoneIn } from '../codes/codes.rules.ts'
import { LoginResponse } from '../sessions/sessions.model.ts'
import { ByLink, ByTarget, Direction, LinkRequest, LinkView } from './links.model.ts'
import { acceptLink, link, listLinks, sendLinkCode, switchAccount, unlink } from './links.service.ts'

const tag = 'Linked accounts'

const SECOND_FACTOR = 'Code 4032: the account has a second factor. Sign in to it instead.'

/** Each user may try 5 passwords in 5 minutes; this bounds the guesses of many users who are one person. */
const LINKS_BY_PASSWORD: Budget<{ body: LinkRequest }> = {
  name: 'linksByPassword',
  counts: { en: 'tries to link an account by its password', zh: '通过密码关联账号的尝试' },
  per: 'address',
  limit: 100,
  windowMs: DAY,
  durable: true,
  cost: ({ body }) => (body.verifyType === 'PASSWORD' ? 1 : 0),
}

const listLinkedAccounts = endpoint({
  id: 'auth.links',
  method: 'GET',
  path: '/api/auth/link/list',
  summary: 'List your linked accounts',
  description:
    'Accounts that you can switch to; with `direction=INCOMING` accounts that can switch to yours, and those that could if you accept (`PENDING`).',
  tag,
  access: signedIn,
  query: PageQuery({ direction: Direction }),
  data: PageOf(LinkView),
  run: ({ ctx, actor, query }) => listLinks(ctx, actor, query),
})

export const linkEndpoints = [
  endpoint({
    id: 'auth.phoneLinkCode',
    method: 'POST',
    path: '/api/auth/sms/link-code',
    summary: 'Send a code to the phone of an account you want to link',
    description:
      'Refused with 400 if no account or your own account has the number. 5 a day, counted apart from other codes.',
    tag,
    access: app('account_link:create'),
    budgets: contactLookUps(() => 1),
    body: ToPhone,
    data: CodeSent,
    ignoresKey: 'A repeat may send another code.',
    run: async ({ ctx, actor, body, caller }) => sendLinkCode(ctx, actor, await phoneIn(body), caller),
  }),
  endpoint({
    id: 'auth.emailLinkCode',
    method: 'POST',
    path: '/api/auth/email/link-code',
    summary: 'Send a code to the e-mail of an account you want to link',
    description:
      'Refused with 400 if no account or your own account has the e-mail. 5 a day, counted apart from other codes.',
    tag,
    access: app('account_link:create'),
    budgets: contactLookUps(() => 1),
    body: ToEmail,
    data: CodeSent,
    ignoresKey: 'A repeat may send another code.',
    run: ({ ctx, actor, body, caller }) => sendLinkCode(ctx, actor, emailIn(body), caller),
  }),
  endpoint({
    id: 'auth.link',
    method: 'POST',
    path: '/api/auth/link',
    summary: 'Link another account of yours',
    description:
      'PASSWORD takes `linkedUserId` and `password`, the others `credential` and `code`. The other account is notified. A wrong ' +
      'password appears in its login records; 5 wrong passwords within 5 minutes, from you or for that account, lock linking by ' +
      'password for 5 minutes: 429 with code 4022 and `Retry-After`.',
    tag,
    access: app('account_link:create'),
    checksSecret: true,
    budgets: [LINKS_BY_PASSWORD],
    body: LinkRequest,
    data: LinkView,
    refuses: { 403: 'The other account has a second factor (code 4032).' },
    run: ({ ctx, actor, body, caller }) => link(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'auth.acceptLink',
    method: 'POST',
    path: '/api/auth/link/:linkId/accept',
    summary: 'Accept a link to your account that an administrator proposed',
    description:
      'From now on the user of the other account can switch to yours without your password. You need a recent sign-in or confirmation: ' +
      'otherwise 403 with code 4031. To decline the link, delete it.',
    tag,
    access: app('account_link:create'),
    params: ByLink,
    data: LinkView,
    refuses: {
      403: 'You have to confirm that you own the account, one of the users is an administrator now, or your account has a second factor (code 4032).',
    },
    run: ({ ctx, actor, params, caller }) => acceptLink(ctx, actor, params.linkId, caller),
  }),
  listLinkedAccounts,
  alias(listLinkedAccounts, { id: 'auth.accounts', path: '/api/auth/accounts' }),
  endpoint({
    id: 'auth.switchLink',
    method: 'POST',
    path: '/api/auth/link/:linkId/switch',
    summary: 'Switch to a linked account',
    description:
      'Opens a session of that account on this device. The session and the login record show `X-Device-Name`.',
    tag,
    access: signedIn,
    params: ByLink,
    data: LoginResponse,
    keepsCookies: true,
    refuses: { 403: SECOND_FACTOR },
    namesDevice: true,
    run: ({ ctx, actor, params, caller }) => switchAccount(ctx, actor, { id: params.linkId }, caller),
  }),
  endpoint({
    id: 'auth.switchAccount',
    method: 'POST',
    path: '/api/auth/accounts/:targetUserId/switch',
    summary: 'Switch to a linked account by its user id',
    description: 'Use `POST /api/auth/link/{linkId}/switch` instead.',
    tag,
    deprecated: true,
    access: signedIn,
    params: ByTarget,
    data: LoginResponse,
    keepsCookies: true,
    refuses: { 403: SECOND_FACTOR },
    namesDevice: true,
    run: ({ ctx, actor, params, caller }) => switchAccount(ctx, actor, { linkedUserId: params.targetUserId }, caller),
  }),
  endpoint({
    id: 'auth.unlink',
    method: 'DELETE',
    path: '/api/auth/link/:linkId',
    summary: 'Remove a link',
    description:
      'Possible for both accounts of the link. Ends the sessions of the other account that the link opened, and notifies the other side.',
    tag,
    access: signedIn,
    params: ByLink,
    run: ({ ctx, actor, params, caller }) => unlink(ctx, actor, params.linkId, caller),
  }),
]

import { app, endpoint, signedIn } from '#http/endpoint.ts'
import { PageOf, PageQuery } from '#http/schema.ts'

import { CodeSent, ToEmail, ToPhone } from '../codes/model.ts'
import { emailIn, phoneIn } from '../codes/targets.ts'
import { LoginResponse } from '../logins/model.ts'
import { ByLink, ByTarget, Direction, LinkRequest, LinkView } from './model.ts'
import { link, listLinks, sendLinkCode, switchAccount, unlink } from './service.ts'

const tag = 'Linked accounts'
const LIST = 'Accounts that one can switch to; with `direction=INCOMING` those that can switch to one’s own.'

export const linkEndpoints = [
  endpoint({
    id: 'auth.phoneLinkCode',
    method: 'POST',
    path: '/api/auth/sms/link-code',
    summary: 'Send a code to the phone of an account that one wants to link',
    description:
      'Refused with 400 when nobody has the number, or the caller does. 5 a day, counted apart from other codes.',
    tag,
    access: app('account_link:create'),
    body: ToPhone,
    data: CodeSent,
    run: async ({ ctx, actor, body, caller }) => sendLinkCode(ctx, actor, await phoneIn(body), caller),
  }),
  endpoint({
    id: 'auth.emailLinkCode',
    method: 'POST',
    path: '/api/auth/email/link-code',
    summary: 'Send a code to the e-mail of an account that one wants to link',
    description:
      'Refused with 400 when nobody has the e-mail, or the caller does. 5 a day, counted apart from other codes.',
    tag,
    access: app('account_link:create'),
    body: ToEmail,
    data: CodeSent,
    run: ({ ctx, actor, body, caller }) => sendLinkCode(ctx, actor, emailIn(body), caller),
  }),
  endpoint({
    id: 'auth.link',
    method: 'POST',
    path: '/api/auth/link',
    summary: 'Link another account of one’s own',
    description:
      'PASSWORD takes `linkedUserId` and `password`, the others `credential` and `code`. The other account is told.',
    tag,
    access: app('account_link:create'),
    checksSecret: true,
    body: LinkRequest,
    data: LinkView,
    run: ({ ctx, actor, body, caller }) => link(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'auth.links',
    method: 'GET',
    path: '/api/auth/link/list',
    summary: 'Linked accounts',
    description: LIST,
    tag,
    access: signedIn,
    query: PageQuery({ direction: Direction }),
    data: PageOf(LinkView),
    run: ({ ctx, actor, query }) => listLinks(ctx, actor, query),
  }),
  endpoint({
    id: 'auth.accounts',
    method: 'GET',
    path: '/api/auth/accounts',
    summary: 'Linked accounts',
    description: `The same as \`GET /api/auth/link/list\`. ${LIST}`,
    tag,
    access: signedIn,
    query: PageQuery({ direction: Direction }),
    data: PageOf(LinkView),
    run: ({ ctx, actor, query }) => listLinks(ctx, actor, query),
  }),
  endpoint({
    id: 'auth.switchLink',
    method: 'POST',
    path: '/api/auth/link/:linkId/switch',
    summary: 'Switch to a linked account',
    description:
      'Opens a session of that account on this device; `X-Device-Name` is written to it and to the login record.',
    tag,
    access: signedIn,
    params: ByLink,
    data: LoginResponse,
    namesDevice: true,
    run: ({ ctx, actor, params, caller }) => switchAccount(ctx, actor, { id: params.linkId }, caller),
  }),
  endpoint({
    id: 'auth.switchAccount',
    method: 'POST',
    path: '/api/auth/accounts/:targetUserId/switch',
    summary: 'Switch to a linked account by the user’s id',
    description: 'Use `POST /api/auth/link/{linkId}/switch`.',
    tag,
    deprecated: true,
    access: signedIn,
    params: ByTarget,
    data: LoginResponse,
    namesDevice: true,
    run: ({ ctx, actor, params, caller }) => switchAccount(ctx, actor, { linkedUserId: params.targetUserId }, caller),
  }),
  endpoint({
    id: 'auth.unlink',
    method: 'DELETE',
    path: '/api/auth/link/:linkId',
    summary: 'Remove a link',
    description: 'Either side may: who can switch, and who can be switched to.',
    tag,
    access: signedIn,
    params: ByLink,
    run: ({ ctx, actor, params }) => unlink(ctx, actor, params.linkId),
  }),
]

import { endpoint, open, org, signedIn } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { MemberView } from '../members/members.model.ts'
import { acceptByMail, declineByMail, showMailInvitation } from './answers.service.ts'
import {
  ByToken,
  INVITATIONS,
  InviteByMail,
  MailInvitationView,
  MailsInvited,
  MAX_EMAILS,
} from './invite-mails.model.ts'
import { inviteByMail } from './invite-mails.service.ts'

const tag = 'Organization invitations'

export const inviteMailEndpoints = [
  endpoint({
    id: 'orgs.inviteByMail',
    method: 'POST',
    path: '/api/orgs/:id/invite-mails',
    summary: 'Invite people to an organization by mail',
    description:
      `Up to ${MAX_EMAILS} addresses, whether or not somebody with an account has them. The mail contains a link that works once; anyone who has it ` +
      'can use it. The invitations are in the list of the organization, where they can be withdrawn.',
    tag,
    access: org('invitation:create'),
    budgets: [INVITATIONS],
    params: ById,
    body: InviteByMail,
    data: MailsInvited,
    refuses: {
      400: 'The server has no mail server, or an address is not valid.',
      403: 'You have neither a confirmed e-mail nor a PLATFORM role, or the organization is disabled.',
    },
    run: ({ ctx, actor, params, body, caller }) => inviteByMail(ctx, actor, params.id, body, caller.locale),
  }),
  endpoint({
    id: 'orgs.mailInvitation',
    method: 'GET',
    path: '/api/invitations/:token',
    secrets: ['token'],
    isSecretLink: true,
    summary: 'Get the invitation of a link in a mail',
    tag,
    access: open,
    params: ByToken,
    data: MailInvitationView,
    refuses: { 404: 'There is no such invitation, or it was answered, withdrawn or has expired.' },
    run: ({ ctx, params, caller }) => showMailInvitation(ctx, params.token, caller),
  }),
  endpoint({
    id: 'orgs.acceptMailInvitation',
    method: 'POST',
    path: '/api/invitations/:token/accept',
    secrets: ['token'],
    summary: 'Accept the invitation of a link in a mail',
    description: 'You become a member with the role of the invitation. To accept it again changes nothing.',
    tag,
    access: signedIn,
    params: ByToken,
    data: MemberView,
    ignoresKey: 'A repeat by the same user gets the same answer.',
    refuses: {
      400: 'You are a member already, or the organization has reached its member limit.',
      403: 'The organization is disabled.',
      404: 'There is no such invitation, or it was answered, withdrawn or has expired.',
    },
    run: ({ ctx, actor, params, caller }) => acceptByMail(ctx, actor, params.token, caller),
  }),
  endpoint({
    id: 'orgs.declineMailInvitation',
    method: 'POST',
    path: '/api/invitations/:token/decline',
    secrets: ['token'],
    summary: 'Reject the invitation of a link in a mail',
    description: 'The user who sent it is notified.',
    tag,
    access: open,
    params: ByToken,
    refuses: { 404: 'There is no such invitation, or it was answered, withdrawn or has expired.' },
    run: ({ ctx, params, caller }) => declineByMail(ctx, params.token, caller),
  }),
]

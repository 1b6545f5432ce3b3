import { limitOf } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import { Enum, Line, Model, Multiline, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

/** Addresses in one request. */
export const MAX_EMAILS = 500
export const DEFAULT_DAYS = 7
const MAX_DAYS = 30
/** Mails to one address a day, of all organizations and activities. */
export const MAILS_TO_ADDRESS = 2
/** How long a mail waits for the budget of the server. */
export const MAX_WAIT_MS = 3 * DAY
/** How long an address is kept after the end of its invitation. */
export const KEEPS_ADDRESS_MS = 30 * DAY

export const InviteByMail = Model('InviteByMail', {
  emails: Type.Array(Line(254, 1, { examples: ['lin@example.org'] }), { minItems: 1, maxItems: MAX_EMAILS }),
  roleCode: Type.Optional(
    Enum(['MEMBER', 'GUEST'], {
      description: 'MEMBER if left out. Others are not invited by mail, because anyone who has the link can use it',
    }),
  ),
  message: Type.Optional(
    Multiline(500, 0, { description: 'Plain text in the mail, without links', examples: ['See you on Monday.'] }),
  ),
  expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS, default: DEFAULT_DAYS })),
  language: Type.Optional(Enum(['en', 'zh'], { description: 'Of the mail; that of the request if left out' })),
})
export type InviteByMail = Static<typeof InviteByMail>

/** Shared with the other ways to invite. */
export const INVITATIONS: Budget<{ readonly body: Pick<InviteByMail, 'emails'> }> = {
  name: 'invitations',
  counts: { en: 'invitations and join links', zh: '邀请或加入链接' },
  per: 'user',
  limit: limitOf('budget.invitationsPerUser'),
  windowMs: DAY,
  durable: true,
  cost: ({ body }) => body.emails.length,
}

export const MailsInvited = Model('InviteByMailResult', {
  items: Type.Array(
    Type.Object({
      target: Text('lin@example.org', { description: 'As you gave it' }),
      status: Enum(['SENT', 'QUEUED', 'ALREADY_INVITED', 'REFUSED'], {
        description:
          'SENT: the mail is on its way, for up to a day while the mail server does not answer; then the invitation expires. ' +
          'QUEUED: the mails of the day are used up, and this one is sent within three days. ALREADY_INVITED: an invitation to this address is ' +
          `open. REFUSED: the address wants no invitations, takes no mails, or got ${MAILS_TO_ADDRESS} invitations today`,
      }),
    }),
  ),
})
export type MailsInvited = Static<typeof MailsInvited>

export const ByToken = Type.Object({
  token: Line(100, 1, { examples: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'] }),
})

export const MailInvitationView = Model('MailInvitation', {
  org: Type.Object({
    name: Text('Willow Street Library'),
    avatarUrl: Nullable(Text('https://example.com/logo.png')),
    memberCount: Nullable(
      Type.Integer({ minimum: 0, description: 'null unless the organization is public', examples: [12] }),
    ),
  }),
  inviter: Text('Chen Yu', { description: 'Nickname' }),
  email: Text('l***@example.org', { description: 'Shortened, because the mail may have been forwarded' }),
  expiresAt: Time,
  registrationOpen: Type.Boolean({ description: 'Whether you can register with `invitationToken`' }),
})
export type MailInvitationView = Static<typeof MailInvitationView>

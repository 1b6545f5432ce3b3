/** Shape of the overview of an activity for its managers. */

import { Enum, Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

const Count = Type.Integer({ minimum: 0 })

/** In the order in which a manager does them. */
export const NEXT_STEPS = ['PUBLISH', 'ANSWER_REQUESTS', 'ISSUE_PASSES', 'SEND_REMINDER', 'OPEN_GATE'] as const
export type NextStep = (typeof NEXT_STEPS)[number]

export const Overview = Model('ActivityOverview', {
  registrations: Model('OverviewRegistrations', {
    confirmed: Count,
    waiting: Count,
    pending: { ...Count, description: 'Guests who have not confirmed their address yet' },
    cancelled: { ...Count, description: 'With those that managers rejected' },
    capacity: Nullable({ ...Count, description: 'Null without a limit' }),
  }),
  passes: Model('OverviewPasses', {
    issued: { ...Count, description: 'All, with those that were revoked' },
    used: { ...Count, description: 'Let in at the entrance at least once' },
    revoked: Count,
  }),
  checkIns: Model('OverviewCheckIns', { total: Count, users: Count }),
  inside: { ...Count, description: 'Passes whose last use at the entrance was an entry' },
  lists: Type.Array(Model('OverviewList', { listId: Id, name: Text('Workshop A'), admitted: Count, inside: Count }), {
    description: 'The check-in lists in their order',
  }),
  gates: Type.Array(
    Model('OverviewGate', {
      gateId: Id,
      name: Text('Door A'),
      online: Type.Boolean({ description: 'A device was seen in the last two minutes' }),
      admitted: Count,
      refused: Count,
      waiting: { ...Count, description: 'Scans that wait on its devices for a connection, as they said last' },
      lastSeenAt: Nullable({ ...Time, description: 'Null before the first device opens it' }),
    }),
    { description: 'The gates without an account that have not ended, with the numbers of all their devices' },
  ),
  lastMinutes: Type.Array(Model('OverviewMinute', { at: Time, entries: Count }), {
    description: 'Entries of passes at all doors, of the last 60 minutes, the present one last',
  }),
  messages: Model(
    'OverviewMessages',
    { description: 'Of messages and notices that are DONE' },
    { sent: { ...Count, description: 'In the app and by mail' }, failed: { ...Count, description: 'Mails' } },
  ),
  next: Type.Array(Enum(NEXT_STEPS), {
    description:
      '`PUBLISH`: it is a DRAFT. `ANSWER_REQUESTS`: people wait for an approval, or although there are places. `ISSUE_PASSES`: more people have a place than passes are ' +
      'valid, and `autoIssue` is off. `SEND_REMINDER`: it starts within 48 hours, and no message was sent for 7 days. `OPEN_GATE`: it has passes and runs, ' +
      'or starts within 24 hours, and no gate without an account is open',
  }),
})
export type Overview = Static<typeof Overview>

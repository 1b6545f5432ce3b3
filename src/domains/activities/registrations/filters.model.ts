/** Which registrations of an activity a request is about. */

import { REGISTRATION_SOURCES, REGISTRATION_STATUSES } from '#db/schema/activities.ts'
import { Enum, Id, Line, Model, type Static, Type } from '#http/schema.ts'

/** Registrations that a filter may name. */
const MAX_IDS = 5000
/** 5,000 ids of 7 digits. */
const MAX_IDS_TEXT = 40_000
const STATUSES = REGISTRATION_STATUSES.join('|')

const Statuses = Type.String({
  pattern: `^(${STATUSES})(,(${STATUSES}))*$`,
  description: `One or more of ${REGISTRATION_STATUSES.join(', ')}, separated by commas`,
  examples: ['CONFIRMED'],
})

const shared = {
  status: Type.Optional(Statuses),
  pass: Type.Optional(Type.Boolean({ description: 'Whether they hold a live pass', examples: [true] })),
  checkedIn: Type.Optional(
    Type.Boolean({ description: 'Whether they have checked in, or a gate let them in', examples: [false] }),
  ),
  listId: Type.Optional({
    ...Id,
    description:
      'A check-in list of the activity, that `admitted` is about. Without `admitted`: who was admitted there',
    // The activity of the examples has none.
    examples: [],
  }),
  admitted: Type.Optional(
    Type.Boolean({
      description: 'Whether a pass of theirs was admitted to the check-in list `listId`, or without it at the entrance',
      examples: [false],
    }),
  ),
  guest: Type.Optional(Type.Boolean({ description: 'Whether they have no account', examples: [false] })),
  source: Type.Optional(Enum(REGISTRATION_SOURCES, { description: 'How they were registered', examples: ['MANUAL'] })),
  keyword: Type.Optional(
    Line(100, 1, { description: 'Searched for in names, e-mail addresses and notes', examples: ['lin'] }),
  ),
}

export const filterFields = {
  ...shared,
  ids: Type.Optional(
    Type.Array(Id, { maxItems: MAX_IDS, uniqueItems: true, description: 'Ids of registrations', examples: [[42]] }),
  ),
}
export const FILTER_DESCRIPTION = 'Participants who meet all of this. Without `status`, CONFIRMED and WAITING ones'
export const ParticipantFilter = Model(
  'ParticipantFilter',
  { description: FILTER_DESCRIPTION, additionalProperties: false },
  filterFields,
)
export type ParticipantFilter = Static<typeof ParticipantFilter>

/** The same as parameters of a list. */
export const filterParameters = {
  ...shared,
  status: Type.Optional({ ...Statuses, description: `${Statuses.description}. All but PENDING by default` }),
  keyword: Type.Optional(
    Line(100, 0, {
      description: 'Searched for in names and e-mail addresses, and in notes if you manage the activity',
      examples: ['lin'],
    }),
  ),
  ids: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}(,[0-9]{1,15})*$',
      maxLength: MAX_IDS_TEXT,
      description: 'Ids of registrations, separated by commas',
      examples: ['42'],
    }),
  ),
}

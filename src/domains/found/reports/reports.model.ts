import { FOUND_KINDS, FOUND_STATUSES } from '#db/schema/found.ts'
import {
  Enum,
  Id,
  Latitude,
  Longitude,
  Model,
  Multiline,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { MAX_MESSAGE } from '../forms/forms.model.ts'

/** Of each side, in one conversation. */
export const FINDER_MESSAGES = 30
export const OWNER_MESSAGES = 100
/** The conversation ends so long after its last message. */
export const THREAD_MS = 30 * DAY
/** A position is deleted so long after its report. */
export const POSITION_MS = 30 * DAY
/** A report is deleted so long after the end of its conversation. */
export const REPORT_MS = 180 * DAY

const Kind = Named('FoundKind', Enum(FOUND_KINDS, { examples: ['ASSET'] }))
const Status = Named('FoundStatus', Enum(FOUND_STATUSES, { examples: ['OPEN'] }))

export const FoundMessage = Model('FoundMessage', {
  fromOwner: Type.Boolean(),
  text: Text('I found your violin at the bus stop in Willow Street.'),
  at: Time,
})
export type FoundMessage = Static<typeof FoundMessage>

export const FoundReportView = Model('FoundReport', {
  id: Id,
  kind: Kind,
  targetId: { ...Id, description: 'The asset or QR code' },
  orgId: { ...Nullable(Id), description: 'The organization that owns it' },
  title: Text('Violin 3', { description: 'The name of the thing when the report was sent' }),
  status: Status,
  messages: Type.Array(FoundMessage, { description: 'In their order. Lists show the newest only' }),
  contact: Nullable(Text('Bus driver of line 12, on weekdays', { description: 'As the finder wrote it' })),
  position: Nullable(
    Model(
      'FoundPosition',
      { description: 'Where the finder was, if the finder wanted to tell it. Deleted after 30 days' },
      {
        latitude: Latitude,
        longitude: Longitude,
        accuracy: Nullable(Type.Number({ minimum: 0, description: 'Metres', examples: [12] })),
        address: Nullable(Text('Willow Street 4', { description: 'Null: no address is looked up' })),
      },
    ),
  ),
  endsAt: { ...Time, description: 'When the conversation ends, unless somebody writes before' },
  createdAt: Time,
  updatedAt: Time,
})
export type FoundReportView = Static<typeof FoundReportView>
export const FoundReportPage = PageOf(FoundReportView)

export const ReportsQuery = PageQuery({ status: Type.Optional(Status), orgId: Type.Optional(Id) })
export type ReportsQuery = Static<typeof ReportsQuery>

export const NewFoundMessage = Model('NewFoundMessage', {
  message: Multiline(MAX_MESSAGE, 1, { examples: ['Thank you! Could you leave it at the reception?'] }),
})
export const FoundReportStatus = Model('FoundReportStatus', { status: Status })

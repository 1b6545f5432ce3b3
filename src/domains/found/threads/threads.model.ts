import { FOUND_STATUSES } from '#db/schema/found.ts'
import {
  Documented,
  Enum,
  Latitude,
  Line,
  Longitude,
  Model,
  Multiline,
  Nullable,
  Raw,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { MAX_CONTACT, MAX_MESSAGE } from '../forms/forms.model.ts'
import { FoundMessage } from '../reports/reports.model.ts'

export const ByKey = Type.Object({ key: Raw(500, 1, { examples: ['kV7n0dB1Yx2m5GqT'] }) })
export const BySecret = Type.Object({ secret: Raw(100, 1, { examples: ['q8Jm2Vd0Tz4xYwB7nKcR1A'] }) })

/** Browsers send a line break as two characters, and count one. */
const Message = Documented(
  Multiline(2 * MAX_MESSAGE, 1, { examples: ['I found your violin at the bus stop in Willow Street.'] }),
  { maxLength: MAX_MESSAGE },
)

const position = {
  latitude: Type.Optional(Nullable(Latitude)),
  longitude: Type.Optional(Nullable(Longitude)),
  accuracy: Type.Optional(
    Nullable(Type.Number({ minimum: 0, maximum: 100_000_000, description: 'Metres', examples: [12] })),
  ),
}
export const NewReport = Model('NewFoundReport', {
  message: Message,
  contact: Type.Optional(Nullable(Line(MAX_CONTACT, 0, { examples: ['Bus driver of line 12, on weekdays'] }))),
  ...position,
})
export type NewReport = Static<typeof NewReport>

export const FinderMessage = Model('FinderMessage', { message: Message })

export const StartedThread = Model('StartedFoundThread', {
  threadUrl: Text('https://qr.example.org/public/found/thread/q8Jm2Vd0Tz4xYwB7nKcR1A', {
    description: 'The page of the conversation. Anyone who knows it can read and write there',
  }),
})

export const ThreadView = Model('FoundThread', {
  status: Enum(FOUND_STATUSES, { examples: ['OPEN'] }),
  messages: Type.Array(FoundMessage),
  canWrite: Type.Boolean(),
  endsAt: { ...Time, description: 'When the conversation ends, unless somebody writes before' },
})
export type ThreadView = Static<typeof ThreadView>

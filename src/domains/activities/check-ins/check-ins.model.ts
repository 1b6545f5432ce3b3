/** Shapes of check-ins in requests and answers. */

import { CHECK_IN_METHODS } from '#db/schema/activities.ts'
import {
  ActivityExportZone,
  AnyCaseEnum,
  Enum,
  Id,
  Latitude,
  Line,
  Longitude,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  Raw,
  type Static,
  Text,
  Time,
  TimeZone,
  Type,
} from '#http/schema.ts'

import { InviteCode, SEEN } from '../visibility/visibility.model.ts'

export const Method = Named('CheckInMethod', Enum(CHECK_IN_METHODS))

const together = { dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] } }

export const CreateCheckIn = Model('CreateCheckIn', together, {
  latitude: Type.Optional(Nullable(Latitude)),
  longitude: Type.Optional(Nullable(Longitude)),
  accuracy: Type.Optional(
    Nullable(
      Type.Number({
        minimum: 0,
        description: 'Metres by which the position may be wrong, as the phone says. At most 50 are taken into account',
        examples: [12.5],
      }),
    ),
  ),
  shortCode: Type.Optional(Nullable(Line(64, 0, { examples: ['4711'] }))),
  code: Type.Optional(
    Nullable(
      Raw(2000, 0, {
        description: 'The content of a scanned code of the activity, unchanged, or its invite code',
        examples: ['activity:42:KQ7MPX2WRT'],
      }),
    ),
  ),
  inviteCode: Type.Optional(Nullable(InviteCode)),
  orgId: Type.Optional(Nullable(Id)),
})
export type CreateCheckIn = Static<typeof CreateCheckIn>

export const CheckInView = Model('CheckIn', {
  id: Id,
  activityId: Id,
  userId: Nullable({ ...Id, description: 'Null for a guest' }),
  registrationId: Nullable({ ...Id, description: 'Of a guest, who was checked in by hand; otherwise null' }),
  nickname: Text('Lin Mei'),
  method: Method,
  distance: Nullable(
    Type.Integer({ minimum: 0, description: 'Metres from the centre of the radius, if the activity has one' }),
  ),
  sequence: Type.Integer({ minimum: 1, description: '1 for the first check-in of the user in the activity' }),
  checkedInAt: Time,
})
export type CheckInView = Static<typeof CheckInView>
export const CheckInPage = PageOf(CheckInView)

export const RecordsQuery = PageQuery({
  ...SEEN,
  userId: Type.Optional(Id),
  method: Type.Optional(Method),
  from: Type.Optional({ ...Time, description: 'Only check-ins at this time or later' }),
  to: Type.Optional({ ...Time, description: 'Only check-ins at this time or earlier' }),
  keyword: Type.Optional(Line(100, 0, { description: 'Searched for in the nicknames of users', examples: ['lin'] })),
  format: Type.Optional(AnyCaseEnum(['json', 'xlsx'], { description: '`xlsx` answers with a workbook of all pages' })),
  tz: ActivityExportZone,
})
export type RecordsQuery = Static<typeof RecordsQuery>

export const StatsQuery = Type.Object({ ...SEEN, tz: TimeZone })
export type StatsQuery = Static<typeof StatsQuery>

const Count = Type.Integer({ minimum: 0 })

export const CheckInStats = Model('CheckInStats', {
  total: Count,
  users: Type.Integer({ minimum: 0, description: 'Users who checked in at least once' }),
  repeated: Type.Integer({ minimum: 0, description: 'Check-ins after the first one of the same user' }),
  byHour: Type.Array(Type.Object({ hour: Type.Integer({ minimum: 0, maximum: 23, examples: [19] }), count: Count }), {
    description: 'All 24 hours of the day in the zone `tz`; days are added up',
  }),
  byMethod: Type.Object({
    GPS: Count,
    CODE: Count,
    QR: Count,
    MANUAL: Type.Optional({ ...Count, description: 'Only if there are any' }),
  }),
})
export type CheckInStats = Static<typeof CheckInStats>

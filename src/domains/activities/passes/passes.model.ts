/** Shapes of passes in requests and answers. */

import {
  ActivityExportZone,
  Enum,
  Id,
  Line,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { SEEN } from '../visibility/visibility.model.ts'
import { PASS_STATUSES } from './passes.rules.ts'

export const Status = Named(
  'PassStatus',
  Enum(PASS_STATUSES, {
    description: 'The first that applies of `REVOKED`, `EXPIRED`, `USED` (no uses left) and `ISSUED`',
  }),
)

export const MaxUses = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'Entries; 0 for any number',
  examples: [1],
})

export const PassView = Model('Pass', {
  id: Id,
  uuid: Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'),
  activityId: Id,
  templateId: Nullable(Id),
  holderUserId: Nullable({ ...Id, description: 'Null for a guest without an account' }),
  holderName: Text('Lin Mei'),
  fields: Type.Array(Model('PassField', { key: Text('seat'), label: Text('Seat'), value: Text('Row 4, seat 12') })),
  color: Nullable(Text('#1f6feb', { description: 'Of the template at the issue' })),
  status: Status,
  validFrom: Nullable(Time),
  validTo: Nullable(Time),
  followsActivity: Type.Boolean({
    description: 'It was issued without an end: `validTo` is the end of the activity, also after that is moved',
  }),
  maxUses: MaxUses,
  usedCount: Type.Integer({ minimum: 0 }),
  lastUsedAt: Nullable(Time),
  revokedAt: Nullable(Time),
  revokeReason: Nullable(Text('Lost')),
  qrContent: Nullable(
    Text(`HTTPS://QR.EXAMPLE.ORG/S/PASS/AEAX6DBND2${'A'.repeat(144)}`, {
      description: 'The signed link for the QR code. For managers and the holder only',
    }),
  ),
  publicUrl: Text('https://qr.example.org/s/pass/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f', {
    description: 'The page of the pass. The link needs no sign-in, so it is as good as the pass',
  }),
  createdAt: Time,
})
export type PassView = Static<typeof PassView>

export const PassWithLists = Model('PassWithLists', {
  ...PassView.properties,
  lists: Type.Array(
    Model('ListOfPass', {
      listId: Id,
      name: Text('Workshop A'),
      used: Type.Integer({ minimum: 0, description: 'Entries; returns after an exit are not counted' }),
      inside: Type.Boolean({ description: 'The last use on the list was an entry' }),
      lastUsedAt: Nullable(Time),
    }),
    { description: 'The check-in lists of the activity, in their order' },
  ),
})
export type PassWithLists = Static<typeof PassWithLists>

export const PublicPass = Model('PublicPass', {
  uuid: Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'),
  holderName: Text('L**', { description: 'The first character and two asterisks' }),
  status: Status,
  validFrom: Nullable(Time),
  validTo: Nullable(Time),
})
export type PublicPass = Static<typeof PublicPass>

export const ByPass = Type.Object({ passId: Id })

export const RevokePass = Model('RevokePass', {
  orgId: Type.Optional(Nullable(Id)),
  reason: Type.Optional(Nullable(Line(200, 0, { examples: ['Lost'] }))),
})
export type RevokePass = Static<typeof RevokePass>

const PASS_FORMATS = ['csv', 'zip', 'pdf'] as const
/** The media types of these formats. */
export const PASS_FORMAT_TYPES = 'text/csv, application/zip, application/pdf'

export const PassesQuery = PageQuery({
  ...SEEN,
  status: Type.Optional(Status),
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched for in the name and the fields; or a whole `uuid`', examples: ['Lin'] }),
  ),
  userId: Type.Optional({ ...Id, description: 'Only passes of this user' }),
  format: Type.Optional(
    Enum(PASS_FORMATS, {
      description:
        'For managers: all passes that the filters select, as a table (`csv`), as a zip of a PNG for each pass and `index.csv`, or for ' +
        'printing (`pdf`), eight on each page of A4. Expired and revoked passes are printed without a code',
    }),
  ),
  tz: ActivityExportZone,
})
export type PassesQuery = Static<typeof PassesQuery>
export const PassPage = PageOf(PassView)

import { ITEM_STATES, RESERVATION_STATUSES } from '#db/schema/reservations.ts'
import { ownerFields, ownerFilters } from '#domains/admin/index.ts'
import type { Budget } from '#http/budget.ts'
import {
  Description,
  Enum,
  Id,
  Line,
  Model,
  Name,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  RowVersion,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { AssetCondition } from '../loans/loans.model.ts'

/** Items of one reservation, and codes of one pick-up or return. */
export const MAX_ITEMS = 100
/** Of a member who is not a keeper. */
export const MAX_OPEN = 20
export const MAX_OPEN_ITEMS = 100
/** Entries of a calendar, and the days that it may show. */
export const MAX_ENTRIES = 5000
export const MAX_CALENDAR_DAYS = 93
/** A number of things that somebody has to hand out. */
const MAX_QUANTITY = 1_000_000_000
const MAX_CODE = 2000

export const REQUESTS: Budget = {
  name: 'asset-reservations',
  counts: { en: 'requests for reservations', zh: '预约请求次数' },
  per: 'user',
  limit: 100,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}
/** Keepers reserve for others and decide. */
export const KEEPER_WRITES: Budget = {
  name: 'asset-reservation-writes',
  counts: { en: 'changes of reservations', zh: '预约变更次数' },
  per: 'user',
  limit: 5000,
  windowMs: DAY,
  durable: true,
}

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))
const OrgId = optional(Id)

export const ReservationStatusName = Named(
  'AssetReservationStatus',
  Enum(RESERVATION_STATUSES, { examples: ['APPROVED'] }),
)

const Quantity = Type.Integer({ minimum: 1, maximum: MAX_QUANTITY, examples: [10] })
const ItemInput = Model(
  'NewAssetReservationItem',
  { 'x-alternatives': { keyword: 'oneOf', options: ['assetId', 'categoryId', 'supplyId'] } },
  {
    assetId: optional({ ...Id, description: 'This asset' }),
    categoryId: optional({
      ...Id,
      description: 'So many assets of this category and those below it that are free: those with the first numbers',
    }),
    supplyId: optional({ ...Id, description: 'So many of this supply, which must be a POOL' }),
    quantity: optional({ ...Quantity, description: 'Required with `categoryId` and `supplyId`' }),
  },
)
export type ItemInput = Static<typeof ItemInput>
const Items = Type.Array(ItemInput, { minItems: 1, maxItems: MAX_ITEMS, examples: [[{ assetId: 42 }]] })

const Purpose = optional(Line(200, 0, { examples: ['Physics, class 9b'] }))
const From = { ...Time, description: 'When it begins; at most five minutes ago', examples: [1_767_254_400_000] }
const To = {
  ...Time,
  description: 'When it ends; from then on others can have the assets',
  examples: [1_767_261_600_000],
}
const Reason = Line(200, 0, { examples: ['The lesson is cancelled'] })

const createExamples = [
  { orgId: 42, items: [{ assetId: 42 }], from: 1_767_254_400_000, to: 1_767_261_600_000, purpose: 'Physics, class 9b' },
]
export const CreateReservation = Model(
  'CreateAssetReservation',
  { examples: createExamples },
  {
    orgId: optional({ ...Id, description: 'Required: only organizations have reservations' }),
    items: Items,
    from: From,
    to: To,
    purpose: Purpose,
    userId: optional({ ...Id, description: 'The member for whom it is; you by default. Others need `asset:transfer`' }),
    personName: optional({
      ...Name,
      description: 'Instead of `userId`, a person without an account',
      examples: ['Ms Chen'],
    }),
    requestId: Type.Optional(
      Nullable(
        Line(64, 8, {
          description:
            'Made by the client. If you send the same one again within 7 days, you get the first reservation',
          examples: ['7f0c2d1e-4b5a-4c6d'],
        }),
      ),
    ),
  },
)
export type CreateReservation = Static<typeof CreateReservation>

export const UpdateReservation = Named(
  'UpdateAssetReservation',
  Type.Partial(Type.Object({ from: From, to: To, items: Items, purpose: Purpose, orgId: OrgId }), {
    examples: [{ to: 1_767_268_800_000 }],
  }),
)
export type UpdateReservation = Static<typeof UpdateReservation>

export const CancelReservation = Model('CancelAssetReservation', { reason: optional(Reason), orgId: OrgId })
export type CancelReservation = Static<typeof CancelReservation>
export const ApproveReservation = Model('ApproveAssetReservation', { note: optional(Description), orgId: OrgId })
export type ApproveReservation = Static<typeof ApproveReservation>
export const RejectReservation = Model('RejectAssetReservation', {
  reason: { ...Line(200, 1), examples: ['We need it for the exams'] },
  orgId: OrgId,
})
export type RejectReservation = Static<typeof RejectReservation>

const which = {
  codes: optional(
    Type.Array(Line(MAX_CODE, 1), {
      minItems: 1,
      maxItems: MAX_ITEMS,
      description:
        'Scanned texts: addresses of public pages, asset numbers, or serial numbers that only one asset has. Each is judged by itself',
      examples: [['A-2026-00042']],
    }),
  ),
  assetIds: optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: MAX_ITEMS,
      uniqueItems: true,
      description: 'These assets of the reservation, all or none',
      examples: [[42]],
    }),
  ),
}
export const PickUp = Model('PickUpAssetReservation', {
  ...which,
  dueAt: optional({ ...Time, description: 'When the loans are due; the end of the reservation by default' }),
  note: optional(Description),
  orgId: OrgId,
})
export type PickUp = Static<typeof PickUp>
export const ReturnItems = Model('ReturnAssetReservation', {
  ...which,
  condition: optional(AssetCondition),
  locationId: optional({ ...Id, description: 'Where the assets are now. It becomes their location' }),
  note: optional(Description),
  orgId: OrgId,
})
export type ReturnItems = Static<typeof ReturnItems>

const ItemView = Model('AssetReservationItem', {
  assetId: Nullable(Id),
  supplyId: Nullable({ ...Id, examples: [null] }),
  quantity: Type.Integer({ minimum: 1, description: '1 for an asset', examples: [1] }),
  name: Text('Tablet 7'),
  assetNo: Text('A-2026-00042', { description: 'For a supply, its number' }),
  state: Enum(ITEM_STATES, { examples: ['WAITING'] }),
})
export type ItemView = Static<typeof ItemView>

const hidden = ' Null if it is the reservation of somebody else and you are not a keeper'
const reservation = {
  id: Id,
  orgId: Id,
  status: ReservationStatusName,
  items: Type.Array(ItemView),
  from: Time,
  to: Time,
  userId: Nullable({ ...Id, description: `For whom it is.${hidden}` }),
  userName: Nullable(Text('Ann', { description: `The name at the time of the request.${hidden}` })),
  personName: Nullable(Text('Ms Chen', { examples: [null], description: `A person without an account.${hidden}` })),
  purpose: Nullable(Text('Physics, class 9b', { description: hidden.trim() })),
  note: Nullable(Text('In room 12', { description: `From the keeper.${hidden}` })),
  reason: Nullable(Text('', { description: `Why it was rejected or cancelled.${hidden}` })),
  decidedBy: Nullable({ ...Id, description: `The keeper who approved or rejected it.${hidden}` }),
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
}
export const ReservationView = Model('AssetReservation', reservation)
export type ReservationView = Static<typeof ReservationView>
export const ReservationPage = PageOf(ReservationView)

export const SCAN_RESULTS = ['OUT', 'RETURNED', 'EXCHANGED', 'NOT_PART', 'UNKNOWN', 'UNAVAILABLE'] as const
const ScanResult = Model('AssetReservationScan', {
  code: Nullable(Text('A-2026-00042', { description: 'As you sent it; null if you sent none' })),
  assetId: Nullable(Id),
  result: Enum(SCAN_RESULTS, { examples: ['OUT'] }),
})
export type ScanResult = Static<typeof ScanResult>
export const HandledReservation = Model('HandledAssetReservation', {
  ...reservation,
  results: Type.Array(ScanResult),
})
export type HandledReservation = Static<typeof HandledReservation>

const overlap = {
  from: Type.Optional({ ...Time, description: 'Only those that end after this time' }),
  to: Type.Optional({
    ...Time,
    description: 'Only those that begin before this time; after `from`',
    examples: [1_767_232_800_000],
  }),
}
const filters = {
  status: Type.Optional(
    Type.Array(ReservationStatusName, { maxItems: 20, description: 'One or more, separated by commas' }),
  ),
  assetId: Type.Optional(Id),
  categoryId: Type.Optional({ ...Id, description: 'With an asset of this category, or of one below it' }),
  ...overlap,
}
export const ReservationsQuery = PageQuery({
  orgId: { ...Id, description: 'Only organizations have reservations' },
  ...filters,
  userId: Type.Optional({ ...Id, description: 'For this member. Unless you are a keeper, only your own id finds any' }),
  mine: Type.Optional(Type.Boolean({ description: 'If true, only those that are for you' })),
})
export type ReservationsQuery = Static<typeof ReservationsQuery>

export const AllReservationsQuery = PageQuery({
  status: filters.status,
  ...ownerFilters,
  sort: Sort(['createdAt']),
})
export type AllReservationsQuery = Static<typeof AllReservationsQuery>
export const AnyReservationView = Model('AdminAssetReservation', { ...reservation, ...ownerFields })
export type AnyReservationView = Static<typeof AnyReservationView>
export const AnyReservationPage = PageOf(AnyReservationView)

export const CalendarQuery = Type.Object({
  orgId: { ...Id, description: 'Only organizations have reservations' },
  from: Time,
  to: { ...Time, description: `At most ${MAX_CALENDAR_DAYS} days after \`from\``, examples: [1_767_830_400_000] },
  assetId: Type.Optional(Id),
  categoryId: Type.Optional({ ...Id, description: 'Assets of this category and those below it' }),
  locationId: Type.Optional({ ...Id, description: 'Assets at this location and those below it' }),
})
export type CalendarQuery = Static<typeof CalendarQuery>

const Entry = Model('AssetCalendarEntry', {
  assetId: Nullable(Id),
  supplyId: Nullable({ ...Id, examples: [null] }),
  quantity: Type.Integer({ minimum: 1, examples: [1] }),
  from: Time,
  to: Nullable({ ...Time, description: 'Null for a loan without a due date' }),
  kind: Enum(['RESERVATION', 'LOAN', 'MAINTENANCE'], { examples: ['RESERVATION'] }),
  reservationId: Nullable(Id),
  name: Nullable(
    Text('Ann', {
      description:
        'Who has it, or the plan of the maintenance. Null for reservations and loans of others, unless you are a keeper',
    }),
  ),
})
export type CalendarEntry = Static<typeof Entry>
export const ReservationCalendar = Model('AssetReservationCalendar', {
  items: Type.Array(Entry),
  truncated: Type.Boolean({ description: `Whether there are more than ${MAX_ENTRIES} entries` }),
})
export type ReservationCalendar = Static<typeof ReservationCalendar>

export const AvailableQuery = PageQuery({
  orgId: { ...Id, description: 'Only organizations have reservations' },
  from: Time,
  to: { ...Time, examples: [1_767_232_800_000] },
  categoryId: Type.Optional({ ...Id, description: 'Assets of this category and those below it' }),
})
export type AvailableQuery = Static<typeof AvailableQuery>

import { CONDITIONS } from '#db/schema/assets.ts'
import type { Budget } from '#http/budget.ts'
import {
  Description,
  Enum,
  Id,
  Model,
  Name,
  Named,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

const CHECK_OUTS_A_DAY = 2000
export const CHECK_OUTS: Budget = {
  name: 'check-outs',
  counts: { en: 'check-outs of assets', zh: '资产借出次数' },
  per: 'user',
  limit: CHECK_OUTS_A_DAY,
  windowMs: DAY,
  durable: true,
}

export const AssetCondition = Named('AssetCondition', Enum(CONDITIONS, { examples: ['GOOD'] }))
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export const CheckOut = OneOf('CheckOutAsset', ['userId', 'personName'], {
  userId: optional({ ...Id, description: 'The borrower: a member of the organization. For your own assets, you' }),
  personName: optional({ ...Name, description: 'A borrower without an account', examples: ['Ms Chen, site 4'] }),
  dueAt: optional({ ...Time, description: 'When the asset is to be returned' }),
  note: optional(Description),
  ignoreReservations: Type.Optional(
    Type.Boolean({ description: 'If true, it is lent although somebody else has reserved it for that time' }),
  ),
  orgId: optional(Id),
})
export type CheckOut = Static<typeof CheckOut>

export const CheckIn = Model('CheckInAsset', {
  condition: optional(AssetCondition),
  locationId: optional({ ...Id, description: 'Where the asset is now. It becomes the location of the asset' }),
  note: optional(Description),
  orgId: optional(Id),
})
export type CheckIn = Static<typeof CheckIn>

export const LoansQuery = PageQuery({
  orgId: Type.Optional(Id),
  open: Type.Optional(Type.Boolean({ description: 'Whether the asset has not been returned yet' })),
  overdue: Type.Optional(Type.Boolean({ description: 'Whether the asset should have been returned by now' })),
  assetId: Type.Optional(Id),
  userId: Type.Optional({ ...Id, description: 'The borrower' }),
})
export type LoansQuery = Static<typeof LoansQuery>

export const LoanView = Model('AssetLoan', {
  id: Id,
  assetId: Id,
  userId: Nullable(Id),
  personName: Nullable(Text('Ms Chen, site 4')),
  dueAt: Nullable(Time),
  overdue: Type.Boolean({ description: 'Whether it is open and `dueAt` has passed' }),
  note: Text('With the charger'),
  condition: Nullable({ ...AssetCondition, description: 'At the return' }),
  returnNote: Text('The charger is missing'),
  checkedOutAt: Time,
  checkedInAt: Nullable(Time),
  operatorId: { ...Id, description: 'The user who checked the asset out' },
  reservationId: Nullable({ ...Id, description: 'The reservation for which it was picked up' }),
})
export type LoanView = Static<typeof LoanView>
export const LoanPage = PageOf(LoanView)

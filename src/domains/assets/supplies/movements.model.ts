/** Shapes of movements of supplies in requests and answers. */

import { MOVEMENT_TYPES } from '#db/schema/supplies.ts'
import type { Budget } from '#http/budget.ts'
import {
  Description,
  Enum,
  ExportZone,
  Id,
  Line,
  Model,
  Name,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { TABLE_FORMATS } from '#http/tables.ts'
import { DAY } from '#platform/clock.ts'

import { PriceInput } from '../register/register.model.ts'
import { MAX_QUANTITY, Quantity } from './supplies.model.ts'

export const MAX_MOVEMENTS = 200
/** Repetitions with the same `requestId` get the first answer for so long. */
export const REQUESTS_KEPT_MS = 7 * DAY

const COUNTS = { en: 'movements of supplies', zh: '物料出入库次数' }
const MOVEMENTS_A_DAY = 200_000
/** Of all members together, and of a user's own supplies. */
export const ORG_MOVEMENTS: Budget = {
  name: 'supply-movements',
  counts: COUNTS,
  per: 'organization',
  limit: MOVEMENTS_A_DAY,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}
export const OWN_MOVEMENTS: Budget = { ...ORG_MOVEMENTS, per: 'user' }
/** Pieces that members take for themselves. */
export const SELF_SERVICE: Budget = {
  name: 'supply-self-service',
  counts: { en: 'pieces taken for yourself', zh: '自助领用件数' },
  per: 'user',
  limit: 200,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export const MovementTypeName = Named(
  'SupplyMovementType',
  Enum(MOVEMENT_TYPES, {
    description:
      'IN: bought. TAKE: used up or lent out. RETURN: of a POOL. MOVE: to another place. COUNT: `quantity` was counted there. WRITE_OFF: lost or broken',
    examples: ['TAKE'],
  }),
)
export const RequestId = Line(64, 8, {
  description:
    'Made by you, for a repetition after a lost answer: the same one gets the first answer, and nothing is booked twice. Kept for 7 days',
  examples: ['c1f5c2f0-6c1e-4d5b'],
})

const movement = {
  type: MovementTypeName,
  quantity: Quantity(0, 5, 'At least 1; 0 is possible for COUNT'),
  locationId: optional({
    ...Id,
    description: 'Where. Without it: those without a place, or the only place where there are any',
  }),
  toLocationId: optional({ ...Id, description: 'With MOVE only; without it they have no place afterwards' }),
  userId: optional({ ...Id, description: 'Who takes or returns them: a member. Not with `personName`' }),
  personName: optional({ ...Name, description: 'Somebody without an account', examples: ['Ms Chen'] }),
  price: optional(PriceInput),
  note: optional(Description),
  dueAt: optional({ ...Time, description: 'When those of a POOL are to come back' }),
}
const examples = [{ type: 'IN', quantity: 5, price: '4.90', note: 'Delivery', requestId: 'c1f5c2f0-6c1e-4d5b' }]
export const CreateMovement = Model(
  'CreateSupplyMovement',
  { examples },
  { ...movement, requestId: optional(RequestId), orgId: optional(Id) },
)
export type CreateMovement = Static<typeof CreateMovement>
export const MovementItem = Model('SupplyMovementItem', { supplyId: Id, ...movement, requestId: optional(RequestId) })
export type MovementItem = Static<typeof MovementItem>
const severalExamples = [{ items: [{ supplyId: 42, type: 'IN', quantity: 5 }], requestId: '7b8d0e55-1f6a-4a0e' }]
export const CreateMovements = Model(
  'CreateSupplyMovements',
  { examples: severalExamples },
  {
    items: Type.Array(MovementItem, { minItems: 1, maxItems: MAX_MOVEMENTS }),
    requestId: optional(RequestId),
    orgId: optional(Id),
  },
)
export type CreateMovements = Static<typeof CreateMovements>
export const ReverseMovement = Model('ReverseSupplyMovement', { note: optional(Description), orgId: optional(Id) })
export type ReverseMovement = Static<typeof ReverseMovement>

export const MovementsQuery = PageQuery({
  orgId: Type.Optional(Id),
  supplyId: Type.Optional(Id),
  type: Type.Optional(MovementTypeName),
  userId: Type.Optional({ ...Id, description: 'Who took or returned them' }),
  locationId: Type.Optional({ ...Id, description: 'From or to this location' }),
  from: Type.Optional({ ...Time, description: 'Booked at this time or later' }),
  to: Type.Optional({ ...Time, description: 'Booked before this time' }),
  format: Type.Optional(Enum(TABLE_FORMATS, { description: 'All of them as a file, instead of a page' })),
  tz: ExportZone,
  lang: Type.Optional(
    Enum(['en', 'zh'], { description: 'Of the words in the file; that of `Accept-Language` by default' }),
  ),
})
export type MovementsQuery = Static<typeof MovementsQuery>

export const MovementView = Model('SupplyMovement', {
  id: Id,
  supplyId: Id,
  supplyName: Text('Whiteboard markers'),
  type: MovementTypeName,
  quantity: Quantity(0, 5),
  difference: Type.Integer({
    minimum: -MAX_QUANTITY,
    maximum: MAX_QUANTITY,
    description: 'How many more there are after it',
    examples: [-5],
  }),
  stockAfter: Quantity(0, 43),
  locationId: Nullable(Id),
  toLocationId: Nullable(Id),
  userId: Nullable(Id),
  personName: Nullable(Text('Ms Chen', { description: 'The name at that time, also of `userId`' })),
  price: Nullable(Text('4.90', { description: 'Of one, with two decimals' })),
  note: Text('For room 12'),
  dueAt: Nullable(Time),
  operatorId: Id,
  operatorName: Text('Anna', { description: 'The name at that time' }),
  reverses: Nullable({ ...Id, description: 'The movement whose opposite this one is' }),
  reversedBy: Nullable({ ...Id, description: 'The movement that is the opposite of this one' }),
  createdAt: Time,
})
export type MovementView = Static<typeof MovementView>
export const MovementPage = PageOf(MovementView)
export const Movements = Type.Object({ items: Type.Array(MovementView) })

export const LoansQuery = PageQuery({
  orgId: Type.Optional(Id),
  userId: Type.Optional({ ...Id, description: 'Only the loan of this user' }),
})
export type LoansQuery = Static<typeof LoansQuery>
export const LoanView = Model('SupplyLoan', {
  userId: Nullable(Id),
  personName: Text('Ms Chen'),
  quantity: Quantity(1, 5),
  dueAt: Nullable({ ...Time, description: 'When the last of them are to come back' }),
})
export type LoanView = Static<typeof LoanView>
export const LoanPage = PageOf(LoanView)

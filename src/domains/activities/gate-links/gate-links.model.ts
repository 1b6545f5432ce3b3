/** Shapes of gates without an account, as managers see them. */

import { GATE_DIRECTIONS } from '#db/schema/activity-gates.ts'
import type { Budget } from '#http/budget.ts'
import {
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
import { DAY } from '#platform/clock.ts'

import { MAX_LISTS } from '../check-in-lists/check-in-lists.model.ts'

/** Ended gates stay in the list. */
export const newGates: Budget = {
  name: 'gates',
  counts: { en: 'new gates', zh: '新检票口' },
  per: 'user',
  limit: 500,
  windowMs: DAY,
  durable: true,
}

const MAX_DEVICES = 50
export const DEFAULT_DEVICES = 5

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

const GateName = Line(100, 1, { examples: ['Main entrance'] })
export const Directions = Named(
  'GateDirections',
  Enum(GATE_DIRECTIONS, { description: 'Whether the gate scans entries, exits or both', examples: ['BOTH'] }),
)
const MaxDevices = Type.Integer({
  minimum: 1,
  maximum: MAX_DEVICES,
  description: 'Devices that may open the link',
  examples: [DEFAULT_DEVICES],
})
const flag = (description: string) => Type.Boolean({ description, examples: [true] })
const SHOW_NAMES = 'Whether it sees names and fields of passes. Otherwise the first character of the name'
const CAN_UNDO = 'Whether it may undo its own scans of the last 15 minutes'
const CAN_SEARCH = 'Whether it may look up passes by name. Never without `showNames`'

export const ListIds = Type.Array(Nullable(Id), {
  minItems: 1,
  maxItems: MAX_LISTS + 1,
  uniqueItems: true,
  description: 'Ids of the check-in lists that it is for, with null for the entrance of the activity',
  examples: [[null]],
})

const settings = {
  listIds: optional({ ...ListIds, description: `${ListIds.description}. All of them by default` }),
  showNames: optional(flag(`${SHOW_NAMES}. True by default`)),
  canUndo: optional(flag(`${CAN_UNDO}. True by default`)),
  canSearch: optional(flag(`${CAN_SEARCH}. By default the same as \`showNames\``)),
  direction: optional({ ...Directions, description: `${Directions['description'] as string}. \`BOTH\` by default` }),
  maxDevices: optional({ ...MaxDevices, description: `Devices that may open the link. ${DEFAULT_DEVICES} by default` }),
  expiresAt: optional({
    ...Time,
    description: 'By default 12 hours after the end of the activity, wherever that is moved',
    examples: [4_102_444_800_000],
  }),
  orgId: optional(Id),
}
export const NewGate = Model('NewGate', { name: GateName, ...settings })
export type NewGate = Static<typeof NewGate>
export const UpdateGate = Model('UpdateGate', { name: Type.Optional(GateName), ...settings })
export type UpdateGate = Static<typeof UpdateGate>

const Total = Type.Integer({ minimum: 0, examples: [128] })

const DeviceView = Model('GateDevice', {
  id: Id,
  name: Nullable(Text("Lin's phone")),
  lastSeenAt: Time,
  admitted: { ...Total, description: 'Accepted entries that were not undone' },
  refused: Total,
  searches: { ...Total, description: 'Look-ups of passes by name' },
  waiting: { ...Total, description: 'Scans that wait on the device for a connection, as it said last' },
})

const link = {
  description: 'Anyone who knows it can open the gate. Shown to holders of `activity:update`',
}
export const GateView = Model('Gate', {
  id: Id,
  name: Text('Main entrance'),
  url: Nullable(Text('http://localhost:8080/console/gate#3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', link)),
  qrContent: Nullable(
    Text('http://localhost:8080/console/gate#3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', {
      description: 'The content of the QR code to hand over: `url`',
    }),
  ),
  listIds: Nullable({ ...ListIds, description: `${ListIds.description}. Null: all of them` }),
  showNames: flag(SHOW_NAMES),
  canUndo: flag(CAN_UNDO),
  canSearch: flag(CAN_SEARCH),
  direction: Directions,
  maxDevices: MaxDevices,
  devices: Type.Array(DeviceView, { description: 'Those that have opened the present link, the oldest first' }),
  admitted: { ...Total, description: 'Of all devices that it has had' },
  expiresAt: Nullable({ ...Time, description: 'As it was set. Null: 12 hours after the end of the activity' }),
  endsAt: { ...Time, description: 'When it expires, or what has ended it before' },
  revokedAt: Nullable({ ...Time, description: 'When a manager ended it' }),
  createdBy: Id,
  createdAt: Time,
})
export type GateView = Static<typeof GateView>
export const GatePage = PageOf(GateView)

export const GatesQuery = PageQuery({ orgId: Type.Optional(Id) })
export type GatesQuery = Static<typeof GatesQuery>
export const ByGate = Type.Object({ id: Id, gateId: Id })

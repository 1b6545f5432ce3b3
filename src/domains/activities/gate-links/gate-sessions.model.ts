/** Shapes of the sessions of gates without an account. */

import { Id, Line, Model, Nullable, Raw, type Static, Text, Time, Type } from '#http/schema.ts'

import { ListView } from '../check-in-lists/check-in-lists.model.ts'
import { PassKeys } from '../pass-keys/pass-keys.model.ts'
import { ActivityStatusName } from '../register/register.model.ts'
import { Directions, ListIds } from './gate-links.model.ts'

const DEVICE_ID = { minimum: 16, maximum: 64 }

export const OpenGate = Model('OpenGate', {
  /** Whatever somebody made of it is the same 404. */
  secret: Line(200, 1, {
    description: 'The part of the link after `#`',
    examples: ['3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  }),
  deviceId: Raw(DEVICE_ID.maximum, DEVICE_ID.minimum, {
    description: 'Random, chosen once by the device. The same device gets a new token and counts once',
    examples: ['5d1f0e0a-7c3b-4e8e-9a54-0c1de1f2a3b4'],
  }),
  deviceName: Type.Optional(Nullable(Line(100, 0, { examples: ["Lin's phone"] }))),
})
export type OpenGate = Static<typeof OpenGate>

const flag = () => Type.Boolean({ examples: [true] })

const state = {
  gate: Model('OpenedGate', {
    id: Id,
    name: Text('Main entrance'),
    device: Model('OpenedGateDevice', { id: Id, name: Nullable(Text("Lin's phone")) }),
    listIds: Nullable({ ...ListIds, description: `${ListIds.description}. Null: all of them` }),
    showNames: flag(),
    canUndo: flag(),
    canSearch: flag(),
    direction: Directions,
    expiresAt: { ...Time, description: 'It moves with the end of the activity, unless it was set' },
  }),
  activity: Model('ActivityOfGate', {
    id: Id,
    name: Text('Lake cleanup'),
    startTime: Time,
    endTime: Time,
    timeZone: Text('Asia/Shanghai'),
    location: Nullable(Text('North shore, boathouse')),
    status: ActivityStatusName,
  }),
  lists: Type.Array(ListView, { description: 'The check-in lists that the gate is for, in their order' }),
  keys: PassKeys.properties.keys,
}
export const GateState = Model('GateState', state)
export type GateState = Static<typeof GateState>

export const GateSessionView = Model('GateSession', {
  token: Text('tgt_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', {
    description: 'For `Authorization: Bearer` of the operations under `/public/gate`',
  }),
  expiresAt: { ...Time, description: 'When the gate expires now' },
  ...state,
})
export type GateSessionView = Static<typeof GateSessionView>

export const GateQuery = Type.Object({
  waiting: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Scans that wait on the device for a connection. Managers see it',
      examples: [0],
    }),
  ),
})

/** Shapes of the lists and uploads of gates without a connection. */

import { Enum, Id, Model, Named, Nullable, OneOf, type Static, Text, Time, Type } from '#http/schema.ts'

import { MaxUses } from '../passes/passes.model.ts'
import { ActivityStatusName } from '../register/register.model.ts'
import { Content, DirectionField, ListId, Nonce, PassUuid, ReasonField, Undone } from './gates.model.ts'

/** Passes that a check-in list admits, in one answer. */
export const MAX_ADMITTED = 20_000

/** Revoked passes in one answer, and as many changed ones. */
export const MAX_LISTED = 5000

const revocationsFields = {
  since: Type.Optional({ ...Time, description: '`until` of the answer before. All by default' }),
  listId: Type.Optional({ ...Id, description: 'Also answers `list`, for a gate of this check-in list' }),
}
export const RevocationsQuery = Type.Object({ ...revocationsFields, orgId: Type.Optional(Id) })
export const RevocationsAtGateQuery = Type.Object(revocationsFields)

export const Revocations = Model('PassRevocations', {
  since: Time,
  until: {
    ...Time,
    description:
      'Send it as `since` the next time. The answer has every pass that was revoked or changed up to here, and perhaps later ones. If `revoked` ' +
      `or \`changed\` has ${MAX_LISTED.toLocaleString('en')} passes or more, or \`admittedUuids\` ${MAX_ADMITTED.toLocaleString('en')}, ask again at once`,
  },
  revoked: Type.Array(Model('RevokedPass', { uuid: Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'), revokedAt: Time }), {
    description: 'The oldest first. A pass can be in two answers',
  }),
  activity: Model('GateActivity', { startTime: Time, endTime: Time, status: ActivityStatusName }),
  changed: Type.Array(
    Model('ChangedPass', {
      uuid: Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'),
      validFrom: Nullable(Time),
      validTo: Nullable({ ...Time, description: 'Of a pass that follows, the end of the activity at this moment' }),
      followsActivity: Type.Boolean(),
    }),
    {
      description:
        'Passes whose validity is another one than their printed code may say, in the order of the change. These values count instead of those of ' +
        'the code; `activity.endTime` is the end of those that follow, and of codes without an end',
    },
  ),
  keyId: Type.Integer({ minimum: 1, maximum: 255, examples: [1] }),
  signature: Text('k2Tqo0Bv6hQ', {
    description:
      'Ed25519 signature as base64url, with the key `keyId` of `GET /api/activities/{id}/pass/keys`, over the line `tessera revocations v1`, ' +
      'a line feed, and the JSON of `{activityId, since, until, revoked}` in this order without spaces',
  }),
  changesSignature: Text('b0Vq2kTo6hQ', {
    description:
      'The same over the line `tessera pass changes v1`, a line feed, and the JSON of `{activityId, since, until, activity, changed}`, with `list` at ' +
      'the end if you asked for it',
  }),
  list: Type.Optional(
    Model(
      'GateList',
      { description: 'With `listId` only. Whether a pass has entered the activity before is not known offline' },
      {
        id: Id,
        opensAt: Nullable(Time),
        closesAt: Nullable(Time),
        maxUses: MaxUses,
        requiresEntry: Type.Boolean(),
        admittedUuids: Nullable(
          Type.Array(Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'), {
            description:
              'The passes that the list admits, of those that were issued after `since`, the oldest first. A pass can be in two answers. Null if the ' +
              'list admits all. Ask for all again when `templateIds` of the list has changed',
          }),
        ),
      },
    ),
  ),
})
export type Revocations = Static<typeof Revocations>

/** Items in one upload. */
const MAX_REDEMPTIONS = 1000

export const RedemptionItem = OneOf('OfflineRedemption', ['content', 'passUuid'], {
  content: Type.Optional(Nullable(Content)),
  passUuid: Type.Optional(Nullable(PassUuid)),
  nonce: Nonce,
  usedAt: {
    ...Time,
    description: 'When the gate let the visitor through. At most a day in the future, because clocks differ',
  },
  direction: Type.Optional(Nullable(DirectionField)),
  listId: Type.Optional(Nullable(ListId)),
})
export type RedemptionItem = Static<typeof RedemptionItem>

const items = Type.Array(RedemptionItem, {
  minItems: 1,
  maxItems: MAX_REDEMPTIONS,
  description: 'In the order in which the gate let them through',
})
export const UploadRedemptions = Model('UploadRedemptions', { items, orgId: Type.Optional(Nullable(Id)) })
export const UploadAtGate = Model('UploadAtGate', { items })
export type UploadRedemptions = Static<typeof UploadRedemptions>

const RedemptionResult = Named(
  'RedemptionResult',
  Enum(['ACCEPTED', 'DUPLICATE', 'DOUBLE_USE', 'REFUSED'], {
    description:
      '`ACCEPTED`: counted now. `DUPLICATE`: uploaded before, and nothing has changed. `DOUBLE_USE`: the pass had no use left, so two ' +
      'visitors entered with it; recorded, and not counted. `REFUSED`: the pass was not valid at that time',
  }),
)

export const RedemptionResults = Model('RedemptionResults', {
  items: Type.Array(
    Model('RedemptionOutcome', {
      nonce: Text('gate-2-000417-5c1e'),
      result: RedemptionResult,
      reason: Nullable({ ...ReasonField, description: 'Of a duplicate, the reason of the first upload' }),
      undone: Undone,
    }),
    { description: 'In the order of the request' },
  ),
})
export type RedemptionResults = Static<typeof RedemptionResults>
export type RedemptionOutcome = RedemptionResults['items'][number]

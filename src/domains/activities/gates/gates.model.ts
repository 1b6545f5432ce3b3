/** Shapes of the checks of passes at gates, and of their records. */

import { DIRECTIONS, PASS_USE_RESULTS, REFUSAL_REASONS } from '#db/schema/passes.ts'
import {
  Enum,
  Id,
  Line,
  Merged,
  Model,
  Named,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  Raw,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { PassView, PublicPass } from '../passes/passes.model.ts'
import { SEEN } from '../visibility/visibility.model.ts'

const UUID = '7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'

export const DirectionField = Named(
  'GateDirection',
  Enum(DIRECTIONS, {
    description: 'An `EXIT` needs an entry before it and takes no use. The next `ENTRY` is then free',
  }),
)

export const ReasonField = Named(
  'RefusalReason',
  Enum(REFUSAL_REASONS, {
    description:
      'The first that applies of: `MALFORMED` (the content is no pass), `FORGED` (no key of this server has signed it), `WRONG_ACTIVITY`, ' +
      '`UNKNOWN` (there is no such pass), `REVOKED`, `EXPIRED`, `USED` (no use is left, or an exit without an entry since the last exit), ' +
      '`ACTIVITY_NOT_ACTIVE`, `NOT_YET_VALID` (also an exit before the first entry); on a check-in list then `NOT_ON_LIST` (only passes of other ' +
      'templates are admitted), `LIST_CLOSED`, `NOT_ENTERED` (the pass has no entry without a list yet); `GATE_NOT_ALLOWED` (an upload of a gate without ' +
      'an account: scanned after its end, in a direction or on a list that it is not for)',
  }),
)

export const Content = Raw(2953, 0, {
  description:
    'The content of the scanned QR code: the signed link of the pass, its token alone, or the link of its page',
  examples: [`HTTPS://QR.EXAMPLE.ORG/S/PASS/AEAX6DBND2${'A'.repeat(144)}`],
})
export const PassUuid = Line(100, 0, {
  description: 'Instead of `content`, for passes that are looked up',
  examples: [UUID],
})

const NONCE = { minimum: 8, maximum: 64 }
const nonce = {
  description:
    'Chosen by the gate for each scan. A redemption with the nonce of an earlier one of the activity gets its result and counts once. It belongs ' +
    'to one pass and one check-in list',
  examples: ['gate-2-000417-5c1e'],
}
export const Nonce = Raw(NONCE.maximum, NONCE.minimum, nonce)

export const ListId = {
  ...Id,
  description: 'The check-in list, on which the pass has a count of its own. By default the entrance of the activity',
}

const verifyFields = {
  content: Type.Optional(Nullable(Content)),
  passUuid: Type.Optional(Nullable(PassUuid)),
  redeem: Type.Optional(
    Nullable(
      Type.Boolean({
        description: 'True counts a use, for which you need a token of a user who may verify passes. False by default',
        examples: [false],
      }),
    ),
  ),
  nonce: Type.Optional(Nullable(Nonce)),
  direction: Type.Optional(Nullable(DirectionField)),
  listId: Type.Optional(Nullable(ListId)),
}
export const VerifyPass = OneOf('VerifyPass', ['content', 'passUuid'], {
  ...verifyFields,
  orgId: Type.Optional(Nullable(Id)),
})
export type VerifyPass = Static<typeof VerifyPass>
/** Of a gate without an account. */
export const VerifyAtGate = OneOf('VerifyPassAtGate', ['content', 'passUuid'], verifyFields)
export type VerifyAtGate = Static<typeof VerifyAtGate>

const Result = Named('PassUseResult', Enum(PASS_USE_RESULTS))

export const PassUseView = Model('PassUse', {
  id: Id,
  passId: Nullable({ ...Id, description: 'Null if the pass is not one of the activity' }),
  passUuid: Nullable(Text(UUID)),
  holderName: Text('Lin Mei'),
  result: Result,
  reason: Nullable(ReasonField),
  direction: DirectionField,
  list: Nullable(
    Model(
      'ListOfUse',
      { description: 'The check-in list. Null for the entrance of the activity' },
      { id: Nullable({ ...Id, description: 'Null for a list that was deleted' }), name: Text('Workshop A') },
    ),
  ),
  nonce: Nullable(Text('gate-2-000417-5c1e')),
  offline: Type.Boolean({ description: 'Redeemed without a connection and uploaded later' }),
  isDoubleUse: Type.Boolean({
    description: 'A gate without a connection let someone in with a pass that had no use left. Such a row is `REFUSED`',
  }),
  verifierUserId: Nullable({ ...Id, description: 'Shown to managers. Null for checks by anyone else' }),
  gate: Nullable(
    Model(
      'GateOfUse',
      { description: 'The gate without an account that has scanned it. Shown to managers and the gate' },
      { id: Id, name: Text('Main entrance'), deviceName: Nullable(Text("Lin's phone")) },
    ),
  ),
  usedAt: { ...Time, description: 'When the pass was shown. Of an offline gate, by its clock' },
  undoneAt: Nullable({ ...Time, description: 'When the use was taken back. It no longer counts' }),
  undoneBy: Nullable(
    Model(
      'UndoneBy',
      { description: 'A user, or a gate without an account. Shown to managers' },
      { userId: Type.Optional(Id), gateId: Type.Optional(Id), name: Text('Lin') },
    ),
  ),
  undoReason: Nullable(Text('Wrong person')),
  createdAt: Time,
})
export type PassUseView = Static<typeof PassUseView>
export const PassUsePage = PageOf(PassUseView)

export const Undone = Type.Boolean({
  description:
    'True for the nonce of an earlier redemption that was taken back since. Its result is still the first one',
  examples: [false],
})

export const Verification = Model('PassVerification', {
  valid: Type.Boolean(),
  reason: Nullable(ReasonField),
  pass: Nullable(
    Merged(
      'VerifiedPass',
      {
        description:
          'The whole `Pass` if `redeem` was asked for, otherwise a `PublicPass`. Null if it is not one of the activity',
      },
      [PassView, PublicPass],
    ),
  ),
  use: Nullable({ ...PassUseView, description: 'The record of a redemption; null for a mere check' }),
  undone: Undone,
})
export type Verification = Static<typeof Verification>

export const ByUse = Type.Object({ id: Id, recordId: Id })
const undoReason = Type.Optional(Nullable(Line(200, 0, { examples: ['Wrong person'] })))
export const UndoUse = Model('UndoPassUse', { orgId: Type.Optional(Nullable(Id)), reason: undoReason })
export const UndoAtGate = Model('UndoAtGate', { reason: undoReason })

const filters = {
  result: Type.Optional(Result),
  listId: Type.Optional({ ...Id, description: 'Only uses on this check-in list' }),
  isDoubleUse: Type.Optional(
    Type.Boolean({ description: 'Only uses beyond the limit of a pass, which offline gates reported' }),
  ),
  from: Type.Optional({ ...Time, description: 'Only passes shown at this time or later' }),
  to: Type.Optional({ ...Time, description: 'Only passes shown at this time or earlier' }),
}
export const UsesOfPassQuery = PageQuery({ ...filters, orgId: Type.Optional(Id) })
export const UsesQuery = PageQuery({
  passId: Type.Optional(Id),
  ...filters,
  ...SEEN,
})
export type UsesQuery = Static<typeof UsesOfPassQuery> & { readonly passId?: number }

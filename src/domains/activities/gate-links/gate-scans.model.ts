/** Shapes of passes and scans for gates without an account. */

import { Id, Line, Merged, Named, Nullable, PageOf, type Static, Type } from '#http/schema.ts'

import { PassUseView, Undone, Verification } from '../gates/gates.model.ts'
import { PassView, PublicPass } from '../passes/passes.model.ts'

export const GatePass = Named(
  'GatePass',
  Type.Omit(PassView, ['holderUserId', 'qrContent', 'publicUrl'], {
    description: 'Without `showNames`, `holderName` is the first character and two asterisks, and `fields` is empty',
  }),
)
export type GatePass = Static<typeof GatePass>

export const GateVerification = Named(
  'GateVerification',
  Type.Object({
    valid: Verification.properties.valid,
    reason: Verification.properties.reason,
    pass: Nullable(
      Merged(
        'PassAtGate',
        {
          description:
            'A `GatePass` if `redeem` was asked for, otherwise a `PublicPass`. Null if it is not one of the activity',
        },
        [GatePass, PublicPass],
      ),
    ),
    use: Nullable({ ...PassUseView, description: 'The record of a redemption; null for a mere check' }),
    undone: Undone,
  }),
)
export type GateVerification = Static<typeof GateVerification>

/** There are no further pages. */
export const MAX_FOUND = 20
export const GatePassesQuery = Type.Object({
  keyword: Line(100, 2, {
    description: 'At least 2 characters, which are searched for in the name and the fields; or a whole `uuid`',
    examples: ['Lin'],
  }),
})
export type GatePassesQuery = Static<typeof GatePassesQuery>
export const GatePassPage = PageOf(GatePass)

export const ByRecord = Type.Object({ id: Id })

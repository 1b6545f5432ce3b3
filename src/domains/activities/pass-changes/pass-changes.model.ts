/** Shapes of requests that change passes. */

import { Enum, Id, Line, Model, Nullable, type Static, Type } from '#http/schema.ts'

import { RequestId } from '../batches/batches.model.ts'
import { Fields, HolderName } from '../pass-issues/pass-issues.model.ts'
import { ValidFrom, ValidTo } from '../pass-templates/pass-templates.model.ts'
import { MaxUses, RevokePass, Status } from '../passes/passes.model.ts'

const values = {
  validFrom: Type.Optional(Nullable({ ...ValidFrom, description: 'Null: valid at once' })),
  validTo: Type.Optional(Nullable({ ...ValidTo, description: 'Null: the pass follows the activity' })),
  maxUses: Type.Optional({
    ...MaxUses,
    description: 'Entries; 0 for any number. With fewer than were used, the pass is USED',
  }),
  fields: Type.Optional({
    ...Fields,
    description:
      'Texts of at most 200 characters by the keys of fields, which the template of the pass must have if there is one. An empty text removes ' +
      'the field; other fields stay',
  }),
  followsActivity: Type.Optional(
    Type.Boolean({
      description:
        'True: the pass loses its own end, and is valid until the end of the activity. Not together with `validTo`. False: it keeps the present end',
      examples: [false],
    }),
  ),
}

export const UpdatePass = Model('UpdatePass', {
  orgId: Type.Optional(Nullable(Id)),
  holderName: Type.Optional(HolderName),
  ...values,
})
export type UpdatePass = Static<typeof UpdatePass>

/** Passes that a filter can name. */
const MAX_IDS = 5000

const PassFilter = Model(
  'PassFilter',
  {
    description: 'All must hold; `{}` selects all passes of the activity. An unknown field is refused',
    additionalProperties: false,
  },
  {
    status: Type.Optional(Status),
    keyword: Type.Optional(
      Line(100, 0, { description: 'Searched for in the name and the fields; or a whole `uuid`', examples: ['Lin'] }),
    ),
    userId: Type.Optional({ ...Id, description: 'Only passes of this user' }),
    templateId: Type.Optional({ ...Id, description: 'Only passes that were issued by this template' }),
    ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_IDS })),
    registration: Type.Optional(
      // No pass belongs to a registration that is pending.
      Enum(['CONFIRMED', 'WAITING', 'CANCELLED', 'REJECTED', 'NONE'], {
        description: 'Only passes of holders whose registration has this status. `NONE`: who have none, such as guests',
        examples: ['CANCELLED'],
      }),
    ),
  },
)
export type PassFilter = Static<typeof PassFilter>

export const ChangePasses = Model('ChangePasses', {
  orgId: Type.Optional(Nullable(Id)),
  action: Enum(['UPDATE', 'REVOKE'], {
    description: '`UPDATE` needs `pass:issue` and leaves out revoked passes, `REVOKE` needs `pass:revoke` and is final',
  }),
  filter: PassFilter,
  values: Type.Optional(Nullable(Model('PassValues', values))),
  reason: RevokePass.properties.reason,
  notify: Type.Optional(
    Nullable(
      Type.Boolean({
        description:
          'Whether the holders of live passes are notified and mailed, if their pass is revoked or gets other times. False by default',
        examples: [false],
      }),
    ),
  ),
  dryRun: Type.Optional(Nullable(Type.Boolean({ description: 'True: answers the numbers only and changes nothing' }))),
  requestId: Type.Optional(Nullable(RequestId)),
})
export type ChangePasses = Static<typeof ChangePasses>

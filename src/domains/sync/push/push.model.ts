import { NEW_RECORDS } from '#domains/qr-codes/index.ts'
import type { Budget } from '#http/budget.ts'
import {
  AnyOf,
  Deferred,
  Enum,
  Id,
  Model,
  Nullable,
  Raw,
  ShownAs,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { recordOf } from '../rows/rows.model.ts'
import { Version } from '../sync.model.ts'

/** Records of one push. */
export const MAX_RECORDS = 1000
/** Of a push. 1,000 records of the largest QR codes have 3 MB. */
export const MAX_BODY = 5 * 1024 * 1024
/** UTF-16 units of the data of one record as JSON. A conflict keeps them. */
export const MAX_DATA = 256 * 1024
export const MAX_LOCAL_ID = 64

const LocalId = Raw(MAX_LOCAL_ID, 1, {
  description: 'Your own id of the row, unique on this device among the rows of the entity',
  examples: ['c1f0-17'],
})

const Record = Type.Object({
  entity: Raw(64, 1, { description: 'A kind of rows; an unknown one is rejected', examples: ['qrCode'] }),
  localId: LocalId,
  serverId: Type.Optional(Nullable({ ...Id, description: 'If it is given, it says which row is meant' })),
  baseVersion: {
    ...Version,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The version that you have changed; 0 for a new row',
  },
  updatedAt: { ...Time, description: 'When it was changed on the device' },
  deleted: Type.Optional(Nullable(Type.Boolean())),
  data: Type.Optional(
    Deferred(
      Type.Unknown({
        type: 'object',
        additionalProperties: true,
        description:
          'Fields of the row as in the operations that create and update it; all of them, or those that changed. Needed unless it is deleted. A text in `categoryId`, `parentId` or `qrCodeId` is the `localId` of a row of this push, or of one that this device has pushed before',
        examples: [{ name: 'Spring menu', content: 'https://example.org/menu' }],
      }),
    ),
  ),
})
/** An unknown entity, and fields that do not fit, only reject their record. */
export const PushRecord = ShownAs(Record, recordOf(Record))
export type PushRecord = Static<typeof Record>

export const PushBody = Model('SyncPush', {
  records: Type.Array(PushRecord, { minItems: 1, maxItems: MAX_RECORDS }),
})
export type PushBody = Static<typeof PushBody>

const STATUSES = ['APPLIED', 'CONFLICT', 'REJECTED'] as const

export const PushResult = AnyOf(
  'SyncResult',
  [
    { status: ['APPLIED'], version: true },
    { status: ['CONFLICT'], serverId: true, version: true, updatedAt: true, conflictId: true },
    { status: ['REJECTED'], code: true, message: true },
  ],
  {
    entity: Text('qrCode'),
    localId: Text('c1f0-17'),
    serverId: Nullable({ ...Id, description: 'Null if there is no such row on the server' }),
    version: Nullable({
      ...Version,
      description: 'The version of the row on the server; null if the record was rejected',
    }),
    updatedAt: Nullable({ ...Time, description: 'When the row was last changed on the server' }),
    status: Enum(STATUSES, {
      description:
        'APPLIED: the row is as you sent it. CONFLICT: the server keeps its own state. REJECTED: nothing was changed, for the reason in `code` and `message`',
    }),
    conflictId: Type.Optional({
      ...Id,
      description: 'If another change was lost, or this one: see the list of conflicts',
    }),
    dropped: Type.Optional(
      Type.Array(Text('categoryId'), {
        description:
          'Fields with references to rows that were deleted meanwhile. The record was applied without them: they are null',
      }),
    ),
    code: Type.Optional(
      Type.Integer({ description: 'The code that the operation for one row would answer', examples: [400] }),
    ),
    message: Type.Optional(Text('You do not have permission for this operation')),
    details: Type.Optional(Type.Array(Type.Object({ path: Text('data.name'), message: Text('is required') }))),
  },
)
export type PushResult = Static<typeof PushResult>

export const PushResults = Model('SyncPushResult', {
  serverTime: { ...Time, description: 'The time of the server. It is not a `since`' },
  results: Type.Array(PushResult, { description: 'One for each record, in the same order' }),
})
export type PushResults = Static<typeof PushResults>

export const PUSHED_RECORDS: Budget<{ readonly body: PushBody }> = {
  ...NEW_RECORDS,
  cost: ({ body }) => body.records.length,
}

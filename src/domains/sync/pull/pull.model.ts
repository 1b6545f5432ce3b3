import { Id, Model, type Static, Type } from '#http/schema.ts'

import { changesOf } from '../rows/rows.model.ts'
import { Entity } from '../sync.model.ts'

/** A stamp. It is not a time that clients choose, so it cannot be written as ISO 8601. */
const Cursor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [1_767_225_600_000] })

export const PullQuery = Type.Object({
  since: { ...Cursor, description: 'The `serverTime` of your last pull; 0 at first' },
  orgId: Type.Optional({
    ...Id,
    description: 'Only the rows of this organization. Keep a `since` of its own for each value',
  }),
  entities: Type.Optional(
    Type.Array(Entity, { minItems: 1, maxItems: 50, description: 'All entities unless given; separated by commas' }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 2000,
    default: 500,
    description: 'Changes on a page. There are more if one write has changed more rows',
  }),
})
export type PullQuery = Static<typeof PullQuery>

export const PullPage = Model('SyncPull', {
  serverTime: { ...Cursor, description: 'The next `since`' },
  hasMore: Type.Boolean({ description: 'Ask for the next page at once' }),
  resync: Type.Boolean({
    description: 'You are too far behind: keep what you have not pushed, delete the rest and pull from 0',
  }),
  changes: Type.Object(
    {
      qrCode: Type.Optional(changesOf('qrCode')),
      category: Type.Optional(changesOf('category')),
      scanRecord: Type.Optional(changesOf('scanRecord')),
      albumPhoto: Type.Optional(changesOf('albumPhoto')),
      asset: Type.Optional(changesOf('asset')),
      assetCategory: Type.Optional(changesOf('assetCategory')),
    },
    { description: 'All entities that you asked for, also those without changes' },
  ),
})
export type PullPage = Static<typeof PullPage>

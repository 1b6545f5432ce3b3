/** Shapes of requests that change many rows of an activity. */

import { Model, type Static, Type } from '#http/schema.ts'

/** Rows that one request changes. */
export const MAX_CHANGED = 5000

export const RequestId = Type.String({
  minLength: 8,
  maxLength: 64,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'If you repeat a request with the same id within 7 days, you get its first answer again',
  examples: ['5d1f0e0a-batch-1'],
})

const Count = Type.Integer({ minimum: 0, examples: [700] })

export const BatchResult = Model('ActivityBatchResult', {
  matched: { ...Count, description: 'Rows that the filter selects' },
  changed: { ...Count, description: `At most ${MAX_CHANGED}` },
  unchanged: { ...Count, description: 'Rows that have these values already, or cannot get them', examples: [0] },
  remaining: {
    ...Count,
    description:
      'Rows that are still to be changed: repeat the request, with another `requestId`, until there are none',
    examples: [0],
  },
})
export type BatchResult = Static<typeof BatchResult>

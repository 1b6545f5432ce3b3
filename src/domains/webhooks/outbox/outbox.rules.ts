/** The JSON of an event, as receivers get it. */

import type { EventThing, EventType } from '#db/schema/webhooks.ts'

/** Bytes of a body. Larger data is replaced by the id of its row. */
export const MAX_BODY = 64 * 1024

interface Body {
  readonly type: EventType | `${EventThing}.batch` | 'webhook.test'
  readonly timestamp: string
  readonly data: unknown
  readonly id: string
  readonly orgId: number | null
}

export const bodyOf = ({ type, timestamp, data, id, orgId }: Body): string =>
  JSON.stringify({ type, timestamp, data, id, orgId, schemaVersion: 1 })

/** The body as it is sent. */
export const withSequence = (body: string, sequence: number): string => `${body.slice(0, -1)},"sequence":${sequence}}`

/** Leaves room for the sequence. */
export const bounded = (body: string, shortened: () => string): string =>
  body.length * 3 < MAX_BODY || Buffer.byteLength(body) <= MAX_BODY - 40 ? body : shortened()

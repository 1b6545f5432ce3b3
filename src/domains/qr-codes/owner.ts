/** Whose rows a request is about. It stands in the WHERE of every query on codes. */

import type { Actor } from '#http/endpoint.ts'

export interface Owner {
  /** The caller. */
  readonly userId: number
  /** 0: the caller's own codes. Else that organization's; whether the caller may was decided before (access `dual`). */
  readonly orgId: number
}

/** The scope that the gate checked: `orgId` of the query, else of the body, else the caller's own rows. */
export const ownerOf = (
  actor: Actor,
  query: { orgId?: number | undefined },
  body?: { orgId?: number | null | undefined },
): Owner => ({ userId: actor.userId, orgId: query.orgId ?? body?.orgId ?? 0 })

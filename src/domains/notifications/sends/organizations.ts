/** What a send has to know of organizations. They notify people themselves, so they are told of here rather than imported. */

import { type AppContext, perContext } from '#context'
import type { Db, Tx } from '#db/store.ts'

export interface Organizations {
  exists(db: Db | Tx, orgId: number): Promise<boolean>
  /** At most `limit` members by ascending user id, beginning behind `afterUserId`. */
  membersAfter(db: Db | Tx, orgId: number, afterUserId: number, limit: number): Promise<number[]>
}

const NONE: Organizations = { exists: async () => false, membersAfter: async () => [] }

const known = perContext(() => ({ organizations: NONE }))

/** Called once, where the application is put together. */
export function registerOrganizations(ctx: AppContext, organizations: Organizations): void {
  known(ctx).organizations = organizations
}

export const organizationsOf = (ctx: AppContext): Organizations => known(ctx).organizations

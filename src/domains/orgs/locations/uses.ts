/** What stands in locations, in other domains: such a location cannot be deleted. Filled by `app.ts`: those are above. */

import { type AppContext, perContext } from '#context'
import type { Db, Tx } from '#db/store.ts'

export interface LocationUse {
  /** For people: `assets`. */
  readonly name: string
  /** How many there are in the location. */
  count(db: Db | Tx, orgId: number, locationId: number): Promise<number>
}

const registered = perContext(() => [] as LocationUse[])

export const usesOf = (ctx: AppContext): readonly LocationUse[] => registered(ctx)

export function registerLocationUse(ctx: AppContext, use: LocationUse): void {
  registered(ctx).push(use)
}

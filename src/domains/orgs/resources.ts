/** What organizations own in other domains: it must be cleared before one is dissolved. Filled by `app.ts`: those are above. */

import { type AppContext, perContext } from '#context'
import type { Db, Tx } from '#db/store.ts'

export interface OrgResource {
  /** For people: `QR codes`. */
  readonly name: string
  /** How many there are; none may be left when the organization goes. */
  count(db: Db | Tx, orgId: number): Promise<number>
  /** Removes what does not stand in the way (trash) when the organization goes. */
  purge?(tx: Tx, orgId: number): Promise<void>
}

const registered = perContext(() => [] as OrgResource[])

export const resourcesOf = (ctx: AppContext): readonly OrgResource[] => registered(ctx)

export function registerResource(ctx: AppContext, resource: OrgResource): void {
  registered(ctx).push(resource)
}

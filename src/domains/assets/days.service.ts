import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { zoneOfUser } from '#domains/notifications/index.ts'
import { zoneOfOrg } from '#domains/orgs/index.ts'
import { dayAt } from '#lib/days.ts'

/** The zone in which the days of an owner's assets begin. */
export const zoneOfOwner = (db: Db | Tx, owner: OwnerKey): Promise<string> =>
  orgOf(owner) === 0 ? zoneOfUser(db, -owner) : zoneOfOrg(db, orgOf(owner))

/** `YYYY-MM-DD` */
export const todayOf = async (ctx: AppContext, db: Db | Tx, owner: OwnerKey): Promise<string> =>
  dayAt(ctx.clock.now(), await zoneOfOwner(db, owner))

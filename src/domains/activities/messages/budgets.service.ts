/** Budgets of mails to participants: of the owner of the activity and of the server, in a day. */

import type { AppContext } from '#context'
import { leftOf, spend } from '#db/counters.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import { DAY } from '#platform/clock.ts'
import type { Use } from '#platform/limiter.ts'

/** Without those that are unlimited. To be read before the write that spends them. */
export async function mailUses(ctx: AppContext, owner: OwnerKey): Promise<Use[]> {
  const uses = [
    { key: `event-mails:${owner}`, limit: await getSetting(ctx, 'budget.eventMailsPerOwner'), windowMs: DAY },
    { key: 'event-mails', limit: await getSetting(ctx, 'budget.eventMailsPerDay'), windowMs: DAY },
  ]
  return uses.filter(({ limit }) => limit > 0)
}

/** Counts up to `wanted` mails. Returns how many the budgets allow. `overdraw`: they allow all, which count nevertheless. */
export async function spendMails(
  tx: Tx,
  uses: readonly Use[],
  { wanted, overdraw, now }: { readonly wanted: number; readonly overdraw: boolean; readonly now: number },
): Promise<number> {
  const allowed = overdraw ? wanted : Math.min(wanted, await leftOf(tx, uses, now))
  if (allowed === 0) return 0
  const spent = uses.map((use) => ({ ...use, cost: allowed, ...(overdraw && { limit: Number.MAX_SAFE_INTEGER }) }))
  await spend(tx, spent, now)
  return allowed
}

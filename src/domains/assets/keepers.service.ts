/** Notifications to keepers and borrowers. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { type Notice, notify } from '#domains/notifications/index.ts'
import { isOrgEnabled } from '#domains/orgs/index.ts'

import { keepersOf } from './reminders.service.ts'
import { remindable } from './reminders.store.ts'

/** Those of the named users who can be notified, or else all keepers. */
export async function keepersAmong(tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<number[]> {
  const ready = ids.length === 0 ? [] : [...(await remindable(tx, orgOf(owner), ids))]
  return ready.length > 0 ? ready : keepersOf(tx, owner)
}

/** Notifies of loans and reservations. Nobody gets any about a DISABLED organization. */
export async function tell(
  ctx: AppContext,
  tx: Tx,
  owner: OwnerKey,
  { data, ...notice }: Omit<Notice, 'type'> & { readonly data: Readonly<Record<string, unknown>> },
): Promise<void> {
  const orgId = orgOf(owner)
  if (notice.userIds.length === 0 || (orgId !== 0 && !(await isOrgEnabled(tx, orgId)))) return
  await notify(ctx, tx, { ...notice, type: 'ASSET', data: { ...data, orgId: orgId || null } })
}

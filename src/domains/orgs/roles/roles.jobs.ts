import { type AppContext, perContext } from '#context'
import { finishInSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Job } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { MEMBER } from '../members/members.service.ts'
import { findOrg } from '../orgs.store.ts'
import { MOVED_AT_ONCE, moveSome } from './roles.service.ts'

const moving = perContext((): { running?: Promise<void> | undefined } => ({}))

/** Gives the members of deleted roles their other role. Runs once at a time. */
export function moveMembers(ctx: AppContext): Promise<void> {
  const state = moving(ctx)
  return (state.running ??= (async () => {
    try {
      await finishInSlices(
        ctx,
        'orgs.moveMembers',
        {
          first: access.firstReplaced,
          work: (tx, roleId, limit) => moveNext(ctx, tx, roleId, limit),
          end: access.deleteRoleRow,
        },
        { firstRows: MOVED_AT_ONCE, maxRows: MOVED_AT_ONCE },
      )
    } finally {
      // No `await` since the last look: a later call starts a new run.
      state.running = undefined
    }
  })())
}

async function moveNext(ctx: AppContext, tx: Tx, roleId: number, limit: number): Promise<number> {
  const { orgId, replaceWith } = (await access.findReplaced(tx, roleId)) ?? { orgId: 0, replaceWith: 0 }
  const org = await findOrg(tx, orgId)
  // The roles of a dissolved organization are deleted with it, and an administrator may have deleted the other role.
  const to =
    (await access.findOrgRole(tx, orgId, { id: replaceWith })) ??
    (await access.findOrgRole(tx, orgId, { code: MEMBER }))
  return org === undefined || to === undefined ? 0 : moveSome(ctx, tx, org, { from: roleId, to }, limit)
}

/** Does not wait for them. */
export function moveMembersSoon(ctx: AppContext): void {
  moveMembers(ctx).catch((error: unknown) => ctx.log.warn('members of a deleted role could not be moved', { error }))
}

export const stopMoving = async (ctx: AppContext): Promise<void> => moving(ctx).running?.catch(() => undefined)

export const moveJob: Job = { name: 'orgs.moveMembers', every: MINUTE, run: moveMembers }

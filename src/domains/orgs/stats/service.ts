import type { AppContext } from '#context'
import { notFound } from '#http/errors.ts'

import type { OrgStats } from '../organizations/model.ts'
import { findOrg } from '../organizations/store.ts'
import { resourcesOf } from '../resources.ts'
import { countByRole, countInvitations, countRequests } from './store.ts'

export async function orgStats(ctx: AppContext, id: number): Promise<OrgStats> {
  const { read, readInWorker } = ctx.db
  const org = await findOrg(read, id)
  if (org === undefined) throw notFound()
  const [roles, pendingRequests, pendingInvitations, ...counts] = await Promise.all([
    countByRole(readInWorker, id),
    countRequests(readInWorker, id),
    countInvitations(readInWorker, id, ctx.clock.now()),
    ...resourcesOf(ctx).map((resource) => resource.count(readInWorker, id)),
  ])
  return {
    memberCount: org.memberCount,
    memberLimit: org.memberLimit,
    pendingRequests,
    pendingInvitations,
    roles,
    resources: resourcesOf(ctx).map(({ name }, i) => ({ name, count: counts[i]! })),
  }
}

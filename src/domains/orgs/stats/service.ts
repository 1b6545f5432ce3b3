import type { AppContext } from '#context'
import { contributions } from '#domains/domain.ts'
import { notFound } from '#http/errors.ts'

import type { OrgStats } from '../organizations/model.ts'
import { findOrg } from '../organizations/store.ts'
import { countByRole, countInvitations, countRequests } from './store.ts'

export async function orgStats(ctx: AppContext, id: number): Promise<OrgStats> {
  const { read, readInWorker } = ctx.db
  const org = await findOrg(read, id)
  if (org === undefined) throw notFound()
  const resources = contributions(ctx, 'orgResources').flat()
  const [roles, pendingRequests, pendingInvitations, ...counts] = await Promise.all([
    countByRole(readInWorker, id),
    countRequests(readInWorker, id),
    countInvitations(readInWorker, id, ctx.clock.now()),
    ...resources.map((resource) => resource.count(readInWorker, id)),
  ])
  return {
    memberCount: org.memberCount,
    memberLimit: org.memberLimit,
    pendingRequests,
    pendingInvitations,
    roles,
    resources: resources.map(({ name }, i) => ({ name, count: counts[i]! })),
  }
}

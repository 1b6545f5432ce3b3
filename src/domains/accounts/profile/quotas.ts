import type { AppContext } from '#context'
import type { QuotaName } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor } from '#http/endpoint.ts'

import type { Quotas } from './model.ts'

async function used(ctx: AppContext, actor: Actor, quota: QuotaName): Promise<number> {
  const counts = contributions(ctx, 'quotaUsage').flatMap((usage) => usage[quota] ?? [])
  const used = await Promise.all(counts.map((count) => count(ctx, actor.userId)))
  return used.reduce((sum, n) => sum + n, 0)
}

export async function quotasOf(ctx: AppContext, actor: Actor): Promise<Quotas> {
  return {
    storage: { used: await used(ctx, actor, 'storage'), limit: await getSetting(ctx, 'quota.storage') },
    qrCodes: { used: await used(ctx, actor, 'qrCodes'), limit: await getSetting(ctx, 'quota.qrCodes') },
    uploadMaxBytes: await getSetting(ctx, 'upload.maxBytes'),
    uploadTypes: [...(await getSetting(ctx, 'upload.types'))],
  }
}

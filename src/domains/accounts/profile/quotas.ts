import { type AppContext, perContext } from '#context'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor } from '#http/endpoint.ts'

import type { Quotas } from './model.ts'

export type Counted = 'storage' | 'qrCodes'
/** How much of it a user has: bytes, or a count. */
export type CountUsage = (ctx: AppContext, userId: number) => number | Promise<number>

/** Filled by `app.ts` from the domains that own the things: accounts is below them. */
const counters = perContext(() => new Map<Counted, CountUsage>())

export function registerUsage(ctx: AppContext, what: Counted, count: CountUsage): void {
  counters(ctx).set(what, count)
}

const used = (ctx: AppContext, actor: Actor, what: Counted) => counters(ctx).get(what)?.(ctx, actor.userId) ?? 0

export async function quotasOf(ctx: AppContext, actor: Actor): Promise<Quotas> {
  return {
    storage: { used: await used(ctx, actor, 'storage'), limit: await getSetting(ctx, 'quota.storage') },
    qrCodes: { used: await used(ctx, actor, 'qrCodes'), limit: await getSetting(ctx, 'quota.qrCodes') },
    uploadMaxBytes: await getSetting(ctx, 'upload.maxBytes'),
    uploadTypes: [...(await getSetting(ctx, 'upload.types'))],
  }
}

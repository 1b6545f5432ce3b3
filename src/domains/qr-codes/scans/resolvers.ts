/** Who knows what a content of other domains points to. Filled by `app.ts`: those domains are above. */

import { type AppContext, perContext } from '#context'

import type { Kind } from './model.ts'

/** What the content points to, as far as the user may know of it; undefined for nothing. */
export type Resolver = (
  ctx: AppContext,
  userId: number,
  content: string,
) => Promise<{ id: number; title: string } | undefined>

export const resolvers = perContext(() => new Map<Kind, Resolver>())

export function registerResolver(ctx: AppContext, kind: Kind, resolver: Resolver): void {
  resolvers(ctx).set(kind, resolver)
}

import { type AppContext, perContext } from '#context'
import { SYNC_ENTITIES, type SyncEntityName } from '#db/schema/sync.ts'
import type { SyncEntity } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'

/** The entities that domains contribute, in the order of `SYNC_ENTITIES`. */
export const entitiesOf = perContext((ctx: AppContext): ReadonlyMap<SyncEntityName, SyncEntity> => {
  const all = Object.assign({}, ...contributions(ctx, 'syncEntities')) as Partial<Record<SyncEntityName, SyncEntity>>
  return new Map(SYNC_ENTITIES.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])))
})

import { type SQL, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { assets } from '#db/schema/assets.ts'
import type { Db } from '#db/store.ts'

import type { AssetSort, SortName } from '../register/register.model.ts'
import { assetsWhere } from '../register/register.store.ts'

/** The ids of the owner's assets that meet the condition: by id, or in an order, with assets without its value last. */
export async function assetIds(
  db: Db,
  owner: OwnerKey,
  where: SQL | undefined,
  sort: AssetSort | undefined,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(assetsWhere(owner, where))
    .orderBy(...orderOf(sort))
    .limit(limit)
  return rows.map(({ id }) => id)
}

function orderOf(sort: AssetSort | undefined): SQL[] {
  if (sort === undefined) return [sql`${assets.id}`]
  const isReversed = sort.startsWith('-')
  const column = assets[(isReversed ? sort.slice(1) : sort) as SortName]
  const direction = sql.raw(isReversed ? 'desc' : 'asc')
  return [
    sql`case when ${column} is null then 1 else 0 end`,
    ...[column, assets.createdAt, assets.id].map((by) => sql`${by} ${direction}`),
  ]
}

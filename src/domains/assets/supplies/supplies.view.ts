import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { urlsOf } from '#domains/files/index.ts'

import { priceText } from '../register/register.rules.ts'
import { placesOf } from './movements.store.ts'
import type { SupplyView } from './supplies.model.ts'
import { photosByIds, type SupplyRow } from './supplies.store.ts'

/** The address to which the code on a supply leads. */
export const supplyUrl = (ctx: AppContext, uuid: string): string => `${ctx.config.publicUrl}/s/supply/${uuid}`

/** Views in the order of the rows, with a bounded number of queries for all of them. */
export async function toViews(ctx: AppContext, db: Db | Tx, rows: readonly SupplyRow[]): Promise<SupplyView[]> {
  const photos = new Map(
    (
      await photosByIds(
        db,
        rows.flatMap((row) => row.photoIds),
      )
    ).map((photo) => [photo.id, photo]),
  )
  const places = await placesOf(
    db,
    rows.map((row) => row.id),
  )
  const bySupply = Map.groupBy(places, (place) => place.supplyId)
  return rows.map((row) => ({
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    supplyNo: row.supplyNo,
    kind: row.kind,
    categoryId: row.categoryId,
    unit: row.unit,
    price: priceText(row.price),
    supplier: row.supplier,
    remark: row.remark,
    photos: row.photoIds.flatMap((id) => {
      const photo = photos.get(id)
      return photo === undefined ? [] : [{ fileId: id, ...urlsOf(ctx, photo) }]
    }),
    minimum: row.minimum,
    target: row.target,
    keeperIds: row.keeperIds,
    selfService: row.selfService,
    maxPerTake: row.maxPerTake,
    stock: row.stock,
    lent: row.lent,
    available: row.stock,
    byLocation: (bySupply.get(row.id) ?? []).map(({ locationId, quantity }) => ({
      locationId: locationId || null,
      quantity,
    })),
    publicUrl: supplyUrl(ctx, row.uuid),
    qrContent: supplyUrl(ctx, row.uuid),
    orgId: orgOf(row.owner) || null,
    userId: row.userId,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }))
}

export const toView = async (ctx: AppContext, db: Db | Tx, row: SupplyRow): Promise<SupplyView> =>
  (await toViews(ctx, db, [row]))[0]!

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { urlsOf } from '#domains/files/index.ts'

import type { AssetView } from './register.model.ts'
import { priceText } from './register.rules.ts'
import { type AssetRow, type LoanRow, openLoans, type PhotoRow, photosByIds } from './register.store.ts'

/** The address of the public page, which is also the content of the asset's QR code. */
export const publicUrlOf = (ctx: AppContext, uuid: string): string => `${ctx.config.publicUrl}/s/asset/${uuid}`

/** Views in the order of the rows, with a bounded number of queries for all of them. `known`: their open loans, if these have been read. */
export async function toViews(
  ctx: AppContext,
  db: Db | Tx,
  rows: readonly AssetRow[],
  known?: readonly LoanRow[],
): Promise<AssetView[]> {
  if (rows.length === 0) return []
  const photoIds = rows.flatMap((row) => row.photoIds)
  const photos = photoIds.length === 0 ? [] : await photosByIds(db, photoIds)
  const loans =
    known ??
    (await openLoans(
      db,
      rows.map((row) => row.id),
    ))
  const byId = new Map(photos.map((photo) => [photo.id, photo]))
  const byAsset = new Map(loans.map((loan) => [loan.assetId, loan]))
  return rows.map((row) => toView(ctx, row, byId, byAsset.get(row.id)))
}

export const toOneView = async (ctx: AppContext, db: Db | Tx, row: AssetRow): Promise<AssetView> =>
  (await toViews(ctx, db, [row]))[0]!

const toView = (
  ctx: AppContext,
  row: AssetRow,
  photos: ReadonlyMap<number, PhotoRow>,
  loan: LoanRow | undefined,
): AssetView => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  assetNo: row.assetNo,
  categoryId: row.categoryId,
  brand: row.brand,
  model: row.model,
  serialNo: row.serialNo,
  purchaseDate: row.purchaseDate,
  purchasePrice: priceText(row.purchasePrice),
  supplier: row.supplier,
  warrantyExpiry: row.warrantyExpiry,
  remark: row.remark,
  status: row.status,
  locationId: row.locationId,
  custodianId: row.custodianId,
  photos: row.photoIds.flatMap((id) => {
    const photo = photos.get(id)
    return photo === undefined ? [] : [{ fileId: id, ...urlsOf(ctx, photo) }]
  }),
  latitude: row.latitude,
  longitude: row.longitude,
  publicFields: row.publicFields,
  qrContent: publicUrlOf(ctx, row.uuid),
  publicUrl: publicUrlOf(ctx, row.uuid),
  scrappedAt: row.scrappedAt,
  scrapReason: row.scrapReason,
  nextMaintenance: row.nextMaintenance,
  lastCountedOn: row.lastCountedOn,
  nextCountOn: row.nextCountOn,
  bookable: row.bookable,
  loan:
    loan === undefined ? null : { id: loan.id, userId: loan.userId, personName: loan.personName, dueAt: loan.dueAt },
  orgId: orgOf(row.owner) || null,
  userId: row.userId,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

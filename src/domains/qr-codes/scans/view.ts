import type { ContentType } from '#lib/content-type.ts'

import type { ScanView } from './model.ts'
import type { ScanRow } from './store.ts'

export const toView = (row: ScanRow): ScanView => ({
  id: row.id,
  content: row.content,
  contentType: row.contentType as ContentType,
  source: row.source,
  qrCodeId: row.qrCodeId,
  title: row.title,
  favorite: row.favorite,
  latitude: row.latitude,
  longitude: row.longitude,
  address: row.address,
  scannedAt: row.scannedAt,
  createdAt: row.createdAt,
})

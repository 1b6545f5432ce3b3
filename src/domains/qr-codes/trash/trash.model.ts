import { InOrg, Model, PageOf, PageQuery, type Static, Time, Type } from '#http/schema.ts'

import { qrCodeFields } from '../codes/codes.model.ts'

export const TrashQuery = PageQuery(InOrg.properties)

export const TrashedView = Model('TrashedQrCode', { ...qrCodeFields, deletedAt: Time })
export type TrashedView = Static<typeof TrashedView>
export const TrashPage = PageOf(TrashedView)

export const Emptied = Model('DeletedCount', {
  deleted: Type.Integer({ minimum: 0, description: 'Number of codes that were deleted permanently' }),
})

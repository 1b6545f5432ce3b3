import { dual, type DualAccess, endpoint, type RowOf } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { QrCodeView } from '../codes/codes.model.ts'
import { organizationOfCode, versionOfCode } from '../codes/codes.store.ts'
import { Emptied, TrashedView, TrashPage, TrashQuery } from './trash.model.ts'
import { deleteTrashed, emptyTrash, getTrashed, listTrash, restoreCode } from './trash.service.ts'

const tag = 'QR codes'
const trashed: RowOf<DualAccess, typeof ById> = {
  version: versionOfCode,
  view: TrashedView,
  show: ({ ctx, owner, params }) => getTrashed(ctx, owner, params.id),
}

export const trashEndpoints = [
  endpoint({
    id: 'qrCodes.trash',
    method: 'GET',
    path: '/api/qr-codes/trash',
    summary: 'List the QR codes in the trash',
    description: 'Sorted by the time of deletion, latest first. A code can be restored for 30 days.',
    tag,
    access: dual('qr_code:read'),
    query: TrashQuery,
    data: TrashPage,
    run: ({ ctx, owner, query }) => listTrash(ctx, owner, query),
  }),
  endpoint({
    id: 'qrCodes.emptyTrash',
    method: 'DELETE',
    path: '/api/qr-codes/trash',
    summary: 'Empty the trash',
    description: 'Permanently deletes all QR codes in it.',
    tag,
    access: dual('qr_code:delete'),
    query: InOrg,
    data: Emptied,
    run: ({ ctx, owner }) => emptyTrash(ctx, owner),
  }),
  endpoint({
    id: 'qrCodes.deleteTrashed',
    method: 'DELETE',
    path: '/api/qr-codes/trash/:id',
    summary: 'Delete a QR code in the trash permanently',
    description: 'Its public page and its counts are deleted too. A code outside the trash answers 404.',
    tag,
    access: dual('qr_code:delete', organizationOfCode),
    params: ById,
    query: InOrg,
    row: trashed,
    run: ({ ctx, owner, params }) => deleteTrashed(ctx, owner, params.id),
  }),
  endpoint({
    id: 'qrCodes.restore',
    method: 'PATCH',
    path: '/api/qr-codes/trash/restore/:id',
    summary: 'Restore a QR code from the trash',
    description: 'Answers 404 once the code has been in the trash for 30 days.',
    tag,
    access: dual('qr_code:update', organizationOfCode),
    params: ById,
    query: InOrg,
    data: QrCodeView,
    row: trashed,
    run: ({ ctx, owner, params }) => restoreCode(ctx, owner, params.id),
  }),
]

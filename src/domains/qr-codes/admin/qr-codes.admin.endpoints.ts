import { endpoint, type MemberAccess, platform, type RowOf } from '#http/endpoint.ts'

import { QrCodeView } from '../codes/codes.model.ts'
import { versionOfCode } from '../codes/codes.store.ts'
import {
  AllCategoriesQuery,
  AllCodesQuery,
  AllScansQuery,
  AnyCategoryPage,
  AnyCodePage,
  AnyCodeView,
  AnyScanPage,
  BlockCode,
  ByCategory,
  ByCode,
} from './qr-codes.admin.model.ts'
import * as service from './qr-codes.admin.service.ts'

const anyCode: RowOf<MemberAccess, typeof ByCode> = {
  version: versionOfCode,
  view: QrCodeView,
  show: ({ ctx, params }) => service.getAnyCode(ctx, params.qrCodeId),
}

export const qrCodeAdminEndpoints = [
  endpoint({
    id: 'admin.qrCodes.list',
    method: 'GET',
    path: '/api/admin/qr-codes',
    summary: 'List the QR codes of all users and organizations',
    description: 'Newest first unless `sort` is given.',
    tag: 'QR codes',
    access: platform('qr_code:read'),
    query: AllCodesQuery,
    data: AnyCodePage,
    run: ({ ctx, actor, query }) => service.listAllCodes(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.qrCodes.delete',
    method: 'DELETE',
    path: '/api/admin/qr-codes/:qrCodeId',
    summary: 'Delete any QR code permanently',
    description:
      'A code outside the trash does not go into it. Scan records and album photos of the code stay; their `qrCodeId` becomes null.',
    tag: 'QR codes',
    access: platform('qr_code:delete'),
    logs: 'QR_CODE_DELETE',
    params: ByCode,
    row: anyCode,
    run: ({ ctx, actor, params }) => service.deleteAnyCode(ctx, actor, params.qrCodeId),
  }),
  endpoint({
    id: 'admin.qrCodes.block',
    method: 'PATCH',
    path: '/api/admin/qr-codes/:qrCodeId/block',
    summary: 'Block any QR code, or unblock it',
    description:
      'A blocked code leads nowhere, by any of its addresses. Its owner is notified and still sees it. If it is blocked already, or unblocked, nothing changes.',
    tag: 'QR codes',
    access: platform('qr_code:delete'),
    logs: 'QR_CODE_BLOCK',
    params: ByCode,
    body: BlockCode,
    data: AnyCodeView,
    row: anyCode,
    run: ({ ctx, actor, params, body }) => service.blockAnyCode(ctx, actor, params.qrCodeId, body),
  }),
  endpoint({
    id: 'admin.scanRecords.list',
    method: 'GET',
    path: '/api/admin/scan-records',
    summary: 'List the scan records of all users',
    description: 'Newest first unless `sort` is given.',
    tag: 'Scan records',
    access: platform('scan_record:read'),
    query: AllScansQuery,
    data: AnyScanPage,
    run: ({ ctx, actor, query }) => service.listAllScans(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.categories.list',
    method: 'GET',
    path: '/api/admin/categories',
    summary: 'List the categories of all users',
    description:
      'Newest first unless `sort` is given; not as a tree. `orgId` finds none, because categories are personal.',
    tag: 'Categories',
    access: platform('category:read'),
    query: AllCategoriesQuery,
    data: AnyCategoryPage,
    run: ({ ctx, actor, query }) => service.listAllCategories(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.categories.delete',
    method: 'DELETE',
    path: '/api/admin/categories/:categoryId',
    summary: 'Delete any category',
    description: 'Its sub-categories move to its parent, and its codes are left without a category.',
    tag: 'Categories',
    access: platform('category:delete'),
    logs: 'CATEGORY_DELETE',
    params: ByCategory,
    run: ({ ctx, actor, params }) => service.deleteAnyCategory(ctx, actor, params.categoryId),
  }),
]

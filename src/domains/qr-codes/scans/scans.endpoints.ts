import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import {
  CreateScan,
  ListQuery,
  NEW_RECORDS,
  ResolvedScanView,
  ScanPage,
  ScanStats,
  ScanView,
  StatsQuery,
  UpdateScan,
} from './scans.model.ts'
import * as service from './scans.service.ts'

const tag = 'Scan records'

export const scanEndpoints = [
  endpoint({
    id: 'scanRecords.list',
    method: 'GET',
    path: '/api/scan-records',
    summary: 'List your scan records',
    description: 'Newest first.',
    tag,
    access: app('scan_record:read'),
    query: ListQuery,
    data: ScanPage,
    run: ({ ctx, actor, query }) => service.listScans(ctx, actor, query),
  }),
  endpoint({
    id: 'scanRecords.create',
    method: 'POST',
    path: '/api/scan-records',
    summary: 'Record a scan and resolve its content',
    description:
      'A content or public link of a code that you may see refers to that code (`qrCodeId`) and counts as a scan of it, at most once a ' +
      'minute for your session. Otherwise `resolved.kind` follows from links to this server and from the prefixes `activity:`, `org-join:` ' +
      'and `user:`. `id` and `title` are present if you may see the thing it refers to. Beyond the setting `quota.scanRecords`, your oldest ' +
      'records are deleted.',
    tag,
    access: app('scan_record:create'),
    body: CreateScan,
    data: ResolvedScanView,
    budgets: [{ ...NEW_RECORDS, countedByRun: true }],
    run: ({ ctx, actor, body, caller }) => service.createScan(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'scanRecords.stats',
    method: 'GET',
    path: '/api/scan-records/stats',
    summary: 'Count your scans by type, source and day',
    tag,
    access: app('scan_record:read'),
    query: StatsQuery,
    data: ScanStats,
    run: ({ ctx, actor, query }) => service.scanStats(ctx, actor, query),
  }),
  endpoint({
    id: 'scanRecords.update',
    method: 'PATCH',
    path: '/api/scan-records/:id',
    summary: 'Update the title, address or favourite mark of a scan record',
    tag,
    access: app('scan_record:update'),
    params: ById,
    body: UpdateScan,
    data: ScanView,
    run: ({ ctx, actor, params, body }) => service.updateScan(ctx, actor, params.id, body),
  }),
  endpoint({
    id: 'scanRecords.delete',
    method: 'DELETE',
    path: '/api/scan-records/:id',
    summary: 'Delete a scan record',
    tag,
    access: app('scan_record:delete'),
    params: ById,
    run: ({ ctx, actor, params }) => service.deleteScan(ctx, actor, params.id),
  }),
]

import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import {
  CreateScan,
  ListQuery,
  ResolvedScanView,
  ScanPage,
  ScanStats,
  ScanView,
  StatsQuery,
  UpdateScan,
} from './model.ts'
import * as service from './service.ts'

const tag = 'Scan records'

export const scanEndpoints = [
  endpoint({
    id: 'scanRecords.list',
    method: 'GET',
    path: '/api/scan-records',
    summary: 'List the caller’s scan records, newest first',
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
    summary: 'Record a scan and learn what it points to',
    description:
      '`resolved.kind` is found from this server’s links and the prefixes `activity:`, `org-join:` and `user:`; `id` and `title` are ' +
      'given for what the caller may see.',
    tag,
    access: app('scan_record:create'),
    body: CreateScan,
    data: ResolvedScanView,
    run: ({ ctx, actor, body }) => service.createScan(ctx, actor, body),
  }),
  endpoint({
    id: 'scanRecords.stats',
    method: 'GET',
    path: '/api/scan-records/stats',
    summary: 'Scans by type, source and day',
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
    summary: 'Mark a scan record as favourite, or change its title or address',
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

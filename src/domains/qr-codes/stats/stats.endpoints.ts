import { dual, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById } from '#http/schema.ts'

import { organizationOfCode } from '../codes/codes.store.ts'
import { exportScanStats } from './export.service.ts'
import { CodeStats, EXPORT_TYPES, ScansOfCode, ScanStatsQuery, StatsQuery } from './stats.model.ts'
import { codeScanStats, codeStats } from './stats.service.ts'

const tag = 'QR codes'

export const statsEndpoints = [
  endpoint({
    id: 'qrCodes.stats',
    method: 'GET',
    path: '/api/qr-codes/stats',
    summary: 'Count QR codes by category, type and day',
    tag,
    access: dual('qr_code:read'),
    query: StatsQuery,
    data: CodeStats,
    run: ({ ctx, owner, query }) => codeStats(ctx, owner, query),
  }),
  endpoint({
    id: 'qrCodes.scanStats',
    method: 'GET',
    path: '/api/qr-codes/:id/stats',
    summary: 'Count the scans of a QR code by day, hour and kind of visitor',
    description:
      'Days and hours are those of `tz`. Breakdowns, visitors and robots are counted by UTC day, those that the period touches; they exist for ' +
      'short links, and for public links that open the target. Visitors who send `DNT: 1` or `Sec-GPC: 1` are counted in no breakdown. Counts by ' +
      `day and hour are kept for a year, breakdowns by day for 400 days and then by month. ${EXPORT_LIMITS}`,
    tag,
    access: dual('qr_code:read', organizationOfCode),
    params: ById,
    query: ScanStatsQuery,
    data: ScansOfCode,
    answers: EXPORT_TYPES,
    run: ({ ctx, owner, params, query, caller }) =>
      query.format === undefined
        ? codeScanStats(ctx, owner, params.id, query)
        : exportScanStats(ctx, owner, params.id, { ...query, format: query.format }, caller),
  }),
]

import { dual, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { organizationOfCode } from '../codes/codes.store.ts'
import { CodeStats, ScansOfCode, StatsQuery } from './stats.model.ts'
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
    summary: 'Count the scans of a QR code by day',
    tag,
    access: dual('qr_code:read', organizationOfCode),
    params: ById,
    query: StatsQuery,
    data: ScansOfCode,
    run: ({ ctx, owner, params, query }) => codeScanStats(ctx, owner, params.id, query),
  }),
]

import { dual, endpoint } from '#http/endpoint.ts'

import { CodeStats, StatsQuery } from './model.ts'
import { codeStats } from './service.ts'

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
]

import { dual, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { TABLE_TYPES } from '#http/tables.ts'

import { CostsQuery, CostsReport, DepreciationQuery, DepreciationReport } from './reports.model.ts'
import * as service from './reports.service.ts'

const tag = 'Assets'

export const reportEndpoints = [
  endpoint({
    id: 'assetReports.depreciation',
    method: 'GET',
    path: '/api/assets/reports/depreciation',
    summary: 'Report what assets are worth',
    description:
      'By the `depreciation` of their categories, on the day `asOf`. Whole months count; values are exact and rounded half up at the end. ' +
      `The value of a scrapped asset stays as it was when it was scrapped. The totals are those of all assets. With \`format\` the answer is a file. ${EXPORT_LIMITS}`,
    tag,
    access: dual('asset:read'),
    query: DepreciationQuery,
    data: DepreciationReport,
    answers: TABLE_TYPES,
    run: ({ ctx, owner, query, caller }) => service.reportDepreciation(ctx, owner, query, caller),
  }),
  endpoint({
    id: 'assetReports.costs',
    method: 'GET',
    path: '/api/assets/reports/costs',
    summary: 'Report what maintenance costs',
    description: 'Records with a cost, of assets that are not deleted.',
    tag,
    access: dual('asset:read'),
    query: CostsQuery,
    data: CostsReport,
    run: ({ ctx, owner, query }) => service.reportCosts(ctx, owner, query),
  }),
]

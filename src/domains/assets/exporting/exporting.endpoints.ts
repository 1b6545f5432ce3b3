import { dual, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'

import { fieldParameters } from '../listing.service.ts'
import { EXPORT_TYPES, ExportQuery } from './exporting.model.ts'
import { exportAssets } from './exporting.service.ts'

export const exportEndpoints = [
  endpoint({
    id: 'assets.export',
    method: 'GET',
    path: '/api/assets/export',
    summary: 'Export assets to a spreadsheet',
    description:
      'Takes the filters of the list. The columns are those of an import, so that you can import the file again. `template` gives ' +
      `a table to fill in. ${EXPORT_LIMITS}`,
    tag: 'Assets',
    access: dual('asset:export'),
    query: ExportQuery,
    readsQuery: ['field.*'],
    answers: EXPORT_TYPES,
    run: ({ ctx, owner, caller, query, request }) =>
      exportAssets(ctx, owner, { query, parameters: fieldParameters(request) }, caller),
  }),
]

import { endpoint, open } from '#http/endpoint.ts'

import { BySheet, SHEET_TYPES, SheetQuery } from './slips.model.ts'
import { downloadSheet } from './slips.service.ts'

export const slipEndpoints = [
  endpoint({
    id: 'admin.users.importSheet',
    method: 'GET',
    path: '/api/admin/user-imports/:id/sheet',
    summary: 'Download the start codes of an import',
    description:
      'With the link that `admin.users.import` returns, and only with it: within 15 minutes, once as a workbook and once as a PDF file of slips.',
    tag: 'Users',
    access: open,
    params: BySheet,
    query: SheetQuery,
    answers: SHEET_TYPES,
    refuses: {
      403: 'The link has expired or was changed, or its user may no longer make users.',
      404: 'The file was downloaded before.',
    },
    run: ({ ctx, request, params, query, caller }) => downloadSheet(ctx, request, params.id, query, caller),
  }),
]

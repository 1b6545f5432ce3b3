import { dual, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { zoneOf } from '#http/validate.ts'

import { EXPORT_TYPES, ExportCodes, ExportQuery } from './export.model.ts'
import { exportCodes } from './export.service.ts'

const tag = 'QR codes'

export const exportEndpoints = [
  endpoint({
    id: 'qrCodes.export',
    method: 'POST',
    path: '/api/qr-codes/batch/export',
    summary: 'Export QR codes as pictures or as a table',
    description:
      'A zip contains a PNG for each code, and `index.csv`. Without `ids` and `categoryId`, all codes are exported. Titles are in the ' +
      `language of \`Accept-Language\`. ${EXPORT_LIMITS}`,
    tag,
    access: dual('qr_code:export'),
    query: ExportQuery,
    body: ExportCodes,
    answers: EXPORT_TYPES,
    refuses: { 404: 'One of `ids` does not exist or belongs to another owner.' },
    run: ({ ctx, owner, caller, query, body }) => exportCodes(ctx, owner, body, zoneOf(query), caller),
  }),
]

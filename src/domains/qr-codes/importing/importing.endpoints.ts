import { getSetting, LARGEST_UPLOAD } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import { dual, endpoint } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'
import { InOrg } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import { CodesImported, ImportCodes, SLUGS_FROM_FILES } from './importing.model.ts'
import { importCodes } from './importing.service.ts'

const imports: Budget = {
  name: 'linkImports',
  counts: { en: 'imports', zh: '导入' },
  per: 'user',
  limit: 100,
  windowMs: HOUR,
}

export const importEndpoints = [
  endpoint({
    id: 'qrCodes.import',
    method: 'POST',
    path: '/api/qr-codes/import',
    summary: 'Import links from another service, or change many codes at once',
    description:
      'Takes .xlsx, CSV with a header row, and the JSON that Bitly, Dub and Shlink answer. New codes are dynamic, public if you may publish, and ' +
      'lead straight to their target. Either all rows are written or none. With `dryRun` nothing is written, and the answer lists the ' +
      'errors. `qr_code:update` is needed too. A user has one import at a time; further requests get 429 with code 4022, as do those that ' +
      'have waited 15 seconds for their turn.',
    tag: 'QR codes',
    access: dual('qr_code:create'),
    query: InOrg,
    body: ImportCodes,
    acceptsFile: { maxBytes: (ctx) => getSetting(ctx, 'upload.maxBytes'), required: true },
    maxBody: LARGEST_UPLOAD + FORM_OVERHEAD,
    budgets: [imports, SLUGS_FROM_FILES],
    data: CodesImported,
    refuses: {
      400: 'The file is damaged or too large, lacks a column, or has rows with errors, which `details` lists.',
      403: 'Codes may not be changed.',
      404: 'The organization does not exist.',
      415: 'The file is neither an .xlsx workbook, CSV nor JSON.',
    },
    run: ({ ctx, owner, body, upload, caller }) => importCodes(ctx, owner, body, upload, caller),
  }),
]

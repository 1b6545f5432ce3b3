import { getSetting, LARGEST_UPLOAD } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import { dualByRow, endpoint } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'
import { ById, InOrg } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import { ImportParticipants, MAX_ROWS, ParticipantsImported } from './importing.model.ts'
import { importParticipants } from './importing.service.ts'

const imports: Budget = {
  name: 'participantImports',
  counts: { en: 'imports', zh: '导入' },
  per: 'user',
  limit: 100,
  windowMs: HOUR,
}

export const importEndpoints = [
  endpoint({
    id: 'registrations.import',
    method: 'POST',
    path: '/api/activities/:id/registrations/import',
    summary: 'Import participants of an activity from a spreadsheet',
    description:
      `Takes .xlsx and CSV with a header row and at most ${MAX_ROWS.toLocaleString('en')} rows, while the activity is ACTIVE and has registration. A row ` +
      'with the e-mail address of a guest changes that guest, any other row adds one; accounts are not looked up. Either all rows are written or ' +
      'none. With `dryRun` nothing is written, and the answer lists the errors. A user has one import at a time; further requests get 429 with ' +
      'code 4022, as do those that have waited 15 seconds for their turn.',
    tag: 'Registration',
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    body: ImportParticipants,
    acceptsFile: { maxBytes: (ctx) => getSetting(ctx, 'upload.maxBytes'), required: true },
    maxBody: LARGEST_UPLOAD + FORM_OVERHEAD,
    budgets: [imports],
    data: ParticipantsImported,
    refuses: {
      400: 'The file is damaged or too large, lacks a column, or has rows with errors, which `details` lists.',
      403: 'You may see the activity, but not change its registrations.',
      415: 'The file is neither an .xlsx workbook nor CSV.',
    },
    run: ({ ctx, owner, params, body, upload, caller }) =>
      importParticipants(ctx, params.id, body, upload, { viewer: owner, caller }, caller),
  }),
]

import { getSetting, LARGEST_UPLOAD } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import { app, dual, endpoint } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'
import { InOrg } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import { ByJobId, ImportAnswer, ImportAssets, ImportJob } from './importing.model.ts'
import { getJob, importAssets } from './importing.service.ts'

const tag = 'Assets'

const imports: Budget = {
  name: 'assetImports',
  counts: { en: 'imports', zh: '导入' },
  per: 'user',
  limit: 200,
  windowMs: HOUR,
}

export const importEndpoints = [
  endpoint({
    id: 'assets.import',
    method: 'POST',
    path: '/api/assets/import',
    summary: 'Import assets from a spreadsheet',
    description:
      'Takes .xlsx and CSV, with a header row. A row with a known asset number updates that asset; any other row creates one. Either ' +
      'all rows are written or none. With `dryRun` nothing is written, and the answer lists the errors, ' +
      'also that of a sheet without a column that it needs. A user has one import at a time; further requests get 429 with code 4022, as ' +
      'do those that have waited 15 seconds for their turn.',
    tag,
    access: dual('asset:import'),
    query: InOrg,
    body: ImportAssets,
    acceptsFile: { maxBytes: (ctx) => getSetting(ctx, 'upload.maxBytes'), required: true },
    maxBody: LARGEST_UPLOAD + FORM_OVERHEAD,
    budgets: [imports],
    data: ImportAnswer,
    refuses: {
      400: 'The file is damaged or too large, lacks a column, or has rows with errors, which `details` lists.',
      403: 'Missing categories may not be created.',
      404: 'The organization does not exist.',
      415: 'The file is neither an .xlsx workbook nor CSV.',
    },
    run: ({ ctx, owner, body, upload, caller }) => importAssets(ctx, owner, body, upload, caller),
  }),
  endpoint({
    id: 'assets.importJob',
    method: 'GET',
    path: '/api/assets/import/:jobId',
    summary: 'Get the progress of an import',
    description: 'For imports that you have started with `async`. Results are kept for seven days.',
    tag,
    access: app('asset:import'),
    params: ByJobId,
    data: ImportJob,
    refuses: { 404: 'You have started no such import.' },
    run: ({ ctx, actor, params }) => getJob(ctx, actor.userId, params.jobId),
  }),
]

import { getSetting, LARGEST_UPLOAD } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import { app, dual, endpoint } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'
import { ById, InOrg } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import { ByJobId } from '../importing/importing.model.ts'
import { ORG_MOVEMENTS, OWN_MOVEMENTS } from '../supplies/movements.model.ts'
import {
  ImportsQuery,
  ImportSupplies,
  SupplyImportAnswer,
  SupplyImportJob,
  SupplyImportPage,
  SupplyImportUndone,
  UndoSupplyImport,
} from './supply-imports.model.ts'
import { getSupplyImport, importSupplies } from './supply-imports.service.ts'
import { listImports, organizationOfImport, undoImport } from './writing.service.ts'

const tag = 'Supplies'
const imports: Budget = {
  name: 'supplyImports',
  counts: { en: 'imports', zh: '导入' },
  per: 'user',
  limit: 200,
  windowMs: HOUR,
}

export const supplyImportEndpoints = [
  endpoint({
    id: 'supplies.import',
    method: 'POST',
    path: '/api/supplies/import',
    summary: 'Import supplies from a spreadsheet',
    description:
      'Takes .xlsx and CSV, with a header row. A row with a known number updates that supply; any other row creates one. The stock of a row is ' +
      'booked as counted at its location, and further rows with the same number add places. Either all rows are written or none. With ' +
      '`dryRun` nothing is written. A user has one import at a time; further requests get 429 with code 4022.',
    tag,
    access: dual('asset:import'),
    query: InOrg,
    body: ImportSupplies,
    acceptsFile: { maxBytes: (ctx) => getSetting(ctx, 'upload.maxBytes'), required: true },
    maxBody: LARGEST_UPLOAD + FORM_OVERHEAD,
    budgets: [imports, ORG_MOVEMENTS, OWN_MOVEMENTS],
    data: SupplyImportAnswer,
    refuses: {
      400: 'The file is damaged or too large, lacks a column, or has rows with errors, which `details` lists.',
      403: 'Missing categories or locations may not be created.',
      404: 'The organization does not exist.',
      415: 'The file is neither an .xlsx workbook nor CSV.',
    },
    run: ({ ctx, owner, body, upload, caller }) => importSupplies(ctx, owner, body, upload, caller),
  }),
  endpoint({
    id: 'supplies.importJob',
    method: 'GET',
    path: '/api/supplies/import/:jobId',
    summary: 'Get the progress of an import of supplies',
    description: 'For imports that you have started with `async`. Results are kept for seven days.',
    tag,
    access: app('asset:import'),
    params: ByJobId,
    data: SupplyImportJob,
    refuses: { 404: 'You have started no such import.' },
    run: ({ ctx, actor, params }) => getSupplyImport(ctx, actor.userId, params.jobId),
  }),
  endpoint({
    id: 'supplies.imports',
    method: 'GET',
    path: '/api/supplies/imports',
    summary: 'List the imports of supplies',
    description: 'Those of the last 90 days, newest first.',
    tag,
    access: dual('asset:import'),
    query: ImportsQuery,
    data: SupplyImportPage,
    run: ({ ctx, owner, query }) => listImports(ctx, owner, query),
  }),
  endpoint({
    id: 'supplies.undoImport',
    method: 'POST',
    path: '/api/supplies/imports/:id/undo',
    summary: 'Undo an import of supplies',
    description:
      'Within 24 hours. Updated supplies get their former values back, counts are reversed, and created ones are deleted. Supplies that were ' +
      'changed or moved since stay as they are. Categories and locations that the import made are deleted if they are empty and unchanged. ' +
      'Requires `asset:update` too, and `asset:delete` for imports of others. Again, it answers the same.',
    tag,
    access: dual('asset:import', organizationOfImport),
    deletes: true,
    budgets: [imports],
    params: ById,
    query: InOrg,
    body: UndoSupplyImport,
    data: SupplyImportUndone,
    refuses: { 400: 'The import is older than a day or changed nothing.', 403: 'You may not undo this import.' },
    run: ({ ctx, owner, params, body, caller }) => undoImport(ctx, owner, params.id, body, caller),
  }),
]

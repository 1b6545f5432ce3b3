import { getSetting, LARGEST_UPLOAD } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import { app, dual, type DualAccess, endpoint, type RowOf } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'
import { ById, InOrg } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import {
  AssetImportRunPage,
  ByJobId,
  CreateMapping,
  ImportAnswer,
  ImportAssets,
  ImportJob,
  ImportsQuery,
  ImportUndone,
  MappingPage,
  MappingsQuery,
  MappingView,
  MAX_MAPPINGS,
  UndoImport,
  UpdateMapping,
} from './importing.model.ts'
import { getImport, importAssets } from './importing.service.ts'
import * as mappings from './mappings.service.ts'
import { organizationOfMapping, versionOfMapping } from './mappings.store.ts'
import { listRuns, organizationOfRun, undoImport } from './undo.service.ts'

const tag = 'Assets'

const mapping: RowOf<DualAccess, typeof ById> = {
  version: versionOfMapping,
  view: MappingView,
  show: ({ ctx, owner, params }) => mappings.getMapping(ctx, owner, params.id),
}

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
      403: 'Missing categories or locations may not be created.',
      404: 'The organization does not exist.',
      415: 'The file is neither an .xlsx workbook nor CSV.',
    },
    run: ({ ctx, owner, body, upload, caller }) => importAssets(ctx, owner, body, upload, caller),
  }),
  endpoint({
    id: 'assets.imports',
    method: 'GET',
    path: '/api/assets/imports',
    summary: 'List the imports of assets',
    description: 'Those of the last 90 days, newest first.',
    tag,
    access: dual('asset:import'),
    query: ImportsQuery,
    data: AssetImportRunPage,
    run: ({ ctx, owner, query }) => listRuns(ctx, owner, query),
  }),
  endpoint({
    id: 'assets.undoImport',
    method: 'POST',
    path: '/api/assets/imports/:id/undo',
    summary: 'Undo an import of assets',
    description:
      'Within 24 hours, for imports that changed at most 20,000 rows. Updated assets get their former values back, created ones are ' +
      'deleted, and so are the categories and locations that it created, if they are empty and unchanged. Assets that were changed since, or are in use, ' +
      'stay as they are. Requires `asset:update` too, and `asset:delete` for imports of others. Again, it answers the same.',
    tag,
    access: dual('asset:import', organizationOfRun),
    deletes: true,
    budgets: [imports],
    params: ById,
    query: InOrg,
    body: UndoImport,
    data: ImportUndone,
    refuses: { 400: 'The import is older than a day or changed too many rows.', 403: 'You may not undo this import.' },
    run: ({ ctx, owner, params, body, caller }) => undoImport(ctx, owner, params.id, body, caller),
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
    run: ({ ctx, actor, params }) => getImport(ctx, actor.userId, params.jobId),
  }),
  endpoint({
    id: 'importMappings.list',
    method: 'GET',
    path: '/api/assets/import-mappings',
    summary: 'List the saved mappings of imports',
    description:
      'Yours, or with `orgId` those of that organization, for files of one kind, in the order of their names.',
    tag,
    access: dual('asset:import'),
    query: MappingsQuery,
    data: MappingPage,
    run: ({ ctx, owner, query }) => mappings.listMappings(ctx, owner, query),
  }),
  endpoint({
    id: 'importMappings.create',
    method: 'POST',
    path: '/api/assets/import-mappings',
    summary: 'Create a saved mapping of imports',
    description:
      'How a list of assets or of supplies is read that comes again: the parameters of its import. Dry runs of files with the same headings name it. ' +
      `At most ${MAX_MAPPINGS} for a user or an organization, each with a name of its own.`,
    tag,
    access: dual('asset:import'),
    query: InOrg,
    body: CreateMapping,
    data: MappingView,
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body }) => mappings.createMapping(ctx, owner, body),
  }),
  endpoint({
    id: 'importMappings.update',
    method: 'PUT',
    path: '/api/assets/import-mappings/:id',
    summary: 'Update a saved mapping of imports',
    description: 'Absent fields stay; `options` replaces all of them.',
    tag,
    access: dual('asset:import', organizationOfMapping),
    params: ById,
    query: InOrg,
    body: UpdateMapping,
    data: MappingView,
    row: mapping,
    run: ({ ctx, owner, params, body }) => mappings.updateMapping(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'importMappings.delete',
    method: 'DELETE',
    path: '/api/assets/import-mappings/:id',
    summary: 'Delete a saved mapping of imports',
    tag,
    access: dual('asset:import', organizationOfMapping),
    params: ById,
    query: InOrg,
    row: mapping,
    run: ({ ctx, owner, params }) => mappings.deleteMapping(ctx, owner, params.id),
  }),
]

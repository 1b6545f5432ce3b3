/** Imports of assets from spreadsheets. */

import type { AppContext } from '#context'
import type { Caller, Owner } from '#http/endpoint.ts'
import type { ReceivedFile } from '#http/form.ts'

import { EMPTY_RESULT, FileImport } from './file.service.ts'
import { type ImportAnswer, type ImportAssets, type ImportJob, type ImportResult, MAX_ROWS } from './importing.model.ts'
import { getJob, importFile } from './jobs.service.ts'
import { withMapping } from './mappings.service.ts'

export async function importAssets(
  ctx: AppContext,
  owner: Owner,
  given: ImportAssets,
  file: ReceivedFile | undefined,
  caller: Caller,
): Promise<ImportAnswer> {
  const input = await withMapping(ctx, owner, 'ASSET', given)
  return importFile<ImportResult>(ctx, owner, {
    kind: 'ASSET',
    input,
    file,
    caller,
    maxRows: MAX_ROWS,
    open: async (rowsPath, read, progress) => {
      const run = await FileImport.open(ctx, owner, input, rowsPath, read, progress, file!.name)
      const { locale } = caller
      return {
        total: run.total,
        answer: () => run.answer(locale),
        failedWith: (error) => run.failedWith(error, locale),
      }
    },
  })
}

/** @throws AppError 404 */
export async function getImport(ctx: AppContext, userId: number, id: string): Promise<ImportJob> {
  const { result, ...job } = await getJob(ctx, userId, 'ASSET', id)
  // Results of an earlier version lack some of it.
  return { ...job, result: result === null ? null : { ...EMPTY_RESULT, ...(result as ImportResult) } }
}

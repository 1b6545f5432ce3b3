/** Restores a backup on a new server for the user of the setup link. */

import { join } from 'node:path'

import type { AppContext } from '#context'
import { checkSetupLink } from '#domains/accounts/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { readForm } from '#http/form.ts'
import type { Locale } from '#lib/localized.ts'
import { backupFolder, findBackup, isBackupName } from '#platform/backup/folder.ts'
import { beginsLikeBackup } from '#platform/backup/read.ts'
import { readRestores, type RestoreRecord } from '#platform/backup/restores.ts'
import { createStaging } from '#platform/blobs/staging.ts'
import { DAY } from '#platform/clock.ts'
import { sha256, uuid } from '#platform/ids.ts'

import * as errors from '../backups.errors.ts'
import { freeName } from '../backups.service.ts'
import { worker } from '../backups.tasks.ts'
import { folderOf, openPlace } from '../directory/directory.service.ts'
import { refusalsOf, refusalText, verifiedFacts } from '../restores/preview.service.ts'
import { begin } from '../restores/restores.service.ts'
import { freeBytes, keep, SPARED_BYTES } from '../uploads/uploads.service.ts'

/** Receives the file of the form and begins its verification. Resolves with its name. */
export async function receiveForSetup(ctx: AppContext, token: string, request: Request): Promise<string> {
  // Before anything is received.
  await checkSetupLink(ctx, token)
  const place = await openPlace(ctx)
  const folder = backupFolder(place)
  const room = Math.max(0, (await freeBytes(folder)) - SPARED_BYTES)
  if (Number(request.headers.get('content-length') ?? 0) > room) throw errors.tooLarge(room)
  const staging = createStaging(join(folder, '.upload-setup'))
  const { file } = await readForm(request, staging, room)
  if (file === undefined) throw errors.noBackup()
  try {
    if (!(await beginsLikeBackup(file.path))) throw errors.noBackup()
    const isFree = isBackupName(file.name) && findBackup(folder, file.name) === undefined
    const name = isFree ? file.name : freeName(ctx, folder, file.name.endsWith('.gz'))
    const task = worker(ctx).newTask('VERIFY', name, uuid())
    await ctx.db.write('backups.uploadForSetup', async (tx) => {
      if (!(await worker(ctx).claim(tx, task))) throw errors.busy()
    })
    await keep(ctx, folder, name, null, file.path)
    await worker(ctx).start(task, undefined, place)
    return name
  } finally {
    await file.dispose()
  }
}

/** Begins the restore of a verified backup. */
export async function restoreForSetup(ctx: AppContext, token: string, name: string, caller: Caller): Promise<void> {
  await checkSetupLink(ctx, token)
  const facts = await verifiedFacts(ctx, name)
  const [refusal] = await refusalsOf(ctx, facts)
  if (refusal !== undefined) throw badRequest(refusalText(refusal).en, refusalText(refusal).zh)
  const setup = {
    hash: sha256(token),
    administrators: facts.contents?.administrators ?? [],
    publicUrl: facts.origin?.publicUrl ?? null,
  }
  const wish = {
    kind: 'RESTORE',
    name,
    archive: join(await folderOf(ctx), name),
    keepSessions: false,
    keepServerValues: true,
  } as const
  const by = { id: 0, name: 'setup link' }
  await begin(ctx, wish, by, caller, (claim) => ctx.db.write('backups.restoreForSetup', claim), setup)
}

/** The newest restore that was started with this setup link, for a day. */
export function restoreOfLink({ config, clock }: AppContext, token: string): RestoreRecord | undefined {
  const hash = sha256(token)
  return readRestores(config.dataDir).find(
    ({ setup, startedAt }) => setup?.hash === hash && startedAt > clock.now() - DAY,
  )
}

export const problemOf = ({ problem }: RestoreRecord, locale: Locale): string | undefined => problem?.[locale]

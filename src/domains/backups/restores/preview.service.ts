/** Compares a backup with this server, and says why it cannot be restored. */

import type { AppContext } from '#context'
import { compareSchema } from '#db/maintenance.ts'
import { requireSystemAdmin } from '#domains/access/index.ts'
import { signaturesOf } from '#domains/operation-log/index.ts'
import type { Actor } from '#http/endpoint.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { type BackupFacts, COUNTED_TABLES } from '#platform/backup/folder.ts'

import * as errors from '../backups.errors.ts'
import { complete, find } from '../backups.service.ts'
import { freeBytes } from '../uploads/uploads.service.ts'
import type { Preview, REFUSALS } from './restores.model.ts'
import * as store from './restores.store.ts'

/** Bytes beside those of the unpacked backup: logs of the database, and the server that goes on. */
const SPARE_BYTES = 64 * 1024 * 1024

type Code = (typeof REFUSALS)[number]

export async function previewRestore(ctx: AppContext, actor: Actor, name: string, locale: Locale): Promise<Preview> {
  await requireSystemAdmin(ctx.db.read, actor)
  return comparison(ctx, name, locale)
}

export async function comparison(ctx: AppContext, name: string, locale: Locale): Promise<Preview> {
  const facts = await verifiedFacts(ctx, name)
  const { readInWorker: db } = ctx.db
  const [here, newest] = [await store.countRows(db), await store.newestChange(db)]
  const schema = schemaOf(facts)
  return {
    madeAt: facts.madeAt,
    version: facts.version,
    schema,
    database: isSameKind(ctx, facts) ? 'SAME_KIND' : 'OTHER_KIND',
    host: facts.origin?.host ?? null,
    publicUrl: facts.origin?.publicUrl ?? null,
    rows: COUNTED_TABLES.map((what) => ({ what, here: here[what], backup: facts.rows[what] })),
    files: { here: here.files, backup: facts.rows.files, bytes: facts.fileBytes },
    newestChange: { here: newest, backup: facts.contents?.newestChange ?? null },
    administrators: [...(facts.contents?.administrators ?? [])],
    secretFits: fitsSecret(ctx, facts),
    spaceNeeded: facts.unpackedBytes + SPARE_BYTES,
    spaceFree: await freeBytes(ctx.config.dataDir),
    refusals: (await refusalsOf(ctx, facts)).map((code) => ({ code, sentence: errors.REFUSED[code][locale] })),
  }
}

/** @throws AppError 404, or 400 if the backup has no file or was not verified */
export async function verifiedFacts(ctx: AppContext, name: string): Promise<BackupFacts> {
  await complete(ctx, name)
  const { note } = await find(ctx, name)
  if (note?.facts === undefined || note.verification?.state !== 'GOOD') throw errors.verifyFirst()
  return note.facts
}

/** Why the backup cannot be restored here now. */
export async function refusalsOf(ctx: AppContext, facts: BackupFacts): Promise<Code[]> {
  const { config, processes } = ctx
  const isPostgres = config.databaseUrl !== ''
  const found: [Code, boolean][] = [
    ['OTHER_KIND', !isSameKind(ctx, facts)],
    // The database of a server that answers has tables.
    ['DATABASE_NOT_EMPTY', isPostgres],
    ['PROCESSES', processes.alive > 1],
    ['SHARED_FILES', config.sharedFiles !== ''],
    ['NEWER', schemaOf(facts) === 'NEWER'],
    ['SECRET', !fitsSecret(ctx, facts)],
    ['SPACE', facts.unpackedBytes + SPARE_BYTES > (await freeBytes(config.dataDir))],
  ]
  return found.filter(([, applies]) => applies).map(([code]) => code)
}

export const refusalText = (code: Code): Localized => errors.REFUSED[code]

const isSameKind = ({ config }: AppContext, { database }: BackupFacts): boolean =>
  (database === 'postgres') === (config.databaseUrl !== '')

const schemaOf = ({ contents }: BackupFacts): Preview['schema'] =>
  contents === null ? null : compareSchema(contents.migrations)

/** The configured secret stays; without one the key of the backup comes in. */
function fitsSecret(ctx: AppContext, { contents }: BackupFacts): boolean {
  const head = contents?.head
  if (contents == null || head == null || head.signature === '') return true
  return ctx.config.secret === '' ? contents.isOwnKey : signaturesOf(ctx.seal).head(head) === head.signature
}

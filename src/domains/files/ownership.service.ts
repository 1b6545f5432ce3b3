/**
 * Whether the stored files are those of this database. After a mistake in the configuration, or with two servers on one bucket, every file of
 * the other database looks like an orphan.
 */

import type { AppContext } from '#context'
import type { Installation } from '#db/installation.ts'
import { HOUR } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import { keysInUse } from './bytes.store.ts'
import { createInstallation, findInstallation, updateInstallation } from './ownership.store.ts'

export const FOREIGN_FILES =
  'No clean-up deletes any of them. Check the configuration; if the files are those of this server, run: tessera files adopt'

/** A database that was just created may be there by mistake, and the right one may come back within hours. */
const SETTLED_AFTER = 6 * HOUR

/** Stored files that are compared with the rows if the store has no id yet. */
const SAMPLE = 200
/** Younger bytes may be those of a write of this server that is under way. */
const SAMPLE_AGE = HOUR

const installationOf = async (ctx: AppContext): Promise<Installation> =>
  (await findInstallation(ctx.db.read)) ??
  ctx.db.write('files.createInstallation', (tx) =>
    createInstallation(tx, { id: uuid(), createdAt: ctx.clock.now(), isFilesForeign: false }),
  )

/**
 * Asked before each clean-up, because another server may take the store over. A store without an id is new, or that of a version without
 * ids: this server takes it over if it is empty or if most of the files in it are known.
 */
export async function ownsFiles(ctx: AppContext): Promise<boolean> {
  const installation = await installationOf(ctx)
  const owner = await ctx.blobs.owner()
  if (owner !== undefined) return owner === installation.id
  const { seen, known } = await sample(ctx)
  if (seen === 0 || (!installation.isFilesForeign && known * 2 >= seen)) {
    await ctx.blobs.setOwner(installation.id)
    return true
  }
  // Uploads to this server must not make the others look like a few orphans.
  if (!installation.isFilesForeign)
    await ctx.db.write('files.refuseFiles', (tx) => updateInstallation(tx, { ...installation, isFilesForeign: true }))
  return false
}

async function sample(ctx: AppContext): Promise<{ seen: number; known: number }> {
  const before = ctx.clock.now() - SAMPLE_AGE
  const keys: string[] = []
  for await (const { key, modifiedAt } of ctx.blobs.list('')) {
    if (modifiedAt <= before) keys.push(key)
    if (keys.length === SAMPLE) break
  }
  const known = keys.length === 0 ? 0 : (await keysInUse(ctx.db.read, keys)).size
  return { seen: keys.length, known }
}

/** At the start. A store that does not answer is no reason not to start. */
export async function checkOwnership(ctx: AppContext): Promise<void> {
  try {
    if (!(await ownsFiles(ctx)))
      ctx.log.warn(`the stored files belong to another database. ${FOREIGN_FILES}`, { at: ctx.blobs.place })
  } catch (error) {
    ctx.log.warn('it is not known yet whether the stored files belong to this database', { error })
  }
}

/** Whether the database is old enough for a clean-up without an administrator. */
export const isSettled = async (ctx: AppContext): Promise<boolean> =>
  ctx.clock.now() >= (await installationOf(ctx)).createdAt + SETTLED_AFTER

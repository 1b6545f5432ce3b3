import { openBlobs } from '#platform/blobs/index.ts'

import { checkDatabase } from './data-directory.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

/** Writes the id of this database into the folder or bucket of files. A running server reads it before each clean-up. */
export const run: Run = async (call) => {
  const [action] = call.words
  if (action !== 'adopt') throw new Refusal(`${action!} is not an action of files: use "files adopt".`, EXIT.usage)
  const config = call.config()
  await checkDatabase(config)
  const { readInstallation, saveAdoption } = await import('#db/blob-maintenance.ts')
  const installation = await readInstallation(config)
  if (installation === undefined) throw new Refusal('This database has no id yet: start the server once.', EXIT.usage)
  const blobs = openBlobs(config)
  if ((await blobs.owner()) === installation.id) {
    say(`${blobs.place} belongs to this database already.`)
    return EXIT.ok
  }
  await saveAdoption(config, installation)
  await blobs.setOwner(installation.id)
  say(`Took over ${blobs.place}. Files that this database does not know are deleted by the daily clean-up.`)
  return EXIT.ok
}

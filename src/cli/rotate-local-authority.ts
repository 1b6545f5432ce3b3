import { checkDatabase } from './data-directory.ts'
import { EXIT } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

/** Deletes the authority. The server makes the next one when it starts, or within a minute if it runs. */
export const run: Run = async (call) => {
  const config = call.config()
  await checkDatabase(config)
  const { deleteLocalAuthority } = await import('#db/local-authority.ts')
  say(
    (await deleteLocalAuthority(config))
      ? 'Deleted the local authority. A server with --lan makes a new one when it starts, or within a minute if it runs.\n' +
          'All devices must trust the new one: open /trust of the server on each, and remove the old one.'
      : 'There is no local authority: a server with --lan makes one when it starts.',
  )
  return EXIT.ok
}

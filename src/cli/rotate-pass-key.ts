import { checkDatabase } from './data-directory.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

/** Retires the key that signs passes. The server, which reads the keys each time it needs one, makes the next. */
export const run: Run = async (call) => {
  const config = call.config()
  await checkDatabase(config)
  const { retirePassKeys } = await import('#db/pass-keys.ts')
  const retired = await retirePassKeys(config)
  if (retired === 'last') throw new Refusal('All 255 ids of pass keys have been used: the last key stays.', EXIT.usage)
  if (retired.length === 0) say('There is no key to retire: the server makes one when it is needed.')
  else
    say(
      `Retired pass key ${retired.join(', ')}. Its passes stay valid; the server signs new ones with a new key.\n` +
        'Gates that work without a network must download the keys again.',
    )
  return EXIT.ok
}

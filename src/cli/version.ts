import { commit, releaseKey, version } from '#platform/version.ts'

import { EXIT } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

export const run: Run = ({ options }) => {
  const platform = `${process.platform}-${process.arch}`
  const about = { version, commit, bun: Bun.version, platform, releaseKey: releaseKey ?? null }
  if (options.has('json')) say(JSON.stringify(about, null, 2))
  else say(`tessera ${version} (${commit}, bun ${about.bun}, ${about.platform})`)
  return Promise.resolve(EXIT.ok)
}

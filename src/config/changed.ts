/** Changes of the sources of the configuration since the start: of `tessera.toml` and of the files of secrets. */

import { isDeepStrictEqual } from 'node:util'

import type { Reading } from './read.ts'
import { type SettingKey, settings } from './settings.ts'

export interface StartChanges {
  /** Settings that were given at the start or are given now, and have another value now. Empty if there are problems. */
  readonly fields: readonly SettingKey[]
  /** Why the next start would be refused: one sentence for each mistake. */
  readonly problems: readonly string[]
}

export function startChanges(before: Reading, now: Reading): StartChanges {
  if (now.problems.length > 0) return { fields: [], problems: now.problems }
  const fields = settings
    .map(({ key }) => key)
    // Defaults follow from other settings and from the addresses of the machine, which change without any file.
    .filter((key) => before.origins.has(key) || now.origins.has(key))
    .filter((key) => !isDeepStrictEqual(before.config[key], now.config[key]))
  return { fields, problems: [] }
}

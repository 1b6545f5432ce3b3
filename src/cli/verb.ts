/** The shape of a command. */

import type { StartChanges } from '#config/changed.ts'
import type { Config } from '#config/config.ts'
import type { Reading } from '#config/read.ts'

import type { Option } from './args.ts'
import type { ExitCode } from './exit-codes.ts'

export interface Call {
  readonly options: ReadonlyMap<string, string>
  readonly words: readonly string[]
  /** The configuration as it was read, with its mistakes. */
  readonly reading: Reading
  /** The configuration. @throws ConfigError with every mistake. */
  config(): Config
  /** Reads the sources again and compares them with `reading`. */
  changes(): StartChanges
}

export type Run = (call: Call) => Promise<ExitCode>

export interface Verb {
  readonly name: string
  /** The words after the name, for the usage line. */
  readonly words: string
  /** How many words may follow. */
  readonly takes: readonly [min: number, max: number]
  readonly summary: string
  readonly about: string
  readonly options: readonly Option[]
  /** Which settings apply: all, only the place of the data, or only the services that send messages. */
  readonly settings: 'all' | 'data' | 'backup' | 'gateways' | 'none'
  /** Loads the command's code, so that a command does not load that of the others. */
  load(): Promise<{ run: Run }>
}

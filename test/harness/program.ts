/**
 * The command line that starts the product as a process: the sources, or the executable of TEST_BINARY or TEST_PROGRAM. TEST_PROGRAM leaves servers
 * that tests start in their own process as they are. The sources are read and compiled at each start, which takes 1.8 s of a core instead of 0.3.
 */

import { resolve } from 'node:path'

/** The sources, run by Bun with `options`. */
export const sources = (...options: string[]): readonly string[] => [
  process.execPath,
  ...options,
  resolve(import.meta.dir, '../../src/main.ts'),
]

const executable = process.env['TEST_BINARY'] || process.env['TEST_PROGRAM']

/** Processes start in other folders. */
export const program: readonly string[] = executable ? [resolve(executable)] : sources()

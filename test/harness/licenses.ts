import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

import { BUILT_LICENSES } from '#platform/licenses.ts'

/** Makes the list of licences as `bun run build` does, for servers that run from the sources. `again`: also if there is one. */
export async function buildLicenses({ again = false } = {}): Promise<void> {
  if (process.env['TEST_BINARY'] || (!again && existsSync(BUILT_LICENSES))) return
  const script = resolve(import.meta.dir, '../../scripts/licenses.ts')
  const build = Bun.spawn([process.execPath, script], { stdout: 'ignore', stderr: 'pipe' })
  const messages = await build.stderr.text()
  if ((await build.exited) !== 0) throw new Error(messages)
}

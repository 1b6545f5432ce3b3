/** `bun run test:binary [FILES]`: the tests against the compiled executable, started from an empty folder, its build tree gone. */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'

import { buildApart } from './build-apart.ts'

const binary = buildApart()
const tests = Bun.spawn([process.execPath, 'test', '--parallel', ...process.argv.slice(2)], {
  env: { ...process.env, TEST_BINARY: binary },
  stdio: ['ignore', 'inherit', 'inherit'],
})
const code = await tests.exited
rmSync(dirname(binary), { recursive: true, force: true })
process.exit(code)

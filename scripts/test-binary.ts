/**
 * `bun run test:binary [FILES]`: runs tests against the compiled executable, from an empty folder, after its source tree was deleted.
 * Without FILES, runs the commands, the browser, the journeys through all areas, and the areas that need workers, WebAssembly or embedded
 * files. The rules of the domains are the same code in the executable: the tests from the sources have passed them.
 */

import { readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { buildApart } from './build-apart.ts'

const root = resolve(import.meta.dir, '..')
const RUN_HERE = [
  'test/*.test.ts',
  'test/{backups,delivery,files,http,journeys,operations,ops,push,web}/**/*.test.ts',
  'test/accounts/{browser-pages,browser-sessions,login,setup}.test.ts',
  'test/activities/{pages,pass-prints,pass-verifier}.test.ts',
  'test/album/album.test.ts',
  'test/app-updates/{cli,downloads}.test.ts',
  'test/assets/{export,import,public-page}.test.ts',
  'test/contract/examples.test.ts',
  'test/chat/{media,order-and-loss,search,socket}.test.ts',
  'test/metadata/formulas.test.ts',
  'test/orgs/public.test.ts',
  'test/qr-codes/{batch,export,public,render}.test.ts',
  'test/sync/{client-browser,client-network,client,guide}.test.ts',
]
const STARTS_SOMETHING = /\bstartServer\b|\buseServer\b|\bstartWorld\b|\bInstallation\b|\bTEST_BINARY\b/

const files = process.argv.slice(2)
if (files.length === 0)
  for (const pattern of RUN_HERE) {
    const found = [...new Bun.Glob(pattern).scanSync({ cwd: root })].toSorted()
    if (found.length === 0) throw new Error(`RUN_HERE: there is no ${pattern}`)
    for (const file of found) if (STARTS_SOMETHING.test(readFileSync(join(root, file), 'utf8'))) files.push(file)
  }

const binary = buildApart()
// The tests wait for the server, which is another process, so that more of them than cores can run.
const workers = Math.ceil(availableParallelism() * 1.5)
const tests = Bun.spawn([process.execPath, 'test', `--parallel=${workers}`, '--timeout', '120000', ...files], {
  cwd: root,
  env: { ...process.env, TEST_BINARY: binary },
  stdio: ['ignore', 'inherit', 'inherit'],
})
const code = await tests.exited
rmSync(dirname(binary), { recursive: true, force: true })
process.exit(code)

/**
 * `bun run test:binary [FILES]`: runs tests against the compiled executable, from an empty folder, after its source tree was deleted.
 * Without FILES, runs the commands, the browser, the journeys through all areas, and the areas that need workers, WebAssembly or embedded
 * files. The rules of the domains are the same code in the executable: the tests from the sources have passed them. TEST_PROGRAM is the path of
 * an executable that was built before.
 *
 * If only files of the web application fail, they run once more, one after the other: a test that clicks through pages can fail because the
 * machine was busy. Files that then pass are named at the end. All other files have to pass the first time.
 */

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { buildApart } from './build-apart.ts'

const root = resolve(import.meta.dir, '..')
const RUN_HERE = [
  'test/*.test.ts',
  'test/{backups,journeys,lan,operations,ops,web}/**/*.test.ts',
  'test/delivery/{cli,crash,restart}.test.ts',
  'test/files/{avatars,browser,content,crash,hostile,stores,upload}.test.ts',
  'test/http/{connections,web-app,docs,front-page,pages-browser,socket-hostile}.test.ts',
  'test/push/sending.test.ts',
  'test/accounts/{browser-pages,browser-sessions,login,setup}.test.ts',
  'test/api-keys/mcp.test.ts',
  'test/activities/{pages,pass-prints,pass-verifier}.test.ts',
  'test/album/album.test.ts',
  'test/app-updates/{cli,downloads}.test.ts',
  'test/assets/{export,import,labels,public-page}.test.ts',
  'test/contract/examples.test.ts',
  'test/chat/{media,order-and-loss,search,socket}.test.ts',
  'test/licenses/page.test.ts',
  'test/metadata/formulas.test.ts',
  'test/orgs/public.test.ts',
  'test/processes/event.test.ts',
  'test/qr-codes/{batch,export,public,render}.test.ts',
  'test/sync/{client-browser,client-network,client,guide}.test.ts',
]
const STARTS_SOMETHING = /\bstartServer\b|\buseServer\b|\bstartWorld\b|\bstartChild\b|\bInstallation\b|\bTEST_BINARY\b/

const files = process.argv.slice(2)
if (files.length === 0)
  for (const pattern of RUN_HERE) {
    const found = [...new Bun.Glob(pattern).scanSync({ cwd: root })].toSorted()
    if (found.length === 0) throw new Error(`RUN_HERE: there is no ${pattern}`)
    for (const file of found) if (STARTS_SOMETHING.test(readFileSync(join(root, file), 'utf8'))) files.push(file)
  }

const given = process.env['TEST_PROGRAM']
const binary = given || buildApart()
const report = join(tmpdir(), `tessera-report-${process.pid}.xml`)
// The tests wait for the server, which is another process, so that more of them than cores can run.
let code = await run(Math.ceil(availableParallelism() * 1.5), files)
const failed = code === 0 ? [] : failedFiles()
if (failed.length > 0 && failed.every((file) => file.startsWith('test/web/'))) {
  console.log(
    `\nOnly tests of the web application failed. Their files run once more, one after the other:\n${failed.join('\n')}\n`,
  )
  code = await run(1, failed)
  if (code === 0)
    console.log(
      `\nFailed at first, then passed. CONTRIBUTING.md says how TEST_SLOW_REQUESTS finds such tests:\n${failed.join('\n')}`,
    )
}
rmSync(report, { force: true })
if (!given) rmSync(dirname(binary), { recursive: true, force: true })
process.exit(code)

async function run(workers: number, paths: readonly string[]): Promise<number> {
  rmSync(report, { force: true })
  const options = ['--no-isolate', `--parallel=${workers}`, '--timeout', '600000']
  options.push('--reporter=junit', `--reporter-outfile=${report}`)
  return await Bun.spawn([process.execPath, 'test', ...options, ...paths], {
    cwd: root,
    env: { ...process.env, TEST_BINARY: binary },
    stdio: ['ignore', 'inherit', 'inherit'],
  }).exited
}

/** The files with failed tests. None if a file is not in the report, because it could not be loaded or `bun test` ended before. */
function failedFiles(): string[] {
  if (!existsSync(report)) return []
  const suites = [
    ...readFileSync(report, 'utf8').matchAll(/<testsuite name="[^"]*" file="([^"]+)"[^>]* failures="(\d+)"/g),
  ]
  const reported = new Set(suites.map(([, file]) => file!))
  if (!files.every((file) => reported.has(file))) return []
  return [...new Set(suites.flatMap(([, file, failures]) => (failures === '0' ? [] : [file!])))]
}

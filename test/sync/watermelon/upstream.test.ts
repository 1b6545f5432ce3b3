/**
 * WatermelonDB's own tests of synchronization, unmodified, through the shim and a real server.
 *
 * The npm package does not contain its tests, so they are here as an archive (MIT License, included). It was made in a clone of
 * https://github.com/Nozbe/WatermelonDB, and can be compared with one, by:
 *
 *     git archive v0.28.0 LICENSE src/sync/impl/__tests__ src/__tests__/{setup.js,testModels.js,utils} | gzip -9n
 *
 * All other modules that the tests import come from the npm package, except `sync/index`: upstream-sync.ts stands in for it.
 */

import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ARCHIVE = join(import.meta.dir, 'watermelondb-0.28.0-tests.tgz')
const REPOSITORY = join(import.meta.dir, '../../..')
const STAND_IN = join(import.meta.dir, 'upstream-sync.ts')
const FROM_PACKAGE = [
  'Schema',
  'Schema/migrations',
  'Model',
  'Database',
  'RawRecord',
  'QueryDescription',
  'decorators',
  'adapters/lokijs',
  'utils/fp',
  'utils/common',
  'sync/impl',
  'sync/impl/helpers',
]

const folder = mkdtempSync(join(tmpdir(), 'watermelondb-tests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

async function run(...command: string[]): Promise<{ status: number; output: string }> {
  const child = Bun.spawn(command, { cwd: folder, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [status, ...texts] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { status, output: texts.join('\n') }
}

const count = (output: string, words: string) =>
  [...output.matchAll(new RegExp(`^ *(\\d+) ${words}$`, 'gm'))].reduce((sum, match) => sum + Number(match[1]), 0)

test('WatermelonDB’s own tests of synchronization pass unmodified with the server behind them', async () => {
  expect(await run('tar', 'xzf', ARCHIVE)).toMatchObject({ status: 0 })
  for (const path of FROM_PACKAGE)
    write(`src/${path}/index.js`, `module.exports = require('@nozbe/watermelondb/${path}')\n`)
  write('src/sync/index.js', `export * from ${JSON.stringify(STAND_IN)}\n`)
  // upstream-sync.ts starts the server, so it is loaded before the first of the files.
  const preload = [join(REPOSITORY, 'test/harness/preload.ts'), STAND_IN, './src/__tests__/setup.js']
  // The files contain Flow types and decorators, which the loader of TypeScript understands.
  write('bunfig.toml', `[loader]\n".js" = "tsx"\n[test]\npreload = ${JSON.stringify(preload)}\n`)
  write('tsconfig.json', '{ "compilerOptions": { "experimentalDecorators": true, "useDefineForClassFields": false } }')
  write('package.json', '{ "private": true }')
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))

  // A commit on PostgreSQL takes longer, and the two tests with thousands of rows would take half a minute of CI.
  const ignored = process.env['TEST_DATABASE_URL'] ? ['--path-ignore-patterns=**/synchronize-benchmark.test.js'] : []
  const { status, output } = await run(
    process.execPath,
    'test',
    '--timeout',
    '480000',
    ...ignored,
    './src/sync/impl/__tests__',
  )
  if (status !== 0) console.log(output)
  expect(status).toBe(0)
  // The skipped ones are skipped by WatermelonDB too.
  const passed = ignored.length > 0 ? 70 : 72
  expect({ passed: count(output, 'pass'), skipped: count(output, 'skip') }).toEqual({ passed, skipped: 8 })
  // 0 if the server were left out.
  expect(count(output, 'rows were exchanged with the server')).toBeGreaterThan(50)
})

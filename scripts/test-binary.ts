/**
 * `bun run test:binary [FILES]`: runs tests against the compiled executable, from an empty folder, after its source tree was deleted.
 * Without FILES, runs all tests that start a server or a command. The others test the sources only, and the long tests of rules (who may see
 * which rows, bad input, synchronization), which do not differ in the executable.
 */

import { readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { buildApart } from './build-apart.ts'

const root = resolve(import.meta.dir, '..')
const TESTS_RULES = /^test\/(contract\/(isolation|bad-input)|sync\/(?!client|guide|pull|push\.))/
const STARTS_SOMETHING = /\bstartServer\b|\buseServer\b|\bstartWorld\b|\bInstallation\b|\bTEST_BINARY\b/

const files = process.argv.slice(2)
if (files.length === 0)
  for (const file of [...new Bun.Glob('test/**/*.test.ts').scanSync({ cwd: root })].toSorted())
    if (!TESTS_RULES.test(file) && STARTS_SOMETHING.test(readFileSync(join(root, file), 'utf8'))) files.push(file)

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

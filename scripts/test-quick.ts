/**
 * `bun run test:quick`: the types, the architecture, the English, the rules of the domains, the permission of each operation, and journeys through all areas on SQLite. Needs
 * no network, no database server and no browser. Took 35 seconds on two idle cores the first time, and 16 later. `bun run test` runs all tests.
 */

import { resolve } from 'node:path'

const root = resolve(import.meta.dir, '..')
const TESTS = [
  'test/architecture.test.ts',
  'test/english.test.ts',
  'test/journeys/',
  'test/contract/contract.test.ts',
  'test/contract/permissions.test.ts',
  'rules.test.ts',
]
/** The types of the tests take twice as long as those of the server; `bun run check` checks them. */
const PROJECTS = { server: 'tsconfig.quick.json', 'web application': 'src/web', examples: 'examples' }
/**
 * A run checks only the files that a change since the last one can affect. Each further checker repeats much of the work of the first: the server takes
 * about 20 seconds of CPU time with one and 34 with four (the default), and the tests use the other core.
 */
const TSC = ['--incremental', '--checkers', '1']

const run = async (title: string, ...command: string[]): Promise<boolean> => {
  const from = performance.now()
  const child = Bun.spawn(command, { cwd: root, stdout: 'pipe', stderr: 'pipe', env: environment() })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  // Only failures are of interest here.
  const shown = (out + err).replaceAll(/^\((?:pass|skip)\).*\n/gm, '').replaceAll(/^test\/\S+:\n+(?=test\/)/gm, '')
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${title}, ${((performance.now() - from) / 1000).toFixed(1)} s`)
  if (code !== 0) console.log(shown)
  return code === 0
}

/** The environment without the variables that choose another database or the executable. */
function environment(): Record<string, string | undefined> {
  const { TEST_DATABASE_URL: _, TEST_BINARY: __, TEST_PROCESSES: ___, ...rest } = process.env
  return rest
}

async function types(): Promise<boolean> {
  let ok = await run('generated types of the interface', process.execPath, 'scripts/web-client.ts')
  for (const [part, project] of Object.entries(PROJECTS)) {
    const kept = `dist/types/${part.replaceAll(' ', '-')}.tsbuildinfo`
    const command = ['x', '--bun', 'tsc', '--noEmit', ...TSC, '--tsBuildInfoFile', kept, '-p', project]
    ok = (await run(`types of the ${part}`, process.execPath, ...command)) && ok
  }
  return ok
}

const tests = run('tests', process.execPath, 'test', '--no-isolate', '--parallel', '--timeout', '600000', ...TESTS)
if (!(await Promise.all([tests, types()])).every(Boolean)) process.exit(1)

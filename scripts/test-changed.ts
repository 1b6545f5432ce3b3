/**
 * `bun run test:changed [COMMIT]`: runs the tests nearest to a change, which is the difference from COMMIT, by default from `main` or, on
 * main, from the last commit. (`bun test --changed` does not follow the aliases of package.json and finds no test.)
 *
 * A test is run if it imports a changed file, itself or through others; if it is in the folder of the changed file's domain or layer; and if
 * it is an architecture test. Imports of the harness are not followed: it starts the whole server, so that every test would depend on every file.
 */

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { type Graph, importGraph, type SourceFile } from '../test/architecture/imports.ts'

const ALWAYS = ['test/architecture.test.ts', 'test/english.test.ts']
const HARNESS = /^test\/harness\//

/** The folder of tests of a source file: `src/domains/orgs/…` has `test/orgs/`, `src/db/…` has `test/db/`. */
const folderOf = (path: string): string | undefined => {
  const name = /^src\/(?:domains\/)?([^/.]+)\//.exec(path)?.[1]
  return name && `test/${name}/`
}

/** The test files to run after a change of some files. */
export function testsFor(changed: readonly string[], graph: Graph): string[] {
  const importers = new Map<string, string[]>()
  for (const [from, targets] of graph)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), from])
  const reached = new Set(changed)
  for (const path of reached)
    if (!HARNESS.test(path) && path !== 'src/app.ts') for (const from of importers.get(path) ?? []) reached.add(from)
  const folders = changed.flatMap((path) => folderOf(path) ?? [])
  return [...graph.keys()]
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => reached.has(path) || ALWAYS.includes(path) || folders.some((folder) => path.startsWith(folder)))
    .toSorted()
}

async function git(...args: string[]): Promise<string[]> {
  const child = Bun.spawn(['git', ...args], { cwd: root, stderr: 'inherit' })
  const lines = (await new Response(child.stdout).text()).split('\n').filter(Boolean)
  if ((await child.exited) !== 0) process.exit(1)
  return lines
}

const root = resolve(import.meta.dir, '..')

if (import.meta.main) {
  const [branch] = await git('rev-parse', '--abbrev-ref', 'HEAD')
  const base = process.argv[2] ?? (branch === 'main' ? 'HEAD' : 'main')
  const [changed, untracked, known] = await Promise.all([
    git('diff', '--name-only', base),
    git('ls-files', '--others', '--exclude-standard'),
    git('ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'),
  ])
  const deleted = new Set(await git('diff', '--name-only', '--diff-filter=D', base))
  const files = known
    .filter((path) => !deleted.has(path))
    .map((path): SourceFile => ({ path, text: readFileSync(resolve(root, path), 'utf8') }))
  const tests = testsFor([...changed, ...untracked], importGraph(files))
  console.log(`${changed.length + untracked.length} changed files, ${tests.length} test files`)
  const command = [process.execPath, 'test', '--parallel', '--timeout', '600000', ...tests]
  process.exit(await Bun.spawn(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).exited)
}

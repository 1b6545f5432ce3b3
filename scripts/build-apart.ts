/**
 * Builds the executable from a copy of the source tree that is deleted afterwards, so that it can use only what it contains. `.ci/run` calls
 * this file, which prints the path.
 */

import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '..')
const PARTS = [
  'src',
  'migrations',
  'scripts',
  'docs/adr/0032-licences.md',
  'package.json',
  'bun.lock',
  'bunfig.toml',
  'tsconfig.json',
]

function run(command: string[], cwd: string): void {
  const { success, stdout, stderr } = Bun.spawnSync(command, { cwd })
  if (!success) throw new Error(`${command.join(' ')} failed:\n${stdout.toString()}${stderr.toString()}`)
}

/** Returns the path of the executable, in an otherwise empty folder that the caller has to remove. */
export function buildApart(): string {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-tree-')))
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-binary-')))
  const binary = join(folder, process.platform === 'win32' ? 'tessera.exe' : 'tessera')
  try {
    mkdirSync(tree, { recursive: true })
    for (const part of PARTS)
      cpSync(join(root, part), join(tree, part), { recursive: true, filter: (path) => !path.includes('node_modules') })
    // Compressed files of the web application by the hash of their content: compressing them again would take 10 seconds of a core.
    const compressed = 'dist/web/compressed'
    if (existsSync(join(root, compressed))) cpSync(join(root, compressed), join(tree, compressed), { recursive: true })
    // Without development packages, so that importing one fails here.
    run([process.execPath, 'install', '--frozen-lockfile', '--production', '--silent'], tree)
    run([process.execPath, 'scripts/build.ts', '--outfile', binary, '--commit', 'test'], tree)
    return binary
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

if (import.meta.main) console.log(buildApart())

/** Installs the peers that run on Node when they are first needed, from their own lock file. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const PEERS = join(import.meta.dir, '..', 'peers')

export type PeerState = 'ready' | 'not installed' | 'no Node'

let state: PeerState | undefined

/**
 * Installs the peers with npm if they are missing and `mayInstall` is true. better-sqlite3 is a native module: if its prebuilt
 * binary cannot be downloaded, npm compiles it, which takes about a minute and needs a C++ compiler.
 */
export function nodePeers(mayInstall: boolean): PeerState {
  if (state !== undefined && (state !== 'not installed' || !mayInstall)) return state
  if (Bun.which('node') === null || Bun.which('npm') === null) return (state = 'no Node')
  if (works()) return (state = 'ready')
  if (!mayInstall) return (state = 'not installed')
  console.error('installing the peers (npm ci in bench/peers) …')
  Bun.spawnSync(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: PEERS, stdio: ['ignore', 'ignore', 'inherit'] })
  if (!works())
    throw new Error('The peers could not be installed. See the output of npm, or leave them out with --no-peers.')
  return (state = 'ready')
}

/** Whether they are installed, and built for the present version of Node. */
function works(): boolean {
  for (const name of ['better-sqlite3', 'sharp']) if (!existsSync(join(PEERS, 'node_modules', name))) return false
  const probe = `new (require('better-sqlite3'))(':memory:').close()`
  return Bun.spawnSync(['node', '-e', probe], { cwd: PEERS, stdio: ['ignore', 'ignore', 'ignore'] }).success
}

/** The peers that run on Node: installed when first needed, from their own lock file. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const PEERS = join(import.meta.dir, '..', 'peers')

export type PeerState = 'ready' | 'not installed' | 'no Node'

let state: PeerState | undefined

/**
 * Installs them with npm if they are missing; `mayInstall` false only looks. better-sqlite3 is a native module: where its
 * ready-made build cannot be fetched, npm compiles it (about a minute, needs a C++ compiler).
 */
export function nodePeers(mayInstall: boolean): PeerState {
  if (state !== undefined && (state !== 'not installed' || !mayInstall)) return state
  if (Bun.which('node') === null || Bun.which('npm') === null) return (state = 'no Node')
  if (works()) return (state = 'ready')
  if (!mayInstall) return (state = 'not installed')
  console.error('installing the peers (npm ci in bench/peers) …')
  Bun.spawnSync(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: PEERS, stdio: ['ignore', 'ignore', 'inherit'] })
  if (!works()) throw new Error('The peers did not install; see npm above, or leave them out with --no-peers')
  return (state = 'ready')
}

/** Present, and built for the Node that is here. */
function works(): boolean {
  if (!existsSync(join(PEERS, 'node_modules/better-sqlite3'))) return false
  const probe = `new (require('better-sqlite3'))(':memory:').close()`
  return Bun.spawnSync(['node', '-e', probe], { cwd: PEERS, stdio: ['ignore', 'ignore', 'ignore'] }).success
}

/**
 * The same worlds, many at once, with a server that is killed again and again. Requests whose answer is lost are repeated. To repeat the choices
 * of a run, although not the moments of the kills:
 *
 *     SYNC_SEED=123 SYNC_SEEDS=64 bun test test/sync/simulation/kills.test.ts
 */

import { expect, test } from 'bun:test'

import { runWorlds } from './run.ts'
import { startKilled } from './servers.ts'

const first = Number(process.env['SYNC_SEED'] ?? 100_001)
const count = Number(process.env['SYNC_SEEDS'] ?? (process.env['TEST_DATABASE_URL'] ? 16 : 64))

/** A fast machine has ended the worlds after one or two kills, so more of them follow. */
const KILLS = 4
const ROUNDS = 20

test(`devices of ${count} or more random worlds have what the endpoints list though the server is killed again and again`, async () => {
  await using server = await startKilled()
  const outcomes = new Set<string>()
  for (let round = 0; round === 0 || (round < ROUNDS && server.kills() < KILLS); round++)
    for (const name of (await runWorlds(server, { first: first + round * count, count, atOnce: 16 })).keys())
      outcomes.add(name)
  expect(server.kills()).toBeGreaterThanOrEqual(KILLS)
  expect([...outcomes].join()).toContain('CONFLICT')
}, 3_600_000)

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

const KILLS = Math.max(6, Math.round(count / 8))
/** A world gets about 40 answers, so that the worlds go on until the last kill unless most pauses are long. */
const WITHIN = Math.round((50 * count) / KILLS)

test(`devices of ${count} random worlds have what the endpoints list though the server is killed again and again`, async () => {
  await using server = await startKilled({ most: KILLS, within: WITHIN })
  const outcomes = await runWorlds(server, { first, count, atOnce: 16 })
  expect(server.kills()).toBeGreaterThanOrEqual(KILLS / 2)
  expect([...outcomes.keys()].join()).toContain('CONFLICT')
}, 3_600_000)

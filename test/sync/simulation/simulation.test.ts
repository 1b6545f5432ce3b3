/**
 * Random worlds of users with devices, who edit offline and online, lose requests and answers, and change what they may see. After each complete
 * pull a device must have exactly the rows that its user sees. A failure prints the seed and what happened. To repeat it, or to run more worlds:
 *
 *     SYNC_SEED=123 bun test test/sync/simulation/simulation.test.ts
 *     SYNC_SEEDS=20000 bun test --timeout 3600000 test/sync/simulation/simulation.test.ts
 *     SYNC_SEED=10001 SYNC_SEEDS=10000 bun test … (the second half)
 */

import { expect, test } from 'bun:test'

import { startServer } from '../../harness/index.ts'
import { ENTITIES } from './entities.ts'
import { runWorlds } from './run.ts'
import { serverOf } from './servers.ts'

const only = process.env['SYNC_SEED']
/** On SQLite a world takes about 90 ms of a core. On PostgreSQL it takes three times as long, and the choices of the worlds are the same. */
const USUAL = process.env['TEST_DATABASE_URL'] ? 100 : 250
const count = Number(process.env['SYNC_SEEDS'] ?? (only === undefined ? USUAL : 1))

test(`devices of ${count} random worlds have what the endpoints list`, async () => {
  // Answers are compared with the model, and other tests check their shapes.
  await using server = await startServer({ config: { checkAnswers: false } })
  const outcomes = await runWorlds(serverOf(server, await server.admin()), {
    first: Number(only ?? 1),
    count,
    atOnce: 32,
  })
  if (count < 100) return
  // Worlds in which something never happens would prove nothing about it. "!" stands for a conflict.
  const seen = (outcome: string) => ENTITIES.filter((entity) => outcomes.has(`${entity} ${outcome}`))
  for (const usual of ['APPLIED', 'REJECTED']) expect([usual, seen(usual)]).toEqual([usual, [...ENTITIES]])
  // Not each of them for each entity in so few worlds.
  for (const rare of ['CONFLICT !', 'APPLIED !', 'dropped']) expect(seen(rare).length, rare).toBeGreaterThan(2)
}, 3_600_000)

/**
 * Random worlds of users with devices, who edit offline and online, lose requests and answers, and change what they may see. After each complete
 * pull a device must have exactly the rows that its user sees. A failure prints the seed and what happened. To repeat it, or to run more worlds:
 *
 *     SYNC_SEED=123 bun test test/sync/simulation/simulation.test.ts
 *     SYNC_SEEDS=20000 bun test --timeout 3600000 test/sync/simulation/simulation.test.ts
 */

import { expect, test } from 'bun:test'

import { startServer } from '../../harness/index.ts'
import { ENTITIES } from './entities.ts'
import { runWorlds } from './run.ts'
import { serverOf } from './servers.ts'

const only = process.env['SYNC_SEED']
/** A world takes about 130 ms on an idle machine. */
const USUAL = 250
const count = only === undefined ? Number(process.env['SYNC_SEEDS'] ?? USUAL) : 1

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
  const expected = ENTITIES.flatMap((entity) => [`${entity} APPLIED`, `${entity} REJECTED`, `${entity} CONFLICT !`])
  const dropped = ['qrCode dropped', 'category dropped']
  expect([...expected, ...dropped].filter((outcome) => !outcomes.has(outcome))).toEqual([])
  expect([...outcomes.keys()].filter((outcome) => outcome.endsWith('APPLIED !')).length).toBeGreaterThan(2)
}, 3_600_000)

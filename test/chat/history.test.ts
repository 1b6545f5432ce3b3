/**
 * Random histories of contacts and chat, compared with a simple model: every answer, and from time to time everything that each user can see. The
 * test's name and every failure show the seed. To repeat a history, or to run a long one:
 *
 *     SEED=20261210 STEPS=10000 bun test --timeout 1200000 test/chat/history.test.ts
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'

import { inProcess } from '../harness/index.ts'
import { contactSteps } from './history-contact-steps.ts'
import { conversationSteps } from './history-conversation-steps.ts'
import { groupSteps } from './history-group-steps.ts'
import { makeThings, messageSteps } from './history-message-steps.ts'
import { pinSteps } from './history-pin-steps.ts'
import { compare, outcomes, pick, restart, seed, setUp, type Step, tearDown, world } from './history-world.ts'

/** PostgreSQL takes several times as long for a step. */
const STEPS = Number(process.env['STEPS'] ?? (process.env['TEST_DATABASE_URL'] ? 700 : 2600))
/** Steps between two comparisons of everything. */
const COMPARE_EVERY = 100
/** Steps between two restarts of the server, if it is in this process. */
const RESTART_EVERY = 500

beforeAll(async () => {
  await setUp()
  await makeThings()
})
afterAll(tearDown)

const steps: Record<string, Step> = {
  ...contactSteps,
  ...conversationSteps,
  ...messageSteps,
  ...pinSteps,
  ...groupSteps,
}
/** The steps of a round: the frequent ones several times. */
const names = [
  ...Object.keys(steps),
  ...Object.keys(messageSteps),
  ...Array.from<string>({ length: 10 }).fill('send'),
  ...Array.from<string>({ length: 3 }).fill('recall'),
  ...Array.from<string>({ length: 6 }).fill('edit'),
  ...Array.from<string>({ length: 3 }).fill('read'),
  ...Array.from<string>({ length: 2 }).fill('readers'),
  ...Object.keys(groupSteps),
  ...Object.keys(pinSteps),
  'pinMessage',
  'pinMessage',
  'pinMessage',
  'createGroup',
  'addMember',
  'addMember',
  'leaveGroup',
  'removeMember',
  'request',
  'request',
  'accept',
  'reject',
  'reject',
]
/** Steps that are not one request. */
const UNRECORDED = ['sync', 'wait']
/** A history in which an operation never succeeds would prove nothing about it, and neither would one in which nothing is ever refused. */
const WANTED = [
  ...Object.keys(steps).flatMap((name) => (UNRECORDED.includes(name) ? [] : `${name} 200`)),
  'send 4011',
  'send 4012',
  'send 4020',
  'send 4021',
  'recall 403',
  'recall 4014',
  'removeMessage 403',
  'edit 403',
  'edit 4014',
  'edit 4021',
  'repeatOther 400',
  'sendToGroup 4015',
  'readers 404',
  'readers 4015',
  'pinMessage 4015',
  'pinMessage 4016',
]
const missing = (): string[] => WANTED.filter((outcome) => !outcomes.has(outcome))

test(`${STEPS} random steps of six users of the chat are answered as the model says (SEED=${seed})`, async () => {
  const take = async (step: number, name: string) => {
    await steps[name]!(pick(world.users))
    if (step % COMPARE_EVERY === 0) await compare()
    if (inProcess && step % RESTART_EVERY === 0) await restart()
  }
  for (let step = 1; step <= STEPS; step++) await take(step, pick(names))
  // Outcomes that have not come by then are rare: every other step tries for one, and those between prepare it.
  if (STEPS >= 2600 && inProcess)
    for (let step = 1; step <= STEPS && missing().length > 0; step++)
      await take(step, step % 2 === 0 ? pick(missing()).split(' ')[0]! : pick(names))
  await compare()
  if (STEPS >= 2600 && inProcess) expect(missing()).toEqual([])
}, 1_200_000)

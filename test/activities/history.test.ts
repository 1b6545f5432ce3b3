/**
 * Random histories of activities, compared with a simple model: every answer, the activity that a step changed, and from time to time
 * everything that each user can see. The test's name and every failure show the seed. To repeat a history, or to run a long one:
 *
 *     SEED=20260401 STEPS=10000 bun test --timeout 1200000 test/activities/history.test.ts
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'

import { inProcess } from '../harness/index.ts'
import { type Activity } from './history-model.ts'
import { passSteps } from './history-pass-steps.ts'
import { rushSteps } from './history-rush-steps.ts'
import { activitySteps } from './history-steps.ts'
import {
  activities,
  alice,
  avoidFullHours,
  chance,
  club,
  compare,
  isOver,
  outcomes,
  people,
  pick,
  restart,
  seed,
  setUp,
  someone,
  type Step,
  tearDown,
} from './history-world.ts'

/** PostgreSQL takes several times as long for a step. */
const STEPS = Number(process.env['STEPS'] ?? (process.env['TEST_DATABASE_URL'] ? 700 : 1500))
/** Steps between two comparisons of everything. */
const COMPARE_EVERY = 250
/** Steps between two restarts of the server, if it is in this process. */
const RESTART_EVERY = 1000

beforeAll(setUp)
afterAll(tearDown)

const steps: Record<string, Step> = { ...activitySteps, ...passSteps, ...rushSteps }
/** The steps of a round: the frequent ones several times. */
const FREQUENT = [
  'create',
  'create',
  'edit',
  'edit',
  'setStatus',
  'delete',
  'checkIn',
  'checkIn',
  'issue',
  'issue',
  'verifyPass',
  'redeem',
  'redeem',
  'redeem',
  'undo',
  'undo',
  'redeemOffline',
  'register',
  'register',
]
/** Steps that are not one request. */
const UNRECORDED = ['changeMembers', 'checkInAtOnce', 'disable', 'runJobs', 'wait']

const names = [...Object.keys(steps), ...FREQUENT]
test(`${STEPS} random steps of users and activities are answered as the model says (SEED=${seed})`, async () => {
  for (let step = 1; step <= STEPS; step++) {
    await avoidFullHours()
    const isLively = (each: Activity) => !each.isDeleted && each.status === 'ACTIVE' && !isOver(each)
    const lively = chance(60) ? activities.filter(isLively) : []
    const activity = pick(lively.length > 0 ? lively : activities.filter((each) => !each.isDeleted || chance(3)))
    const name = activity === undefined ? 'create' : pick(names)
    const user = activity === undefined ? pick(people) : someone(activity)
    await steps[name]!(name === 'create' ? pick(people) : user, activity)
    if (club.isDisabled && chance(25)) await steps['disable']!(alice, activity)
    if (step % COMPARE_EVERY === 0 || step === STEPS) await compare()
    if (inProcess && step % RESTART_EVERY === 0) await restart()
  }
  // A history in which an operation never succeeds would prove nothing about it.
  const missing = Object.keys(steps).filter((name) => !UNRECORDED.includes(name) && !outcomes.has(`${name} 200`))
  if (STEPS >= 1500) expect(missing).toEqual([])
}, 1_200_000)

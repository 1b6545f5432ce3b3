/** Passes for everyone who has a place, in activities with `autoIssue`: issued by the write that gives the place, or else by a job. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { personOf } from '#db/schema/activities.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import type { Events } from '#domains/events.ts'
import { usesOf } from '#http/budget.ts'
import { DAY, SECOND } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import { type ActivityRow, findActivity } from '../activities.store.ts'
import { MAX_TOKEN_TIME } from '../pass-keys/pass-keys.rules.ts'
import { currentKey, existingKey } from '../pass-keys/pass-keys.service.ts'
import { clearDue, dueActivities, setDue } from '../passes/due-issues.store.ts'
import { revokePass } from '../passes/passes.store.ts'
import * as autoIssues from './auto-issues.store.ts'
import { ISSUED_PASSES } from './pass-issues.model.ts'
import { valuesOf } from './pass-issues.rules.ts'
import { chunksOf, notifyHolders, PASSES_PER_STATEMENT, templateOf } from './pass-issues.service.ts'
import * as store from './pass-issues.store.ts'

/** For `registrations.confirmed`. The registrations stand, whether or not passes can be issued now. */
export async function issueToConfirmed(
  ctx: AppContext,
  tx: Tx,
  { activity: { id, autoIssue }, registrationIds }: Events['registrations.confirmed'],
): Promise<void> {
  const activity = autoIssue ? await findActivity(tx, id) : undefined
  if (activity !== undefined) await issueTo(ctx, tx, activity, registrationIds)
}

/** For `registrations.ended`. */
export async function revokeOfEnded(
  _ctx: AppContext,
  tx: Tx,
  { autoPassIds }: Events['registrations.ended'],
): Promise<void> {
  for (const id of autoPassIds) await revokePass(tx, id, 'Registration cancelled')
}

/** Returns the number of passes, or `later` if the job must go on at another time. */
async function issueTo(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  registrationIds: readonly number[],
): Promise<number | 'later'> {
  const { id } = activity
  const now = ctx.clock.now()
  const places = await autoIssues.placesWithoutPass(tx, id, registrationIds)
  if (places.length === 0) return 0

  const key = await existingKey(ctx, tx)
  if (key === undefined) return postpone(tx, id, now)
  const template = await templateOf(tx, activity, {})
  const values = valuesOf({}, template, activity, now)
  const validFrom = values.validFrom ?? now
  // Organizers can correct the validity, which is nothing that a user who registers should hear of.
  const end = values.validTo ?? activity.endTime
  if (end < Math.max(validFrom, now) || validFrom > MAX_TOKEN_TIME) return postpone(tx, id, now + DAY)
  // Only now: an expired pass stops following the activity if there is another one.
  const people = places.map(personOf)
  await store.expirePassesOf(tx, id, people, now)
  const holders = await store.liveHolders(tx, id, people)
  const open = places.filter((place) => !holders.has(personOf(place)))
  if (open.length === 0) return 0
  const creator = { actor: { userId: activity.userId }, caller: { ip: '' } }
  const refusal = await spend(tx, await usesOf(ctx, ISSUED_PASSES, creator, open.length), now)
  if (refusal !== undefined) return postpone(tx, id, now + refusal.refusedFor)

  const issueId = (await store.insertIssue(tx, id, activity.userId, null))!
  const issuedTo = new Map<number, number>()
  for (const some of chunksOf(open, PASSES_PER_STATEMENT)) {
    const rows = await store.insertPasses(
      tx,
      some.map((place) => ({
        uuid: uuid(),
        activityId: id,
        issueId,
        templateId: template?.id ?? null,
        color: template?.color ?? '',
        holderUserId: place.userId,
        registrationId: place.userId === null ? place.id : null,
        liveHolderId: personOf(place),
        holderName: place.holderName,
        fields: [],
        keyId: key.id,
        ...values,
      })),
    )
    for (const row of rows) issuedTo.set(row.liveHolderId!, row.id)
  }
  await store.countPasses(tx, id, open.length)
  await autoIssues.setAutoPasses(
    tx,
    open.map((place) => ({ id: place.id, autoPassId: issuedTo.get(personOf(place))! })),
  )
  await notifyHolders(ctx, tx, activity, open)
  return open.length
}

async function postpone(tx: Tx, activityId: number, until: number): Promise<'later'> {
  await setDue(tx, activityId, until)
  return 'later'
}

/** Passes in one run of the job: some seconds. */
const MAX_ISSUED = 5000
/** Activities in one run of the job. */
const MAX_ACTIVITIES = 100

/** Issues the passes that no write has issued: `autoIssue` was turned on later, or the budget of the creator was used up. */
async function issueMissing(ctx: AppContext): Promise<void> {
  let left = MAX_ISSUED
  for (const id of await dueActivities(ctx.db.read, ctx.clock.now(), MAX_ACTIVITIES)) {
    await currentKey(ctx)
    left -= await issueMissingOf(ctx, id, left)
    if (left <= 0) return
  }
}

/** Issues about `most` passes of an activity. Returns their number. */
async function issueMissingOf(ctx: AppContext, activityId: number, most: number): Promise<number> {
  const startedAt = ctx.clock.now()
  const write = <T>(run: (tx: Tx) => Promise<T>): Promise<T> => ctx.db.write('passes.issueMissing', run)
  let issued = 0
  let after = 0
  while (issued < most) {
    const places = await autoIssues.nextPlaces(ctx.db.readInWorker, activityId, after, PASSES_PER_STATEMENT)
    const result = await write(async (tx) => {
      const activity = await findActivity(tx, activityId)
      if (places.length > 0 && activity?.status === 'ACTIVE' && activity.autoIssue)
        return issueTo(
          ctx,
          tx,
          activity,
          places.map(({ id }) => id),
        )
      await clearDue(tx, activityId, startedAt)
      return 'later'
    })
    if (result === 'later') return issued
    issued += result
    after = places.at(-1)!.id
  }
  // Behind the other activities.
  await write((tx) => setDue(tx, activityId, ctx.clock.now()))
  return issued
}

export const autoIssueJob: Job = { name: 'passes.issueMissing', every: 30 * SECOND, run: issueMissing }

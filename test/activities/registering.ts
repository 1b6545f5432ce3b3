/** Helpers for the tests of registration. */

import { expect } from 'bun:test'

import { sql } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { activityCounters, registrations, type RegistrationStatus } from '#db/schema/activities.ts'
import type { ListQuery } from '#domains/activities/participants/participants.model.ts'
import type { ActivityView } from '#domains/activities/register/register.model.ts'
import type { Register } from '#domains/activities/registrations/registrations.model.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { ok, type Person, type TestServer } from '../harness/index.ts'
import { type ActivityFields, createActivity } from './helpers.ts'

/** An ACTIVE activity of `person` that starts in a week, with registration; PUBLIC unless the fields say otherwise. */
export function openActivity(
  server: TestServer,
  person: Person,
  registration: ActivityFields['registration'] = {},
  fields: ActivityFields = {},
): Promise<ActivityView> {
  const startTime = server.clock.now() + 7 * DAY
  const times = { startTime, endTime: startTime + 3 * HOUR }
  return createActivity(person, { ...times, visibility: 'PUBLIC', status: 'ACTIVE', registration, ...fields })
}

type Some = { readonly id: number }

export const register = (person: Person, { id }: Some, body: Register = {}) =>
  person.call('registrations.register', { params: { id }, body })
export const cancel = (person: Person, { id }: Some) => person.call('registrations.cancel', { params: { id } })
export const own = (person: Person, { id }: Some, code?: string) =>
  person.call('registrations.get', { params: { id }, query: code === undefined ? {} : { code } })
export const list = async (manager: Person, { id }: Some, query: Partial<ListQuery> = {}) =>
  ok(await manager.call('registrations.list', { params: { id }, query })).data

/** Status and position: `WAITING 2`, `CONFIRMED null`. */
export async function stateOf(person: Person, activity: Some): Promise<string> {
  const { status, position } = ok(await own(person, activity)).data
  return `${status} ${position}`
}

/** Titles of the notifications about places in this activity that the user has. */
export async function placesNotified(person: Person, { id }: Some): Promise<number> {
  const { items } = ok(await person.call('notifications.list', { query: { size: 100 } })).data
  return items.filter(({ type, data }) => type === 'SYSTEM' && data['activityId'] === id).length
}

/**
 * The counters equal the rows, no more registrations are CONFIRMED than there are places, the waiting list has no gaps, and nobody waits
 * while a place is free. `manager` manages the activity.
 */
export async function expectSound(manager: Person, activity: Some, capacity: number): Promise<void> {
  const [confirmed, waiting] = [
    await list(manager, activity, { status: 'CONFIRMED', size: 100 }),
    await list(manager, activity, { status: 'WAITING', size: 100, sort: 'createdAt' }),
  ]
  if (capacity > 0) expect(confirmed.total).toBeLessThanOrEqual(capacity)
  expect(waiting.items.map((item) => item.position)).toEqual(waiting.items.map((_, i) => i + 1))
  if (waiting.total > 0) expect(confirmed.total).toBe(capacity)
  const { stats } = ok(await manager.call('activities.get', { params: { id: activity.id } })).data
  expect(stats?.registrations).toEqual({ confirmed: confirmed.total, waiting: waiting.total })
}

/** Registers users that are added for it, one after the other, in few writes. In-process servers only. */
export async function addRegistrations(
  server: TestServer,
  id: number,
  statuses: readonly RegistrationStatus[],
): Promise<number[]> {
  const userIds: number[] = []
  for (let at = 0; at < statuses.length; at += 100) {
    const some = statuses.slice(at, at + 100)
    await server.ctx.db.write('test.addRegistrations', async (tx) => {
      const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
      const added = await tx
        .insert(users)
        .values(some.map((_, i) => ({ nickname: `guest ${at + i}`, ...times })))
        .returning({ id: users.id })
      const rows = some.map((status, i) => ({
        activityId: id,
        userId: added[i]!.id,
        status,
        answers: {},
        createdAt: tx.stamp,
        updatedAt: tx.stamp,
      }))
      await tx.insert(registrations).values(rows).returning({ id: registrations.id })
      const count = (status: RegistrationStatus) => some.filter((one) => one === status).length
      await tx
        .update(activityCounters)
        .set({
          confirmed: sql`${activityCounters.confirmed} + ${count('CONFIRMED')}`,
          waiting: sql`${activityCounters.waiting} + ${count('WAITING')}`,
        })
        .where(sql`${activityCounters.activityId} = ${id}`)
      userIds.push(...added.map((row) => row.id))
    })
  }
  return userIds
}

/** Helpers for the tests of check-in. */

import { type CheckInMethod, checkIns } from '#db/schema/activities.ts'
import { findActivity } from '#domains/activities/activities.store.ts'
import type { CreateCheckIn } from '#domains/activities/check-ins/check-ins.model.ts'
import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import type { Person, TestServer } from '../harness/index.ts'
import { type ActivityFields, createActivity } from './helpers.ts'

/** A place, and the latitude that many metres north of it. */
export const PLACE = { latitude: 30, longitude: 120 } as const
export const northOf = (metres: number) => ({ ...PLACE, latitude: 30 + metres / 111_195.08 })

/** Creates a PUBLIC activity that takes place now and has check-in. */
export function openActivity(
  server: TestServer,
  person: Person,
  { checkInConfig, ...fields }: ActivityFields = {},
): Promise<ActivityView> {
  const now = server.clock.now()
  return createActivity(person, {
    visibility: 'PUBLIC',
    status: 'ACTIVE',
    startTime: now - HOUR,
    endTime: now + DAY,
    hasCheckIn: true,
    ...(checkInConfig != null && { checkInConfig }),
    ...fields,
  })
}

export const checkIn = (person: Person, { id }: { readonly id: number }, body: CreateCheckIn = {}) =>
  person.call('activities.checkIn', { params: { id }, body })

export const recordsOf = (person: Person, { id }: { readonly id: number }, query: object = {}) =>
  person.call('activities.checkInRecords', { params: { id }, query })

export const statsOf = (person: Person, { id }: { readonly id: number }, query: object = {}) =>
  person.call('activities.checkInStats', { params: { id }, query })

/** The content of the QR code of the check-in page. In-process servers only. */
export async function checkInLink({ ctx }: TestServer, { id }: { readonly id: number }): Promise<string> {
  const row = await findActivity(ctx.db.read, id)
  return `${ctx.config.publicUrl}/s/check-in/${row!.checkInUuid}`
}

/** Adds check-ins in bulk, a second apart, the latest one now. The users take turns. In-process servers only. */
export async function addMany(
  server: TestServer,
  activity: { readonly id: number },
  n: number,
  people: readonly Person[],
): Promise<void> {
  const methods: readonly CheckInMethod[] = ['GPS', 'CODE', 'QR']
  const now = server.clock.now()
  const row = (i: number) => ({
    activityId: activity.id,
    userId: people[i % people.length]!.id,
    sequence: Math.floor(i / people.length) + 1,
    method: methods[i % 3]!,
    distance: i % 3 === 0 ? i % 100 : null,
    checkedInAt: now - (n - i) * 1000,
  })
  for (let at = 0; at < n; at += 1000)
    await server.ctx.db.write('test.addMany', async (tx) => {
      const length = Math.min(1000, n - at)
      await tx.insert(checkIns).values(Array.from({ length }, (_, i) => row(at + i)))
    })
}

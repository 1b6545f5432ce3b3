/** Helpers for the tests of activities. */

import type { ActivityStatus } from '#db/schema/activities.ts'
import type { ActivityView, CreateActivity, UpdateActivity } from '#domains/activities/register/register.model.ts'
import { HOUR } from '#platform/clock.ts'

import { ok, type Person } from '../harness/index.ts'

export const START = Date.UTC(2026, 4, 1, 9)
export const END = START + 3 * HOUR

/** The fields that a request for a new activity needs. */
export const minimal = { name: 'Lake cleanup', startTime: START, endTime: END } as const

export type ActivityFields = Partial<CreateActivity> & { readonly status?: ActivityStatus }

/** Creates an activity and brings it to its status; DRAFT unless one is given. */
export async function createActivity(
  person: Person,
  { status = 'DRAFT', ...fields }: ActivityFields = {},
): Promise<ActivityView> {
  const { data } = ok(await person.call('activities.create', { body: { ...minimal, ...fields } }))
  if (status === 'DRAFT') return data
  const active = await setStatus(person, data.id, 'ACTIVE')
  return status === 'ACTIVE' ? active : setStatus(person, data.id, status)
}

export const setStatus = async (person: Person, id: number, status: ActivityStatus): Promise<ActivityView> =>
  ok(await person.call('activities.setStatus', { params: { id }, body: { status } })).data

export const getActivity = async (person: Person, id: number): Promise<ActivityView> =>
  ok(await person.call('activities.get', { params: { id } })).data

export const update = (person: Person, id: number, body: UpdateActivity) =>
  person.call('activities.update', { params: { id }, body })

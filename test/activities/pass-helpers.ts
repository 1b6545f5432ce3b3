/** Helpers for the tests of passes. */

import type { IssuePasses } from '#domains/activities/pass-issues/pass-issues.model.ts'
import type { CreateTemplate, TemplateView } from '#domains/activities/pass-templates/pass-templates.model.ts'
import type { PassView } from '#domains/activities/passes/passes.model.ts'
import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { DAY } from '#platform/clock.ts'

import { ok, type Person } from '../harness/index.ts'
import { type ActivityFields, createActivity } from './helpers.ts'

/** An ACTIVE activity with passes, which has begun and ends in 30 days. */
export const withPasses = (person: Person, fields: ActivityFields = {}): Promise<ActivityView> => {
  const now = Date.now()
  return createActivity(person, {
    status: 'ACTIVE',
    hasPass: true,
    startTime: now - DAY,
    endTime: now + 30 * DAY,
    ...fields,
  })
}

export const createTemplate = async (person: Person, fields: Partial<CreateTemplate> = {}): Promise<TemplateView> =>
  ok(await person.call('passTemplates.create', { body: { name: 'Member card', ...fields } })).data

export const issue = (person: Person, id: number, body: IssuePasses) =>
  person.call('passes.issue', { params: { id }, body })

/** Issues passes and returns them. */
export const issued = async (person: Person, id: number, body: IssuePasses): Promise<readonly PassView[]> =>
  ok(await issue(person, id, body)).data.items

/** Names of guests: `Guest 1`, `Guest 2` … */
export const guests = (count: number): { name: string }[] =>
  Array.from({ length: count }, (_, i) => ({ name: `Guest ${i + 1}` }))
